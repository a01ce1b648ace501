package rewrite

import (
	"fmt"
	"slices"
	"strings"
)

// identified are views with a path_id for each path.
var identified = []string{"entries", "files", "chunks", "packages", "exports", "imports", "sums"}

// pathsLike yields the paths that an operator and a pattern behind it choose.
const pathsLike = "path_id IN (SELECT p.path_id FROM x_path p JOIN x_dir d ON d.dir_id = p.dir_id WHERE d.prefix || p.name "

// Patterns returns a statement over all builds in which path LIKE ... and path REGEXP ...
// look at each path once, which many builds have. Both are NULL where path is.
func Patterns(sql string, all []Token) string {
	var edits []edit
	for _, p := range findPatterns(sql, all, "build", "build_id", "archive", "archive_id") {
		edits = append(edits, edit{p.start, p.column, p.qualified + pathsLike}, edit{p.end, p.end, ")"})
	}
	return written(sql, edits)
}

// Chosen is path LIKE ... in a statement about one build.
type Chosen struct {
	Build string // its label, as the statement writes it
	Like  string // operator and pattern, as the statement writes them
	sql   string
	pattern
}

// PatternOf returns the one pattern of a statement about one build, with which paths of
// the catalog may be found before it runs.
func PatternOf(sql string, all []Token) (c Chosen, ok bool) {
	found := findPatterns(sql, all, "build_id", "archive", "archive_id", "regexp", "or", "not")
	if len(found) != 1 {
		return c, false
	}
	c = Chosen{sql: sql, pattern: found[0], Like: sql[found[0].column:found[0].end]}
	for i := 1; i+2 < len(all); i++ {
		before := i - 1
		if all[before].Text == "." {
			before -= 2
		}
		if all[i].Text != "build" || all[i+1].Text != "=" || all[i+2].Name {
			continue
		}
		if t := all[before].Text; (t == "where" || t == "and") && c.Build == "" {
			c.Build = sql[all[i+2].Start:all[i+2].End]
		}
	}
	return c, c.Build != ""
}

// Paths is a query for the paths that the pattern chooses, up to so many.
func (c *Chosen) Paths(limit int) string {
	return fmt.Sprintf("SELECT d.prefix || p.name FROM x_path p JOIN x_dir d ON d.dir_id = p.dir_id WHERE d.prefix || p.name%s LIMIT %d", c.Like, limit)
}

// With returns the statement with paths in place of the pattern.
func (c *Chosen) With(paths []string) string {
	list := []string{"''"} // no path is empty
	for _, p := range paths {
		list = append(list, "'"+strings.ReplaceAll(p, "'", "''")+"'")
	}
	return written(c.sql, []edit{{c.column, c.end, " IN (" + strings.Join(list, ", ") + ")"}})
}

// pattern is where a statement says path LIKE ...
type pattern struct {
	start, column, end int // of the column, and behind the pattern
	qualified          string
}

// findPatterns returns the patterns that choose entries of the only view of a statement.
// Where it has one of some words there are none.
func findPatterns(sql string, all []Token, without ...string) (found []pattern) {
	without = append(without, "join", "between", "collate", "with")
	from := -1
	for i, t := range all {
		if t.Text == "from" {
			if from >= 0 {
				return nil
			}
			from = i
		}
		if slices.Contains(without, t.Text) {
			return nil
		}
	}
	if from < 0 || from+2 >= len(all) || !slices.Contains(identified, all[from+1].Text) || all[from+2].Text == "," {
		return nil
	}
	for i := from + 2; i+2 < len(all); i++ {
		if all[i].Text != "path" || all[i+1].Text != "like" && all[i+1].Text != "regexp" {
			continue
		}
		start, next := i, ""
		if all[i-1].Text == "." {
			start = i - 2
		}
		if i+3 < len(all) {
			next = all[i+3].Text
		}
		if slices.Contains([]string{"where", "and", "or", "("}, all[start-1].Text) && !all[i+2].Name &&
			(next == "" || ends(next) || slices.Contains([]string{"and", "or", "group", "order", "limit"}, next)) {
			found = append(found, pattern{all[start].Start, all[i].End, all[i+2].End, sql[all[start].Start:all[i].Start]})
		}
	}
	return found
}
