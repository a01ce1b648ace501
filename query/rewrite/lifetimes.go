package rewrite

import (
	"slices"
	"strings"
)

// lifetimes are what the function path_builds knows of the builds of a path, by the
// aggregates over entries that yield the same.
var lifetimes = map[string]string{
	"min ( build_id )":            "first_build_id",
	"max ( build_id )":            "last_build_id",
	"count ( distinct build )":    "builds",
	"count ( distinct build_id )": "builds",
}

// Lifetimes returns a statement that reads the function path_builds, if it asks for the
// first and the last build of each path, or in how many builds it is:
//
//	SELECT path, min(build_id), max(build_id) FROM entries GROUP BY path
//
// All entries count, or those with deleted = 0. Other statements stay as they are.
func Lifetimes(sql string, all []Token) string {
	l := byPath{sql: sql, tokens: all}
	if !l.read() {
		return sql
	}
	return written(sql, l.edits)
}

// byPath is a statement that groups entries by their path.
type byPath struct {
	sql     string
	tokens  []Token
	alias   string
	aliases []string // of columns
	texts   bool     // the path as a text is used
	found   bool     // a lifetime is used
	edits   []edit
}

func (l *byPath) text(i int) string {
	if i < 0 || i >= len(l.tokens) {
		return ""
	}
	return l.tokens[i].Text
}

// begins reports whether the tokens from i on have the texts.
func (l *byPath) begins(i int, texts ...string) bool {
	for n, t := range texts {
		if l.text(i+n) != t {
			return false
		}
	}
	return true
}

func (l *byPath) read() bool {
	from := slices.IndexFunc(l.tokens, func(t Token) bool { return t.Text == "from" })
	if l.text(0) != "select" || from < 0 || l.text(from+1) != "entries" {
		return false
	}
	at := from + 2
	if l.text(at) == "as" {
		at++
	}
	l.alias = "entries"
	if at < len(l.tokens) && l.tokens[at].Name && l.text(at) != "where" && l.text(at) != "group" {
		l.alias = l.text(at)
		at++
	}
	source := [2]int{from + 1, at - 1} // tokens
	deleted := "1"
	if l.text(at) == "where" {
		at++
		n := l.qualified(at)
		if !l.begins(at+n, "deleted", "=", "0") {
			return false
		}
		deleted = "0"
		at += n + 4 - 1
	}
	where := at
	if !l.begins(at, "group", "by") {
		return false
	}
	at += 2
	at += l.qualified(at)
	by := l.text(at)
	if by != "path" && by != "path_id" {
		return false
	}
	at++
	ordered := l.rest(at)
	if !l.items(1, from) {
		return false
	}
	l.edits = append(l.edits, edit{l.tokens[source[0]].Start, l.tokens[source[1]].End, ""})
	place := len(l.edits) - 1
	keyword, column := " ", l.alias+".path_id"
	if by == "path" {
		column, l.texts = textOfPath, true
	}
	switch next := l.text(at); {
	case next == "having":
		keyword = "WHERE"
		l.edits = append(l.edits, edit{l.tokens[where].Start, l.tokens[at].End, keyword})
		at++
	default:
		l.edits = append(l.edits, edit{l.tokens[where].Start, l.tokens[at-1].End, keyword})
	}
	if where != source[1]+1 { // the condition on delete records
		l.edits[len(l.edits)-1].start = l.tokens[source[1]+1].Start
	}
	for i := at; i < len(l.tokens); {
		n := l.term(i, true)
		if n == 0 {
			return false
		}
		i += n
	}
	if !ordered {
		// Groups come in this order, and LIMIT takes the first ones.
		end := edit{len(l.sql), len(l.sql), " ORDER BY " + column}
		if i := slices.IndexFunc(l.tokens, func(t Token) bool { return t.Text == "limit" || t.Text == ";" }); i >= 0 {
			end.start, end.end = l.tokens[i].Start, l.tokens[i].Start
			end.text += " "
		} else {
			end.start, end.end = l.tokens[len(l.tokens)-1].End, l.tokens[len(l.tokens)-1].End
		}
		l.edits = append(l.edits, end)
	}
	table := "path_builds(" + deleted + ") " + l.alias
	if l.texts {
		table += " LEFT JOIN x_path pakdb_p ON pakdb_p.path_id = " + l.alias + ".path_id LEFT JOIN x_dir pakdb_d ON pakdb_d.dir_id = pakdb_p.dir_id"
	}
	l.edits[place].text = table
	slices.SortStableFunc(l.edits, func(a, b edit) int { return a.start - b.start })
	return l.found
}

