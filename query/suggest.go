package query

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/glob"
	"pakdb/schema"
)

// suggest returns what may have been meant by name, or all there is when that
// is little.
func suggest(name string, known []string) string {
	if near := glob.Nearest(name, known); len(near) > 0 {
		return glob.NearestHint(near)
	}
	if len(known) == 0 {
		return ""
	}
	if len(known) > 12 {
		known = append(slices.Clone(known[:12]), "...")
	}
	return "there is " + strings.Join(known, ", ")
}

func (db *DB) suggestTable(ctx context.Context, name string) string {
	views, tables, err := db.Tables(ctx)
	if err != nil {
		return ""
	}
	for _, f := range db.options.Tables {
		views = append(views, f.Name)
	}
	for _, known := range [][]string{views, tables} { // views are the stable surface
		if near := glob.Nearest(name, known); len(near) > 0 {
			return glob.NearestHint(near)
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
	if near := glob.Nearest(name[strings.LastIndexByte(name, '.')+1:], slices.Compact(all)); len(near) > 0 {
		hints = append([]string{glob.NearestHint(near)}, hints...)
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
	if near := glob.Nearest(name, known); len(near) > 0 {
		return glob.NearestHint(near)
	}
	return ""
}

// mostOffered bounds what a shell is offered.
const mostOffered = 2000

// PathsBelow returns the paths of a catalog that may follow what is typed: files of the
// folder that is typed in full, and folders one step down, which end in a slash. Without
// any, the names of files in all folders that begin so are returned.
func PathsBelow(ctx context.Context, db *sql.DB, typed string) ([]string, error) {
	folder := typed[:strings.LastIndexByte(typed, '/')+1]
	paths, err := schema.FirstTexts(ctx, db, `SELECT DISTINCT ?1 || substr(rest, 1, instr(rest, '/'))
		FROM (SELECT substr(prefix, length(?1) + 1) AS rest FROM x_dir WHERE prefix >= ?2 AND prefix < ?2 || char(0x10ffff) AND prefix <> ?1)
		UNION ALL
		SELECT ?1 || p.name FROM x_dir d JOIN x_path p USING (dir_id)
		WHERE d.prefix = ?1 AND substr(p.name, 1, length(?2) - length(?1)) = substr(?2, length(?1) + 1)
		ORDER BY 1
		LIMIT ?3`, folder, typed, mostOffered)
	if err != nil || len(paths) > 0 || typed == "" {
		return paths, err
	}
	return schema.FirstTexts(ctx, db, "SELECT DISTINCT name FROM x_path WHERE name >= ?1 AND name < ?1 || char(0x10ffff) ORDER BY name LIMIT ?2",
		typed, mostOffered)
}
