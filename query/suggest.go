package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/nearest"
)

// suggest returns what may have been meant by name, or all there is when that
// is little.
func suggest(name string, known []string) string {
	if near := nearest.Names(name, known); len(near) > 0 {
		return nearest.Hint(near)
	}
	if len(known) == 0 {
		return ""
	}
	if len(known) > 12 {
		known = append(slices.Clone(known[:12]), "...")
	}
	return "there is " + strings.Join(known, ", ")
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
	for _, known := range [][]string{views, tables} { // views are the stable surface
		if near := nearest.Names(name, known); len(near) > 0 {
			return nearest.Hint(near)
		}
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
	if near := nearest.Names(name[strings.LastIndexByte(name, '.')+1:], slices.Compact(all)); len(near) > 0 {
		hints = append([]string{nearest.Hint(near)}, hints...)
	}
	return strings.Join(hints, "\n")
}

func (db *DB) suggestFunction(ctx context.Context, name string) string {
	for _, f := range db.options.Functions {
		if strings.EqualFold(f.Name, name) {
			return f.Usage + ": " + f.Doc
		}
	}
	known, err := db.SQLFunctions(ctx)
	if err != nil {
		return ""
	}
	if near := nearest.Names(name, known); len(near) > 0 {
		return nearest.Hint(near)
	}
	return ""
}
