package clickhouse

import (
	"cmp"
	"context"
	"errors"
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

// keys are numbers that stand for a text, in tables and views of those views beside what
// package portable has: to group or compare millions of them takes a fifth of what the texts
// take. They are of this server alone; the key of a content is the beginning of its hash.
var keys = map[string][]key{"entries": {pathKey, contentKey}, "files": {pathKey, contentKey}}

type key struct{ name, of, sql string }

var (
	pathKey    = key{"path_key", "path", "reinterpretAsInt64(cityHash64(assumeNotNull(path)))"}
	contentKey = key{"content_key", "content", "reinterpretAsInt64(reverse(unhex(substring(assumeNotNull(content), 1, 16))))"}
)

// column describes the column of a table.
func (k key) column() string {
	return fmt.Sprintf("`%s` Nullable(Int64) MATERIALIZED if(%s IS NULL, NULL, %s) CODEC(Delta(8), ZSTD(1))", k.name, k.of, k.sql)
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

// repeated are columns of different values that repeat from build to build, in the order by
// path: each is looked at once for many rows if it has a dictionary.
var repeated = map[string]bool{"path": true, "game_path": true}

// typed returns a type of ClickHouse.
func typed(c portable.Column) string {
	t := map[portable.Type]string{portable.Text: "String", portable.Int: "Int64", portable.Real: "Float64"}[c.Type]
	if c.Null {
		t = "Nullable(" + t + ")"
	}
	if c.Few || repeated[c.Name] {
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

// dialect is what newer servers know and older ones do not.
type dialect struct {
	settings   string // of tables, beside [tableSettings]
	projection string // of the order by build
}

// fine has the order by build in more granules than the table, so that the server, which
// takes what has fewer, reads it for questions about a build and not for those about all of
// them: in this order a path is not the one before, and is looked at once for each row.
const fine = " WITH SETTINGS (index_granularity = 4096)"

// table returns the statement that makes the table of a view, unless it is there.
func table(v *portable.View, d dialect) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS pakdb_%s (\n    push LowCardinality(String), build LowCardinality(String)", v.Name)
	for _, c := range stored(v) {
		fmt.Fprintf(&b, ",\n    `%s` %s CODEC(%s)", c.Name, typed(c), cmp.Or(codecs[c.Name], codec))
	}
	for _, k := range keys[v.Name] {
		b.WriteString(",\n    " + k.column())
	}
	if slices.Contains(v.Order, "path") {
		lean := slices.DeleteFunc(stored(v), func(c portable.Column) bool { return aside[c.Name] })
		fmt.Fprintf(&b, ",\n    PROJECTION by_build (SELECT push, build, %s ORDER BY (build, path))%s", quoted(lean), d.projection)
	}
	fmt.Fprintf(&b, "\n) ENGINE = MergeTree ORDER BY (`%s`, build) SETTINGS %s%s", v.Order[0], tableSettings, d.settings)
	return b.String()
}

// live says of a row that it is seen. A push is looked up once for all rows of a block that
// have it. "push IN (SELECT ...)" looks it up for each row, a third of a second for 8 million.
const live = "transform(push, tupleElement(" + pushes + ", 1), tupleElement(" + pushes + ", 2), 0) = 1"

// pushes are those that are seen, and a 1 for each. What has none has an array of something.
const pushes = "(SELECT (arrayConcat([''], groupArray(push)), arrayConcat([0], groupArray(1))) FROM pakdb_live)"

// view returns the statement that makes a view of the builds that are there.
func view(v *portable.View) string {
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = "`" + c.Name + "`"
		if sql, ok := derived[v.Name][c.Name]; ok {
			names[i] = sql + " AS " + names[i]
		}
	}
	for _, k := range keys[v.Name] {
		names = append(names, "`"+k.name+"`")
	}
	return fmt.Sprintf("CREATE OR REPLACE VIEW %s AS SELECT %s FROM pakdb_%s WHERE %s", v.Name, strings.Join(names, ", "), v.Name, live)
}

// builds returns the view that tables are made of which the catalog need not have.
func builds() *portable.View {
	v, _ := portable.Of("builds")
	return v
}

// schema returns the statements that make tables, and the views that others are made of. All
// of them may be repeated.
func schema(d dialect) []string {
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
			all = append(all, table(v, d))
		}
	}
	return all
}

// views returns the statements that make the views, which may be repeated too.
func views() (all []string) {
	for _, v := range portable.Views() {
		if v != builds() {
			all = append(all, view(v))
		}
	}
	return all
}

// addKeys adds the keys to tables that an earlier pakdb made.
func (c *Client) addKeys(ctx context.Context) error {
	for view, list := range keys {
		for _, k := range list {
			known, err := c.run(ctx, request{sql: "SELECT count() FROM system.columns WHERE database = currentDatabase() AND table = 'pakdb_" + view + "' AND name = '" + k.name + "' FORMAT TabSeparated"})
			if err != nil {
				return err
			}
			if strings.TrimSpace(known) != "0" {
				continue
			}
			if _, err := c.run(ctx, request{sql: "ALTER TABLE pakdb_" + view + " ADD COLUMN IF NOT EXISTS " + k.column()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// dialect asks the server what it knows.
func (c *Client) dialect(ctx context.Context) (d dialect, err error) {
	// A projection has the codec of the table, not those of its columns. Servers without the
	// setting compress it by LZ4.
	known, err := c.run(ctx, request{sql: "SELECT count() FROM system.merge_tree_settings WHERE name = 'default_compression_codec' FORMAT TabSeparated"})
	if err != nil {
		return d, err
	}
	if strings.TrimSpace(known) != "0" {
		d.settings = ", default_compression_codec = '" + codec + "'"
	}
	_, err = c.run(ctx, request{sql: "EXPLAIN AST CREATE TABLE t (a Int64, PROJECTION p (SELECT a ORDER BY a)" + fine + ") ENGINE = MergeTree ORDER BY a"})
	var refused *Error
	switch {
	case err == nil:
		d.projection = fine
	case !errors.As(err, &refused) || !refused.Statement():
		return d, err
	}
	return d, nil
}

// Prepare makes the tables and views that the database lacks. The database itself must be
// there. It fails if a newer pakdb made them.
func (c *Client) Prepare(ctx context.Context) error {
	d, err := c.dialect(ctx)
	if err != nil {
		return err
	}
	for _, sql := range schema(d) {
		if _, err := c.run(ctx, request{sql: sql}); err != nil {
			return err
		}
	}
	if err := c.addKeys(ctx); err != nil {
		return err
	}
	for _, sql := range views() {
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
