// Package prune rewrites the text of the catalog's views for one statement: what it does
// not use of them is left out, which SQLite does not do for an aggregate. It takes the
// views as views/*.sql has them, with a line for each join.
package prune

import (
	"regexp"
	"slices"
	"strings"
)

// viewComment matches comments, and texts so that nothing in them is taken for one.
var viewComment = regexp.MustCompile(`'[^']*'|\s*--[^\n]*`)

// singleKeys are the columns of tables that one row at most has the same of.
var singleKeys = map[string]string{
	"x_word": "word_id", "x_path": "path_id", "x_dir": "dir_id", "x_content": "content_id", "x_name": "name_id",
	"x_build_name": "build_id mount row", "x_build_archive": "build_id ordinal", "x_archive": "archive_id",
}

// isSingle reports whether a LEFT JOIN has one row at most for each row before it, so
// that it can be left out.
func isSingle(table, alias, on string) bool {
	keys := strings.Fields(singleKeys[table])
	conditions := strings.Split(on, " AND ")
	for _, c := range conditions {
		column, _, ok := strings.Cut(strings.TrimPrefix(c, alias+"."), " = ")
		if !ok || !strings.HasPrefix(c, alias+".") || !slices.Contains(keys, column) {
			return false
		}
	}
	return len(keys) > 0 && len(conditions) == len(keys)
}

// Name returns the name of a view.
func Name(view string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(view, "CREATE VIEW "), " ")
	return name
}

// InOthers reports whether one of some views reads the view of a name. Such a view must
// keep the columns that the other one wants.
func InOthers(views []string, name string) bool {
	return slices.ContainsFunc(views, regexp.MustCompile(`(?:FROM|JOIN) `+name+`\b`).MatchString)
}

// View rewrites a view for a statement: columns that used does not have, a list in lower
// case with a space around each, are NULL. changed is false for a view that is not a
// plain list of columns.
func View(view, used string) (text string, changed bool) {
	text = viewComment.ReplaceAllStringFunc(view, func(s string) string {
		if s[0] == '\'' {
			return s
		}
		return ""
	})
	head, from, ok := strings.Cut(text, "\nFROM ")
	create, list, selects := strings.Cut(head, " AS\nSELECT ")
	for _, other := range []string{"UNION ALL", "\nGROUP BY", "\nORDER BY", "\nLIMIT"} {
		ok = ok && !strings.Contains(from, other)
	}
	if !ok || !selects || strings.HasPrefix(list, "DISTINCT") {
		return view, false
	}
	columns := splitColumns(list)
	for i, column := range columns {
		if name := columnName(column); !strings.Contains(used, " "+strings.ToLower(name)+" ") {
			columns[i] = "NULL AS " + name
		}
	}
	return create + " AS\nSELECT " + dropJoins(strings.Join(columns, ", ")+"\nFROM "+from), true
}

// dropJoins leaves the LEFT JOINs out that nothing uses, the last ones first.
func dropJoins(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range slices.Backward(lines) {
		join, on, _ := strings.Cut(line, " ON ")
		words := strings.Fields(strings.TrimPrefix(join, "LEFT JOIN "))
		if !strings.HasPrefix(line, "LEFT JOIN ") || len(words) != 2 || !isSingle(words[0], words[1], on) ||
			i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ") { // it goes on there
			continue
		}
		rest := slices.Delete(slices.Clone(lines), i, i+1)
		if !regexp.MustCompile(`\b` + words[1] + `\.`).MatchString(strings.Join(rest, "\n")) {
			lines = rest
		}
	}
	return strings.Join(lines, "\n")
}

// splitColumns cuts a list at the commas outside of brackets and texts.
func splitColumns(list string) (columns []string) {
	depth, quoted, from := 0, false, 0
	for i := range len(list) {
		switch c := list[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			columns, from = append(columns, strings.TrimSpace(list[from:i])), i+1
		}
	}
	return append(columns, strings.TrimSpace(list[from:]))
}

// columnName is what a view calls a column.
func columnName(column string) string {
	return column[strings.LastIndexAny(column, " .")+1:]
}
