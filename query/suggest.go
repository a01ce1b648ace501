package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// suggest returns what may have been meant by name, or all there is when that
// is little.
func suggest(name string, known []string) string {
	if near := nearest(name, known); len(near) > 0 {
		return didYouMean(near)
	}
	if len(known) == 0 {
		return ""
	}
	if len(known) > 12 {
		known = append(slices.Clone(known[:12]), "...")
	}
	return "there is " + strings.Join(known, ", ")
}

func didYouMean(near []string) string { return "did you mean " + strings.Join(near, ", ") + "?" }

// nearest returns up to three names that differ from name by few letters, or
// have it as a part, nearest first.
func nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var all []candidate
	low := strings.ToLower(name)
	for _, k := range known {
		d := distance(low, strings.ToLower(k))
		if len(low) > 2 && strings.Contains(strings.ToLower(k), low) {
			d = min(d, 1)
		}
		if d <= 1+len(low)/4 {
			all = append(all, candidate{k, d})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, c := range all[:min(3, len(all))] {
		names = append(names, c.name)
	}
	return names
}

// distance is Levenshtein's, over bytes; it gives up on long names.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Tables returns the names of the views, which are the stable surface, then
// those of the tables.
func (db *DB) Tables(ctx context.Context) (views, tables []string, err error) {
	if views, err = db.Texts(ctx, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name"); err != nil {
		return nil, nil, err
	}
	tables, err = db.Texts(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name")
	return views, tables, err
}

// Columns returns the columns of a table or view, none if there is no such
// thing.
func (db *DB) Columns(ctx context.Context, table string) ([]string, error) {
	return db.Texts(ctx, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
}

// SQLFunctions returns the names of all SQL functions there are.
func (db *DB) SQLFunctions(ctx context.Context) ([]string, error) {
	return db.Texts(ctx, "SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' AND name <> ? ORDER BY name", runFunction)
}

func (db *DB) suggestTable(ctx context.Context, name string) string {
	views, tables, err := db.Tables(ctx)
	if err != nil {
		return ""
	}
	if near := nearest(name, append(slices.Clone(views), tables...)); len(near) > 0 {
		return didYouMean(near)
	}
	return suggest(name, views)
}

// suggestColumn names the columns of the views and tables in the statement.
func (db *DB) suggestColumn(ctx context.Context, sql, name string) string {
	views, tables, err := db.Tables(ctx)
	if err != nil {
		return ""
	}
	var hints []string
	var all []string
	known := append(views, tables...)
	for t := range tokens(sql) {
		table := strings.ToLower(unquote(sql[t.start:t.end]))
		if t.kind != word || !slices.Contains(known, table) {
			continue
		}
		columns, err := db.Columns(ctx, table)
		if err != nil {
			return ""
		}
		all = append(all, columns...)
		if h := fmt.Sprintf("%s has %s", table, strings.Join(columns, ", ")); !slices.Contains(hints, h) {
			hints = append(hints, h)
		}
	}
	slices.Sort(all)
	if near := nearest(name[strings.LastIndexByte(name, '.')+1:], slices.Compact(all)); len(near) > 0 {
		hints = append([]string{didYouMean(near)}, hints...)
	}
	return strings.Join(hints, "\n")
}

func (db *DB) suggestFunction(ctx context.Context, name string) string {
	for _, f := range db.functions {
		if strings.EqualFold(f.Name, name) {
			return f.Usage + ": " + f.Doc
		}
	}
	known, err := db.SQLFunctions(ctx)
	if err != nil {
		return ""
	}
	if near := nearest(name, known); len(near) > 0 {
		return didYouMean(near)
	}
	return ""
}
