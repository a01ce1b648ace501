package rewrite

import (
	"slices"
	"strings"
)

// Missing is what a statement asks of two builds: entries of Old that New has none like.
type Missing struct {
	Between
	Columns []string // ids by which entries are alike; none of the builds may have NULL there
}

// idOf are the columns by which entries may be alike, and their ids.
var idOf = map[string]string{"path": "path_id", "path_id": "path_id", "content": "content_id", "content_id": "content_id"}

// IDs returns a statement with path IN (SELECT path ...) written as path_id IN (SELECT
// path_id ...), and likewise for contents, if it reads nothing but entries: there the
// texts are equal if and only if ids are, and NULL where ids are.
func IDs(sql string, all []Token) string {
	text := func(i int) string {
		if i < len(all) {
			return all[i].Text
		}
		return ""
	}
	var edits []edit
	for i := range all {
		switch t := all[i].Text; {
		case t == "with", (t == "from" || t == "join") && (text(i+1) != "entries" || !all[i+1].Name):
			return sql
		case i == 0 || t != "path" && t != "content" || !slices.Contains([]string{".", "where", "and", "or", "("}, all[i-1].Text):
		default:
			at := i + 1
			if text(at) == "not" {
				at++
			}
			if text(at) != "in" || text(at+1) != "(" || text(at+2) != "select" {
				continue
			}
			if at += 3; text(at) == "distinct" {
				at++
			}
			if text(at+1) == "." {
				at += 2
			}
			if text(at) == t && text(at+1) == "from" {
				edits = append(edits, edit{all[i].Start, all[i].End, idOf[t]}, edit{all[at].Start, all[at].End, idOf[t]})
			}
		}
	}
	return written(sql, edits)
}

// Absent returns a statement that looks only at rows which one build has and another has
// not, where it wants entries whose path or content the other build has nowhere:
//
//	SELECT ... FROM entries a LEFT JOIN entries b ON b.path_id = a.path_id AND b.build = '2'
//	WHERE a.build = '1' AND b.path_id IS NULL
//
// and likewise NOT EXISTS (SELECT ...) and path NOT IN (SELECT path ...). A row that both
// builds have is in the other one, unless its column is NULL, which the caller rules out.
// Other statements stay as they are.
func Absent(sql string, all []Token) (text string, m Missing) {
	if redefined(all) {
		return sql, m
	}
	list := 0 // of columns
	for i := range all {
		switch all[i].Text {
		case "select":
			list = i
		case "from":
			a := absence{comparison: comparison{sql: sql, tokens: all}}
			if a.read(list, i) {
				return written(sql, a.edits), Missing{a.between, a.columns}
			}
		}
	}
	return sql, m
}

// absence is FROM entries a, with or without LEFT JOIN entries b, and its WHERE.
type absence struct {
	comparison
	columns []string
}

func (a *absence) read(list, from int) bool {
	var ok bool
	var at int
	if a.a, at, ok = a.entries(from + 1); !ok {
		return false
	}
	joined := at
	if a.text(at) == "left" {
		if at, ok = a.leftJoin(at); !ok || a.yieldsAll(list, from) {
			return false
		}
	}
	if a.text(at) != "where" {
		return false
	}
	terms, end := a.terms(at + 1)
	found := [2]int{}
	for _, t := range terms {
		switch {
		case a.label(t, a.a, a.b == "") != "":
			a.labels[0] = a.label(t, a.a, a.b == "")
		case found[1] == 0 && a.missing(t):
			found = t
		}
	}
	if found[1] == 0 || a.labels[0] == "" || a.labels[1] == "" || a.b != "" && a.uses(a.b) != a.usesIn(a.b, joined, at)+a.usesIn(a.b, found[0], found[1]) {
		return false
	}
	if next := a.text(end); next != "" && slices.Contains([]string{"join", "left", "right", "full", "inner", "cross", "natural", ","}, next) {
		return false
	}
	a.between = Between{a.labels[0], a.labels[1]}
	if a.b != "" {
		a.edits = append(a.edits, edit{a.tokens[joined].Start, a.tokens[at].Start, ""})
	}
	a.edits = append(a.edits, edit{a.tokens[found[0]].Start, a.tokens[found[1]-1].End, a.condition()})
	return true
}

// condition says what is wanted of a row.
func (a *absence) condition() string {
	var b strings.Builder
	b.WriteString("NOT EXISTS (SELECT 1 FROM entries pakdb_other WHERE pakdb_other.build = " + a.between.New)
	for _, column := range a.columns {
		b.WriteString(" AND pakdb_other." + column + " = " + a.a + "." + column)
	}
	b.WriteString(") AND " + a.a + ".row_id IN (SELECT pakdb_row_id FROM pakdb_alone(" + a.between.Old + ", " + a.between.New + "))")
	return b.String()
}

