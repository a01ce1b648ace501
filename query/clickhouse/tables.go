package clickhouse

import (
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

// settings of tables: keys may be NULL; a block that is sent twice is taken once; rows may
// be deleted although there is another order of them.
const tableSettings = "allow_nullable_key = 1, non_replicated_deduplication_window = 1000, lightweight_mutation_projection_mode = 'rebuild'"

// table returns the statement that makes the table of a view, unless it is there.
func table(v *portable.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS pakdb_%s (\n    push LowCardinality(String), build LowCardinality(String)", v.Name)
	for _, c := range stored(v) {
		fmt.Fprintf(&b, ",\n    `%s` %s CODEC(ZSTD(1))", c.Name, typed(c))
	}
	if slices.Contains(v.Order, "path") {
		b.WriteString(",\n    PROJECTION by_build (SELECT * ORDER BY (build, path))")
	}
	fmt.Fprintf(&b, "\n) ENGINE = MergeTree ORDER BY (`%s`, build) SETTINGS %s", v.Order[0], tableSettings)
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
func schema() []string {
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
			all = append(all, table(v), view(v))
		}
	}
	return all
}

// Prepare makes the tables and views that the database lacks. The database itself must be
// there. It fails if a newer pakdb made them.
func (c *Client) Prepare(ctx context.Context) error {
	for _, sql := range schema() {
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