const textOfPath = "pakdb_d.prefix || pakdb_p.name"

// qualified returns 2 if the name of the view and a point are at i, else 0.
func (l *byPath) qualified(i int) int {
	if l.text(i) == l.alias && l.text(i+1) == "." {
		return 2
	}
	return 0
}

// rest reports whether the statement says in which order it wants its rows.
func (l *byPath) rest(at int) (ordered bool) {
	return slices.ContainsFunc(l.tokens[at:], func(t Token) bool { return t.Text == "order" })
}

// items reads the columns that the statement yields.
func (l *byPath) items(from, to int) bool {
	for i := from; i < to; i++ {
		n := l.term(i, false)
		if n == 0 {
			return false
		}
		next := i + n
		switch {
		case l.text(next) == "as" && next+2 <= to:
			l.aliases = append(l.aliases, l.text(next+1))
			next += 2
		case next < to && l.text(next) != "," && l.tokens[next].Name:
			l.aliases = append(l.aliases, l.text(next))
			next++
		default: // it is called what it is written as
			name := l.sql[l.tokens[i].Start:l.tokens[next-1].End]
			if n == 1 || l.qualified(i) > 0 && n == 3 {
				name = l.text(next - 1) // but for a column of a view
			}
			if strings.Contains(name, `"`) {
				return false
			}
			l.edits[len(l.edits)-1].text += ` AS "` + name + `"`
		}
		if next < to && l.text(next) != "," {
			return false
		}
		i = next
	}
	return true
}

// term returns how many tokens the term at i has, 0 for one that is not known. behind:
// it stands behind the grouping, where more is allowed.
func (l *byPath) term(i int, behind bool) int {
	if n := l.aggregate(i); n > 0 {
		return n
	}
	n := l.qualified(i)
	if column := l.text(i + n); column == "path" || column == "path_id" {
		if behind && n == 0 && slices.Contains(l.aliases, column) {
			return 1 // the column of the result
		}
		text := l.alias + ".path_id"
		if column == "path" {
			text, l.texts = textOfPath, true
			if behind {
				text = "(" + text + ")"
			}
		}
		l.edits = append(l.edits, edit{l.tokens[i].Start, l.tokens[i+n].End, text})
		return n + 1
	}
	if !behind || n > 0 || i >= len(l.tokens) {
		return 0
	}
	if t := l.text(i); !l.tokens[i].Name || slices.Contains(l.aliases, t) && (!slices.Contains(othersByPath, t) || l.isWhole(i)) ||
		slices.Contains([]string{"order", "by", "limit", "offset", "and", "or", "not", "asc", "desc", "nulls", "first", "last", "like", "glob", "is", "null"}, t) {
		return 1
	}
	return 0
}

// othersByPath are columns of the tables that are read in place of entries.
var othersByPath = []string{"path_id", "first_build", "last_build", "builds", "first_build_id", "last_build_id", "deleted", "dir_id", "name", "ext_id",
	"prefix", "dir"}

// isWhole reports whether a name is all that rows are ordered by, which SQLite then takes
// for that of a column of the result.
func (l *byPath) isWhole(i int) bool {
	return slices.Contains([]string{"by", ","}, l.text(i-1)) && slices.Contains([]string{"", ",", ";", "asc", "desc", "nulls", "limit"}, l.text(i+1))
}

// aggregate reads a lifetime.
func (l *byPath) aggregate(i int) int {
	if l.text(i+1) != "(" {
		return 0
	}
	at := i + 2
	distinct := ""
	if l.text(at) == "distinct" {
		distinct = "distinct "
		at++
	}
	at += l.qualified(at)
	column := lifetimes[l.text(i)+" ( "+distinct+l.text(at)+" )"]
	if column == "" || l.text(at+1) != ")" || l.text(at+2) == "filter" || l.text(at+2) == "over" {
		return 0
	}
	l.found = true
	l.edits = append(l.edits, edit{l.tokens[i].Start, l.tokens[at+1].End, l.alias + "." + column})
	return at + 2 - i
}
