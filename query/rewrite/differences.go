package rewrite

import "slices"

// ofRow are the columns of entries that two builds have the same of where they share
// the row.
var ofRow = []string{"content", "content_id", "size", "stored", "method", "type", "kind", "encrypted", "deleted", "nested", "mtime",
	"asset_id", "asset_key", "path_hash", "path_hash_key", "padded_content", "row_id"}

// Between are the builds that a statement compares, as it writes their labels.
type Between struct{ Old, New string }

// Differences returns a statement that reads the function pakdb_pairs, where it compares
// the entries of one path in two builds, and wants those that differ:
//
//	SELECT ... FROM entries a JOIN entries b ON b.path_id = a.path_id
//	WHERE a.build = '1' AND b.build = '2' AND a.content_id <> b.content_id
//
// All it says stays; where entries come from is added. Builds that share few rows are
// compared faster without, which the caller knows. Other statements stay as they are.
func Differences(sql string, all []Token) (text string, between Between) {
	if redefined(all) {
		return sql, Between{}
	}
	list := 0 // of columns
	for i := range all {
		switch all[i].Text {
		case "select":
			list = i
		case "from":
			c := comparison{sql: sql, tokens: all}
			if !c.yieldsAll(list, i) && c.read(i) {
				return written(sql, c.edits), c.between
			}
		}
	}
	return sql, Between{}
}

// comparison is FROM entries a JOIN entries b, and the conditions behind it.
type comparison struct {
	sql     string
	tokens  []Token
	a, b    string // what the entries are called
	paths   bool   // of one path
	differs bool   // in a column of the row
	labels  [2]string
	between Between
	edits   []edit
}

func (c *comparison) text(i int) string {
	if i < 0 || i >= len(c.tokens) {
		return ""
	}
	return c.tokens[i].Text
}

// conditionEnds are the words that end a condition.
var conditionEnds = []string{"", ")", ";", ",", "join", "left", "right", "full", "inner", "cross", "natural", "where", "group", "having", "order", "limit",
	"window", "union", "except", "intersect"}

func (c *comparison) read(from int) bool {
	var ok bool
	at := from + 1
	if c.a, at, ok = c.entries(at); !ok {
		return false
	}
	left := c.sql[c.tokens[from+1].Start:c.tokens[at-1].End]
	switch {
	case c.text(at) == "inner" && c.text(at+1) == "join":
		at += 2
	case c.text(at) == "join", c.text(at) == ",":
		at++
	default:
		return false
	}
	second := at
	if c.b, at, ok = c.entries(at); !ok || c.a == c.b {
		return false
	}
	right := c.sql[c.tokens[second].Start:c.tokens[at-1].End]
	on := ""
	switch {
	case c.text(at) == "on":
		end := c.condition(at + 1)
		on = c.sql[c.tokens[at+1].Start:c.tokens[end-1].End]
		at = end
	case c.text(at) == "using" && c.text(at+1) == "(" && c.text(at+2) == "path_id" && c.text(at+3) == ")":
		c.paths = true
		on = c.a + ".path_id = " + c.b + ".path_id"
		at += 4
	}
	behind := at
	for !slices.Contains([]string{"", ")", ";", "where", "group", "order", "limit", "having", "window", "union", "except", "intersect"}, c.text(at)) {
		if c.text(at) == "right" || c.text(at) == "full" {
			return false
		}
		at = c.skip(at)
	}
	if c.text(at) == "where" {
		c.condition(at + 1)
	}
	if !c.paths || !c.differs || c.labels[0] == "" || c.labels[1] == "" {
		return false
	}
	c.between = Between{c.labels[0], c.labels[1]}
	text := "pakdb_pairs(" + c.between.Old + ", " + c.between.New + ") pakdb_pair CROSS JOIN " + left +
		" ON " + c.a + ".archive_id = pakdb_pair.pakdb_old_archive_id AND " + c.a + ".row_id = pakdb_pair.pakdb_old_row_id CROSS JOIN " + right +
		" ON " + c.b + ".archive_id = pakdb_pair.pakdb_new_archive_id AND " + c.b + ".row_id = pakdb_pair.pakdb_new_row_id"
	if on != "" {
		text += " AND (" + on + ")"
	}
	c.edits = []edit{{c.tokens[from+1].Start, c.tokens[behind-1].End, text}}
	return true
}

