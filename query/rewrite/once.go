package rewrite

import "slices"

// unindexed are columns of views that no index finds rows by: a join by them reads all of
// a build for each row of the other. Those of files are the entry's, unless another
// container names it.
var unindexed = map[string][]string{
	"files":   {"path", "path_id", "game_path", "file_key"},
	"sums":    {"sum"},
	"entries": {"name", "path_hash", "path_hash_key"},
}

// Unindexed returns the columns of a view that no index finds rows by, where a join by them
// is read once.
func Unindexed(view string) []string { return unindexed[view] }

// Once returns a statement that reads the second of two views once, where it joins a view
// with itself by a column that has no index:
//
//	SELECT ... FROM files a JOIN files b ON b.file_key = a.file_key
//	WHERE a.build = '1' AND b.build = '2'
//
// The second becomes (SELECT * FROM files WHERE build = '2' LIMIT -1) b. SQLite keeps the
// rows of a subquery that has a LIMIT and makes an index of them. So does the view of
// EXISTS (SELECT 1 FROM files b WHERE b.build = '2' AND b.path = a.path). All that the
// statement says stays. Other statements stay as they are.
func Once(sql string, all []Token) string {
	for i := range all {
		if all[i].Text != "from" || i+1 >= len(all) {
			continue
		}
		view := all[i+1].Text
		columns := unindexed[view]
		if columns == nil || redefines(all, view) {
			continue
		}
		for _, read := range []func(*comparison, int, string, []string) bool{(*comparison).readOnce, (*comparison).readExists} {
			c := comparison{sql: sql, tokens: all}
			if read(&c, i, view, columns) {
				return written(sql, c.edits)
			}
		}
	}
	return sql
}

// readOnce reads FROM view a JOIN view b, and collects what is written in place of b.
func (c *comparison) readOnce(from int, view string, columns []string) bool {
	var ok bool
	at := from + 1
	if c.a, at, ok = c.view(view, at); !ok {
		return false
	}
	for c.text(at) == "inner" || c.text(at) == "left" || c.text(at) == "outer" || c.text(at) == "cross" {
		at++
	}
	if c.text(at) != "join" && c.text(at) != "," {
		return false
	}
	second := at + 1
	if c.b, at, ok = c.view(view, second); !ok || c.a == c.b {
		return false
	}
	behind := at
	switch c.text(at) {
	case "on":
		at = c.onceTerms(at+1, columns)
	case "using":
		for i := at + 1; i < c.skip(at+1); i++ {
			c.paths = c.paths || slices.Contains(columns, c.text(i))
		}
		at = c.skip(at + 1)
	}
	for !slices.Contains([]string{"", ")", ";", "where", "group", "order", "limit", "having", "window", "union", "except", "intersect"}, c.text(at)) {
		if c.text(at) == "right" || c.text(at) == "full" {
			return false
		}
		at = c.skip(at)
	}
	if c.text(at) == "where" {
		c.onceTerms(at+1, columns)
	}
	return c.once(view, second, behind)
}

// once writes the subquery in place of the view and its other name, if the build is known.
func (c *comparison) once(view string, at, behind int) bool {
	if !c.paths || c.labels[1] == "" {
		return false
	}
	name := c.sql[c.tokens[at].End:c.tokens[behind-1].End]
	if name == "" {
		name = " AS " + view
	}
	c.edits = []edit{{c.tokens[at].Start, c.tokens[behind-1].End, "(SELECT * FROM " + view + " WHERE build = " + c.labels[1] + " LIMIT -1)" + name}}
	return true
}

// readExists reads EXISTS (SELECT ... FROM view b WHERE ...), and collects what is written
// in place of b.
func (c *comparison) readExists(from int, view string, columns []string) bool {
	list := from - 1
	for list > 0 && !slices.Contains([]string{"select", "(", ")"}, c.text(list)) {
		list--
	}
	if c.text(list) != "select" || c.text(list-1) != "(" || c.text(list-2) != "exists" {
		return false
	}
	var at int
	var ok bool
	if c.b, at, ok = c.view(view, from+1); !ok || c.text(at) != "where" {
		return false
	}
	terms, end := c.terms(at + 1)
	if c.text(end) != ")" {
		return false
	}
	for _, t := range terms {
		if c.isBuild(t[0], t[1]) || t[1]-t[0] != 7 || c.text(t[0]+1) != "." || c.text(t[0]+3) != "=" || c.text(t[0]+5) != "." {
			continue
		}
		own, other := t[0], t[0]+4
		if c.text(own) != c.b {
			own, other = other, own
		}
		c.paths = c.paths || c.text(own) == c.b && c.text(other) != c.b && slices.Contains(columns, c.text(own+2))
	}
	return c.once(view, from+1, at)
}

// onceTerms reads the builds and the columns that a condition compares, and returns its end.
func (c *comparison) onceTerms(at int, columns []string) (end int) {
	terms, end := c.terms(at)
	for _, t := range terms {
		if compared := c.columns(t[0], t[1]); !c.isBuild(t[0], t[1]) && compared != "" {
			c.paths = c.paths || compared[0] == '=' && slices.Contains(columns, compared[1:])
		}
	}
	return end
}
