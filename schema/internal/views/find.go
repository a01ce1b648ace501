package views

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"modernc.org/sqlite/vtab"

	"pakdb/internal/family"
	"pakdb/internal/search"
	"pakdb/schema/internal/record"
)

// maxFound is how many paths are looked up one by one at most.
const maxFound = 5000

// find returns a condition that an index of the file serves, for all rows in which a column
// may equal the value of a test; ok is false if there is none.
func (t *table) find(x *test) (where condition, ok bool, err error) {
	column := t.readAs(x.column)
	name := t.columns[column].name
	if !isEqual(x.op) || t.isOfBuild(x.column) || t.isPacked(column) ||
		t.perValue(x.column)*t.size() > max(20, t.size()/10) { // to read all rows takes less time
		return where, false, nil
	}
	text, isText := x.value.(string)
	if !isText {
		if _, isInt := x.value.(int64); isInt && t.columns[column].kind == "INTEGER" {
			where = condition{quoted(name) + " = ?", x.value}
			ok, err = t.isServed(where)
		}
		return where, ok, err
	}
	exact := t.collates == (collation{})
	switch { // keys of different texts may agree
	case strings.HasSuffix(name, "path") && exact:
		return t.byIDs(name+"_id", "SELECT path_id FROM main.x_path_key WHERE key = ?1", record.PathKey(text))
	case name == "dir" && exact:
		return t.byIDs("path_id", `SELECT p.path_id
			FROM main.x_dir d
			CROSS JOIN main.x_path p ON p.dir_id = d.dir_id
			WHERE d.prefix IN (?1, ?1 || '/')`, text)
	case name == "content":
		var key driver.Value // NULL: no content has such a text
		if hash, err := hex.DecodeString(strings.TrimRight(text, " ")); err == nil && len(hash) >= 8 {
			key = record.ContentKey(hash)
		}
		return t.byIDs("content_id", "SELECT content_id FROM main.x_content_key WHERE key = ?1", key)
	case name == "asset_id" && t.column("asset_key") >= 0:
		digits := strings.TrimRight(text, " ")
		if key, err := strconv.ParseUint(digits[max(0, len(digits)-16):], 16, 64); err == nil {
			where = condition{"asset_key = ?", int64(key)}
			ok, err = t.isServed(where)
			return where, ok, err
		}
		return where, false, nil
	}
	if key := t.keyOf(name); key != "" {
		n, err := strconv.ParseUint(strings.TrimRight(text, " "), 16, 64)
		if err != nil {
			return where, false, nil
		}
		where = condition{quoted(key) + " = ?", int64(n)}
		ok, err := t.isServed(where)
		return where, ok, err
	}
	if !t.collates.rtrim && strings.Contains(t.views[t.name], "\n       n.name COLLATE NOCASE AS "+name) && strings.Contains(t.views[t.name], "name_id = v.name_id") {
		return t.byIDs("name_id", "SELECT name_id FROM main.x_name_key WHERE key = ?1", family.NameKey(text))
	}
	return where, false, nil
}

// findLike is find for patterns.
func (t *table) findLike(x *test) (where condition, ok bool, err error) {
	pattern, isText := x.value.(string)
	if !isPattern(x.op) || !isText || t.columns[x.column].name != "path" {
		return where, false, nil
	}
	pattern, _, _ = strings.Cut(pattern, "\x00") // SQLite ends it there
	if x.op == vtab.OpGLOB {                     // by the folder that the pattern begins with
		fixed := pattern
		if i := strings.IndexAny(pattern, "*?["); i >= 0 {
			fixed = pattern[:i]
		}
		folder := fixed[:strings.LastIndexByte(fixed, '/')+1]
		if folder == "" {
			return where, false, nil
		}
		return t.byIDs("path_id", `SELECT p.path_id
			FROM main.x_dir d
			CROSS JOIN main.x_path p ON p.dir_id = d.dir_id
			WHERE d.prefix >= ?2 AND d.prefix < ?3 AND d.prefix || p.name GLOB ?1 LIMIT 10000`,
			pattern, folder, folder[:len(folder)-1]+"0") // what follows the slash
	}
	// By the search index, if the catalog has one and few paths match.
	part := search.PartOf(pattern)
	trigrams := search.Trigrams(part)
	if part == "" || trigrams == "" {
		return where, false, nil
	}
	rare := false
	if err := t.each(search.RareSQL, []driver.Value{trigrams}, func(v []driver.Value) { rare = v[0] == int64(1) }); err != nil || !rare {
		return where, false, nil // there is no index, among others
	}
	return t.byIDs("path_id", search.PathsSQL, trigrams, search.Contains(part), pattern)
}

// byIDs returns the condition for rows with one of the ids that a query has in its last column, unless
// they are many.
func (t *table) byIDs(column, query string, args ...driver.Value) (where condition, ok bool, err error) {
	if t.column(column) < 0 {
		return where, false, nil
	}
	where = condition{quoted(column) + " IN (SELECT value FROM json_each(?))", "[1]"}
	if ok, err = t.isServed(where); err != nil || !ok {
		return where, false, err
	}
	ids := []int64{}
	if err := t.each(query, args, func(v []driver.Value) {
		if id, ok := v[len(v)-1].(int64); ok && len(ids) <= maxFound {
			ids = append(ids, id)
		}
	}); err != nil || len(ids) > maxFound {
		return where, false, err
	}
	list, err := json.Marshal(ids)
	where.arg = string(list)
	return where, true, err
}

// isServed reports whether an index of the file leads to the rows of a condition.
func (t *table) isServed(where condition) (bool, error) {
	if served, known := t.served[where.where]; known {
		return served, nil
	}
	step := ""
	err := t.each("EXPLAIN QUERY PLAN SELECT 1 FROM main."+quoted(t.name)+" WHERE "+where.where, []driver.Value{where.arg}, func(v []driver.Value) {
		if detail, _ := v[3].(string); step == "" && v[1] == int64(0) {
			step = detail
		}
	})
	t.served[where.where] = strings.HasPrefix(step, "SEARCH") && !strings.Contains(step, "complete=")
	return t.served[where.where], err
}

// pushed returns a test as a condition for the statement of a view, if SQLite compares by nothing but
// the column's own collation.
func (t *table) pushed(x *test) (where condition, ok bool) {
	c := t.columns[t.readAs(x.column)]
	_, isText := x.value.(string)
	_, isInt := x.value.(int64)
	switch {
	case t.isPacked(x.column):
		return where, false
	case isPattern(x.op):
	case !isEqual(x.op) || t.isOfBuild(x.column):
		return where, false
	case isText && (c.kind == "TEXT" || c.kind == "") && !t.collates.rtrim && (!t.collates.noCase || c.collation == "NOCASE"):
	case isInt && c.kind == "INTEGER":
	default:
		return where, false
	}
	return condition{quoted(c.name) + inSQL[x.op] + " ?", x.value}, true
}

var hexColumn = regexp.MustCompile(`printf\('%016x', (\w+\.\w+)\)(?: END)? AS (\w+)`)

// keyOf returns the column that has the number that a column has in hexadecimal digits, ""
// for none.
func (t *table) keyOf(name string) string {
	for _, x := range hexColumn.FindAllStringSubmatch(t.views[t.name], -1) {
		if x[2] != name {
			continue
		}
		if key := regexp.MustCompile(regexp.QuoteMeta(x[1]) + ` AS (\w+)`).FindStringSubmatch(t.views[t.name]); key != nil {
			return key[1]
		}
	}
	return ""
}