// yieldsAll reports whether the columns of all tables are yielded.
func (c *comparison) yieldsAll(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if c.text(i) == "*" && slices.Contains([]string{"select", "distinct", "all", ","}, c.text(i-1)) {
			return true
		}
	}
	return false
}

// entries reads the view entries and what it is called.
func (c *comparison) entries(at int) (name string, next int, ok bool) { return c.view("entries", at) }

// view reads a view and what it is called.
func (c *comparison) view(view string, at int) (name string, next int, ok bool) {
	if c.text(at) != view || !c.tokens[at].Name {
		return "", at, false
	}
	name, next = view, at+1
	if c.text(next) == "as" {
		next++
	}
	if next < len(c.tokens) && c.tokens[next].Name && c.text(next) != "on" && c.text(next) != "using" && !slices.Contains(conditionEnds, c.text(next)) {
		name, next = c.text(next), next+1
	}
	return name, next, c.text(next) != "("
}

// skip returns what is behind a token, or behind the brackets that it opens.
func (c *comparison) skip(at int) int {
	if c.text(at) != "(" {
		return at + 1
	}
	for depth := 0; at < len(c.tokens); at++ {
		switch c.text(at) {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return at
}

// condition reads the terms of a condition, all of which must hold, and returns its end.
// One that is written in another way has no terms.
func (c *comparison) condition(at int) (end int) {
	terms, end := c.terms(at)
	for _, t := range terms {
		c.term(t[0], t[1])
	}
	return end
}

// terms returns where the terms of a condition begin and end, all of which must hold, and
// the end of it. One that is written in another way has no terms.
func (c *comparison) terms(at int) (terms [][2]int, end int) {
	var starts []int
	simple, next := true, true
	end = at
	for !slices.Contains(conditionEnds, c.text(end)) {
		if next {
			starts, next = append(starts, end), false
		}
		switch c.text(end) {
		case "or", "between", "case":
			simple = false
		case "and":
			next = true
		}
		end = c.skip(end)
	}
	if !simple {
		return nil, end
	}
	for i, start := range starts {
		to := end
		if i+1 < len(starts) {
			to = starts[i+1] - 1
		}
		terms = append(terms, [2]int{start, to})
	}
	return terms, end
}

// term reads what a term from one token to another says.
func (c *comparison) term(from, to int) {
	switch {
	case c.isBuild(from, to):
	case c.columns(from, to) == "=path_id":
		c.paths = true
	case c.differ(from, to):
		c.differs = true
	}
}

// isBuild reads a.build = '1'.
func (c *comparison) isBuild(from, to int) bool {
	if to-from != 5 || c.text(from+1) != "." || c.text(from+2) != "build" || c.text(from+3) != "=" || c.tokens[from+4].Name {
		return false
	}
	if t := c.text(from + 4); t[0] != '\'' && t[0] != ':' && t[0] != '@' && t[0] != '$' {
		return false
	}
	for i, name := range []string{c.a, c.b} {
		if c.text(from) == name {
			c.labels[i] = c.sql[c.tokens[from+4].Start:c.tokens[from+4].End]
		}
	}
	return true
}

// columns reads a comparison of one column of both, and returns the sign and the column;
// "" for another term.
func (c *comparison) columns(from, to int) string {
	if to-from < 7 || c.text(from+1) != "." || c.text(to-2) != "." || c.text(from+2) != c.text(to-1) {
		return ""
	}
	if x, y := c.text(from), c.text(to-3); (x != c.a || y != c.b) && (x != c.b || y != c.a) {
		return ""
	}
	sign := ""
	for i := from + 3; i < to-3; i++ {
		sign += c.text(i)
	}
	return sign + c.text(from+2)
}

// differ reports whether a term is false for a row that both builds have: it compares a
// column of it with itself.
func (c *comparison) differ(from, to int) bool {
	if c.text(from) == "(" && c.skip(from) == to {
		start := from + 1
		for at := start; at < to; at = c.skip(at) {
			if t := c.text(at); t == "and" || t == "case" || t == "between" {
				return false
			} else if t == "or" || at == to-1 {
				if !c.differ(start, at) {
					return false
				}
				start = at + 1
			}
		}
		return true
	}
	comparison := c.columns(from, to)
	for _, sign := range []string{"<>", "!=", "<", ">", "isnot"} {
		if len(comparison) > len(sign) && comparison[:len(sign)] == sign && slices.Contains(ofRow, comparison[len(sign):]) {
			return true
		}
	}
	return false
}
