package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pakdb/query/portable"
)

// Names of tables and columns are those of package portable, letters and _ alone.

// derived are columns that are computed of others and not stored.
var derived = map[string]map[string]string{
	"entries": {
		"dir":  "if(position(reverse(path), '/') = 0, substring(path, 1, 0), substring(path, 1, length(path) - position(reverse(path), '/')))",
		"name": "if(position(reverse(path), '/') = 0, path, substring(path, length(path) - position(reverse(path), '/') + 2))",
	},
}

// stored returns the columns that the table of a view keeps, without build.
func stored(v *portable.View) (columns []portable.Column) {
	for _, c := range v.Columns[1:] {
		if _, ok := derived[v.Name][c.Name]; !ok {
			columns = append(columns, c)
		}
	}
	return columns
}

func quoted(columns []portable.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = "`" + c.Name + "`"
	}
	return strings.Join(names, ", ")
}

// typed returns a type of ClickHouse.
func typed(c portable.Column) string {
	t := map[portable.Type]string{portable.Text: "String", portable.Int: "Int64", portable.Real: "Float64"}[c.Type]
	if c.Null {
		t = "Nullable(" + t + ")"
	}
	if c.Few {
		t = "LowCardinality(" + t + ")"
	}
	return t
}

// codecs are how columns are compressed, in the order of path and build: what a file has
// follows what it had in the build before.
var codecs = map[string]string{
	"path":      "ZSTD(6)",
	"game_path": "ZSTD(6)",
	"ordinal":   "DoubleDelta, ZSTD(1)",
	"offset":    "Delta(8), ZSTD(3)",
	// Of hex digits a higher level makes no less.
	"content":        "ZSTD(1)",
	"padded_content": "ZSTD(1)",
	"file_key":       "ZSTD(1)",
	"path_hash":      "ZSTD(1)",
	"source_hash":    "ZSTD(1)",
}

const codec = "ZSTD(3)" // of all others, and of the order by build where the server lets a table say it

// aside are columns that the order by build does not have: hashes and places, which in that
// order follow nothing that they are like. Questions about one build that need them read
// the build of all rows.
var aside = map[string]bool{
	"content": true, "padded_content": true, "file_key": true, "path_hash": true, "source_hash": true,
	"offset": true, "mtime": true, "game_path": true, "target_key": true,
}

// settings of tables: keys may be NULL; a block that is sent twice is taken once; rows may
// be deleted although there is another order of them.
const tableSettings = "allow_nullable_key = 1, non_replicated_deduplication_window = 1000, lightweight_mutation_projection_mode = 'rebuild'"

// table returns the statement that makes the table of a view, unless it is there. settings
// are those that the server knows beside [tableSettings].
func table(v *portable.View, settings string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS pakdb_%s (\n    push LowCardinality(String), build LowCardinality(String)", v.Name)
	for _, c := range stored(v) {
		fmt.Fprintf(&b, ",\n    `%s` %s CODEC(%s)", c.Name, typed(c), cmp.Or(codecs[c.Name], codec))
	}
	if slices.Contains(v.Order, "path") {
		lean := slices.DeleteFunc(stored(v), func(c portable.Column) bool { return aside[c.Name] })
		fmt.Fprintf(&b, ",\n    PROJECTION by_build (SELECT push, build, %s ORDER BY (build, path))", quoted(lean))
	}
	fmt.Fprintf(&b, "\n) ENGINE = MergeTree ORDER BY (`%s`, build) SETTINGS %s%s", v.Order[0], tableSettings, settings)
	return b.String()
}

// view returns the statement that makes a view of the builds that are there.
func view(v *portable.View) string {
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = "`" + c.Name + "`"
		if sql, ok := derived[v.Name][c.Name]; ok {
			names[i] = sql + " AS " + names[i]
		}
	}
	return fmt.Sprintf("CREATE OR REPLACE VIEW %s AS SELECT %s FROM pakdb_%s WHERE push IN (SELECT push FROM pakdb_live)", v.Name, strings.Join(names, ", "), v.Name)
}

// builds returns the view that tables are made of which the catalog need not have.
func builds() *portable.View {
	v, _ := portable.Of("builds")
	return v
}

// schema returns the statements that make tables and views. All of them may be repeated.
func schema(settings string) []string {
	var columns strings.Builder
	for _, c := range builds().Columns[1:] {
		fmt.Fprintf(&columns, ", `%s` %s", c.Name, typed(c))
	}
	all := []string{
		"CREATE TABLE IF NOT EXISTS pakdb_builds (push String, build String, dropped UInt8, digest String, version Int64, pushed_at DateTime64(6)" +
			columns.String() + ") ENGINE = MergeTree ORDER BY (build, pushed_at) SETTINGS " + tableSettings,
		"CREATE OR REPLACE VIEW pakdb_live AS SELECT * FROM pakdb_builds WHERE dropped = 0 AND push IN (SELECT argMax(push, (pushed_at, push)) FROM pakdb_builds GROUP BY build)",
		"CREATE OR REPLACE VIEW builds AS SELECT build, " + quoted(builds().Columns[1:]) + " FROM pakdb_live",
	}
	for _, v := range portable.Views() {
		if v != builds() {
			all = append(all, table(v, settings), view(v))
		}
	}
	return all
}

// Prepare makes the tables and views that the database lacks. The database itself must be
// there. It fails if a newer pakdb made them.
func (c *Client) Prepare(ctx context.Context) error {
	// A projection has the codec of the table, not those of its columns. Older servers have
	// no such setting, and compress it by LZ4.
	known, err := c.run(ctx, request{sql: "SELECT count() FROM system.merge_tree_settings WHERE name = 'default_compression_codec' FORMAT TabSeparated"})
	if err != nil {
		return err
	}
	settings := ""
	if strings.TrimSpace(known) != "0" {
		settings = ", default_compression_codec = '" + codec + "'"
	}
	for _, sql := range schema(settings) {
		if _, err := c.run(ctx, request{sql: sql}); err != nil {
			return err
		}
	}
	newest, err := c.run(ctx, request{sql: "SELECT max(version) FROM pakdb_builds FORMAT TabSeparated"})
	if err != nil {
		return err
	}
	var version int
	if _, err := fmt.Sscan(newest, &version); err != nil || version > portable.Version {
		return fmt.Errorf("%s holds views of version %q, this pakdb has %d", c.address, strings.TrimSpace(newest), portable.Version)
	}
	return nil
}