// leftJoin reads LEFT JOIN entries b ON ..., and returns what is behind it.
func (a *absence) leftJoin(at int) (next int, ok bool) {
	at++
	if a.text(at) == "outer" {
		at++
	}
	if a.text(at) != "join" {
		return 0, false
	}
	if a.b, at, ok = a.entries(at + 1); !ok || a.a == a.b || a.text(at) != "on" {
		return 0, false
	}
	terms, next := a.terms(at + 1)
	return next, a.alike(terms, a.b, false)
}

// alike reads the terms that choose the entries of the other build, called name: its
// build, and at least one column by which they are alike. Any other term fails.
func (a *absence) alike(terms [][2]int, name string, bare bool) bool {
	a.columns, a.labels[1] = nil, ""
	for _, t := range terms {
		label, column := a.label(t, name, bare), a.equal(t, name)
		switch {
		case label != "" && a.labels[1] == "":
			a.labels[1] = label
		case column != "":
			a.columns = append(a.columns, column)
		default:
			return false
		}
	}
	return a.labels[1] != "" && len(a.columns) > 0
}

// missing reads a term that holds for entries which the other build has none like.
func (a *absence) missing(t [2]int) bool {
	starts := func(words ...string) bool {
		for i, word := range words {
			if t[0]+i >= t[1] || a.text(t[0]+i) != word {
				return false
			}
		}
		return true
	}
	switch column := a.text(t[0] + 2); {
	case a.b != "":
		return t[1]-t[0] == 5 && starts(a.b, ".", column, "is", "null") && slices.Contains(a.columns, idOf[column])
	case starts("not", "exists", "(", "select") && a.skip(t[0]+2) == t[1]:
		from := t[0] + 4
		for from < t[1] && a.text(from) != "from" {
			if a.text(from) == "(" { // count(*) yields a row of none
				return false
			}
			from++
		}
		return a.chosen(from, t[1])
	}
	return a.notIn(t)
}

// notIn reads path NOT IN (SELECT path FROM entries WHERE build = '2').
func (a *absence) notIn(t [2]int) bool {
	at := t[0]
	if a.text(at) == a.a && a.text(at+1) == "." {
		at += 2
	}
	word := a.text(at)
	column := idOf[word]
	if column == "" || a.text(at+1) != "not" || a.text(at+2) != "in" || a.text(at+3) != "(" || a.text(at+4) != "select" || a.skip(at+3) != t[1] {
		return false
	}
	if at += 5; a.text(at) == "distinct" {
		at++
	}
	name, of := "", at
	if a.text(at+1) == "." {
		name, of = a.text(at), at+2
	}
	if a.text(of) != word || a.text(of+1) != "from" {
		return false
	}
	other, where, ok := a.entries(of + 2)
	if !ok || a.text(where) != "where" || name != "" && name != other {
		return false
	}
	terms, end := a.terms(where + 1)
	if end != t[1]-1 || len(terms) != 1 {
		return false
	}
	a.labels[1], a.columns = a.label(terms[0], other, true), []string{column}
	return a.labels[1] != ""
}

// chosen reads FROM entries b WHERE ..., up to the bracket before a token.
func (a *absence) chosen(from, to int) bool {
	if a.text(from) != "from" {
		return false
	}
	other, where, ok := a.entries(from + 1)
	if !ok || other == a.a || a.text(where) != "where" {
		return false
	}
	terms, end := a.terms(where + 1)
	return end == to-1 && a.text(end) == ")" && a.alike(terms, other, true)
}

// label returns the build of a term that is name.build = '1', or build = '1' where bare
// is true; "" for another one.
func (a *absence) label(t [2]int, name string, bare bool) string {
	at := t[0]
	switch {
	case t[1]-at == 5 && a.text(at) == name && a.text(at+1) == ".":
		at += 2
	case t[1]-at != 3 || !bare:
		return ""
	}
	if value := a.text(at + 2); a.text(at) != "build" || a.text(at+1) != "=" || a.tokens[at+2].Name || value == "" || !strings.Contains("':@$", value[:1]) {
		return ""
	}
	return a.sql[a.tokens[at+2].Start:a.tokens[at+2].End]
}

// equal returns the id of the column of a term that is b.path = a.path, or the reverse;
// "" for another one.
func (a *absence) equal(t [2]int, name string) string {
	at := t[0]
	if t[1]-at != 7 && t[1]-at != 8 || a.text(at+1) != "." || a.text(at+3) != "=" || a.text(t[1]-2) != "." || a.text(at+2) != a.text(t[1]-1) {
		return ""
	}
	if t[1]-at == 8 && a.text(at+4) != "=" {
		return ""
	}
	if x, y := a.text(at), a.text(t[1]-3); (x != a.a || y != name) && (x != name || y != a.a) {
		return ""
	}
	return idOf[a.text(at+2)]
}

// uses counts where a name is qualified with that of a table.
func (a *absence) uses(name string) int { return a.usesIn(name, 0, len(a.tokens)) }

func (a *absence) usesIn(name string, from, to int) (n int) {
	for i := from; i < to; i++ {
		if a.text(i) == name && a.text(i+1) == "." {
			n++
		}
	}
	return n
}
