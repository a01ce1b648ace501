package export

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/schema"
)

// serverTypes are the types of columns in ClickHouse, all of which may be NULL.
var serverTypes = map[string]string{"integer": "Int64", "boolean": "Bool", "number": "Float64", "real": "Float64", "time": "DateTime64(3)"}

// columnsOf lists columns and their types as ClickHouse has them, each followed by after.
func columnsOf(v *schema.View, after string) string {
	var b strings.Builder
	for i, c := range v.Columns {
		t := serverTypes[c.Type]
		if t == "" {
			t = "String"
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "`%s` Nullable(%s)%s", c.Name, t, after)
	}
	return b.String()
}

// tables returns the statements that make the tables and views of a database, and may be
// repeated. A build is a partition of each table. Views show the builds that pakdb_builds has.
func tables() (all []string) {
	for _, v := range Views() {
		key := slices.IndexFunc(v.Columns, func(c schema.ViewColumn) bool { return c.Name == "path" })
		all = append(all, fmt.Sprintf("CREATE TABLE IF NOT EXISTS pakdb_%s (build String, %s) ENGINE = MergeTree PARTITION BY build ORDER BY `%s` SETTINGS allow_nullable_key = 1",
			v.Name, columnsOf(v, " CODEC(ZSTD)"), v.Columns[max(key, 0)].Name))
	}
	for _, v := range Views() {
		all = append(all, fmt.Sprintf("CREATE OR REPLACE VIEW %s AS SELECT * FROM pakdb_%[1]s WHERE build IN (SELECT build FROM pakdb_builds)", v.Name))
	}
	return append(all, "CREATE OR REPLACE VIEW contents AS "+Contents)
}

// Prepare makes the tables and views that the database lacks.
func (s *Server) Prepare(ctx context.Context) error { return s.do(ctx, tables()...) }

// do sends statements that have no answer, up to the first that fails.
func (s *Server) do(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := s.run(ctx, statement, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// literal returns a text in the SQL of ClickHouse.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

// Push copies a build of a catalog to a server that [Server.Prepare] prepared, and returns
// the number of its rows. It sends the files that [Build] writes to tables of their own, counts
// their rows, and then moves the partition of each. Meanwhile views do not show the build. The
// next push removes the tables of an interrupted one.
func (s *Server) Push(ctx context.Context, db *sql.DB, build string) (rows int64, err error) {
	scratch, err := atomicfile.NewScratchDir("push")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	m, err := Build(ctx, db, scratch.Path(), build, Options{})
	if err != nil {
		return 0, err
	}
	folder, err := Partition(build)
	if err != nil {
		return 0, err
	}
	of := blake3.Sum256([]byte(build))
	beside := func(v *schema.View) string { return "pakdb_new_" + hex.EncodeToString(of[:8]) + "_" + v.Name }
	for _, v := range Views() {
		n, err := s.send(ctx, v, beside(v), build, filepath.Join(scratch.Path(), v.Name, folder), m.Views[v.Name])
		if err != nil {
			return 0, fmt.Errorf("%s of build %s: %w", v.Name, build, err)
		}
		rows += n
	}
	// Views show no build that pakdb_builds lacks, which is first to lose it and last to get it.
	if err := s.Drop(ctx, build); err != nil {
		return 0, err
	}
	views := Views()
	last := slices.IndexFunc(views, func(v *schema.View) bool { return v.Name == "builds" })
	for _, v := range append(slices.Delete(slices.Clone(views), last, last+1), views[last]) {
		err := s.do(ctx, "ALTER TABLE "+beside(v)+" MOVE PARTITION "+literal(build)+" TO TABLE pakdb_"+v.Name, "DROP TABLE "+beside(v))
		if err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// send fills a new table with the files of a view, and returns the number of rows.
func (s *Server) send(ctx context.Context, v *schema.View, table, build, dir string, files []File) (rows int64, err error) {
	if err := s.do(ctx, "DROP TABLE IF EXISTS "+table, "CREATE TABLE "+table+" AS pakdb_"+v.Name); err != nil {
		return 0, err
	}
	insert := "INSERT INTO " + table + " SELECT {build:String} AS build, * FROM input('" + columnsOf(v, "") + "') FORMAT Parquet"
	for _, part := range files {
		if rows += part.Rows; part.Rows == 0 {
			continue
		}
		f, err := os.Open(filepath.Join(dir, part.Name))
		if err != nil {
			return 0, err
		}
		_, err = s.run(ctx, insert, url.Values{"param_build": {parameter(build)}}, struct{ io.Reader }{f}) // which the client does not close
		if err := errors.Join(err, f.Close()); err != nil {
			return 0, err
		}
	}
	count, err := s.run(ctx, "SELECT count() FROM "+table+" FORMAT TabSeparated", nil, nil)
	if err == nil && count != strconv.FormatInt(rows, 10) {
		err = fmt.Errorf("the server has %q rows of %d: push the build again", count, rows)
	}
	return rows, err
}

// Drop removes a build from the views, then its rows.
func (s *Server) Drop(ctx context.Context, build string) error {
	drop := func(view string) string { return "ALTER TABLE pakdb_" + view + " DROP PARTITION " + literal(build) }
	statements := []string{drop("builds")}
	for _, v := range Views() {
		statements = append(statements, drop(v.Name))
	}
	return s.do(ctx, statements...)
}
