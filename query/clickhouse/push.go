package clickhouse

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/query/export"
	"pakdb/query/portable"
)

// grace is how long the rows of a push stay whose build never became visible: it may be
// going on.
const grace = 24 * time.Hour

// Pushed is what Push did.
type Pushed struct {
	Build string
	Rows  int64
	Same  bool // the server has these rows already; nothing was done
}

// Did says so, before the word build.
func (p *Pushed) Did() string {
	if p.Same {
		return "already there:"
	}
	return "pushed"
}

// Push copies a build of a catalog, in place of what the server has of it. The tables must
// be there ([Client.Prepare]). It may be interrupted at any time, and repeated: views show
// the old rows, then all of the new ones.
func (c *Client) Push(ctx context.Context, db *sql.DB, build string) (p Pushed, err error) {
	p.Build = build
	scratch, err := atomicfile.NewScratchDir("push")
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	m, err := export.Build(ctx, db, scratch.Path(), build, export.Options{})
	if err != nil {
		return p, err
	}
	for _, files := range m.Views {
		for _, f := range files {
			p.Rows += f.Rows
		}
	}
	sum := digest(m)
	known, err := c.run(ctx, request{sql: "SELECT digest FROM pakdb_live WHERE build = {build:String} FORMAT TabSeparated", values: url.Values{"param_build": {parameter(build)}}})
	if err != nil {
		return p, err
	}
	if p.Same = strings.TrimSpace(known) == sum; p.Same {
		return p, nil
	}
	id := fmt.Sprintf("%012x-%s", time.Now().Unix(), rand.Text())
	partition, err := export.Partition(build)
	if err != nil {
		return p, err
	}
	for _, v := range portable.Views() {
		if v == builds() {
			continue
		}
		for _, f := range m.Views[v.Name] {
			if f.Rows == 0 {
				continue
			}
			if err := c.insert(ctx, v, build, id, filepath.Join(scratch.Path(), v.Name, partition, f.Name), f); err != nil {
				return p, fmt.Errorf("%s of build %s: %w", v.Name, build, err)
			}
		}
	}
	if err := c.counted(ctx, m, id); err != nil {
		return p, err
	}
	if err := c.show(ctx, db, build, id, sum); err != nil {
		return p, err
	}
	return p, c.clean(ctx, build)
}

// digest identifies the rows of a build.
func digest(m *export.Manifest) string {
	h := blake3.New()
	for _, v := range portable.Views() {
		for _, f := range m.Views[v.Name] {
			_, _ = fmt.Fprintln(h, v.Name, f.Name, f.Rows, f.BLAKE3) // a hash takes everything
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// insert sends a file. The server takes what it has of it already for done.
func (c *Client) insert(ctx context.Context, v *portable.View, build, id, file string, f export.File) error {
	columns := stored(v)
	var structure []string
	for _, column := range columns {
		structure = append(structure, column.Name+" "+strings.NewReplacer("LowCardinality(Nullable(String))", "Nullable(String)", "LowCardinality(String)", "String").Replace(typed(column)))
	}
	sql := fmt.Sprintf("INSERT INTO pakdb_%s (push, build, %s) SELECT {push:String}, {build:String}, %s FROM input('%s') FORMAT Parquet",
		v.Name, quoted(columns), quoted(columns), strings.Join(structure, ", "))
	_, err := c.run(ctx, request{sql: sql, values: url.Values{
		"param_push": {id}, "param_build": {parameter(build)},
		"insert_deduplication_token": {id + "-" + v.Name + "-" + f.Name}, "insert_deduplicate": {"1"},
	}, data: func() (io.ReadCloser, int64, error) {
		data, err := os.Open(file)
		return data, f.Size, err
	}})
	return err
}

// counted fails unless the server has as many rows of a push as were sent.
func (c *Client) counted(ctx context.Context, m *export.Manifest, id string) error {
	for _, v := range portable.Views() {
		if v == builds() {
			continue
		}
		var want int64
		for _, f := range m.Views[v.Name] {
			want += f.Rows
		}
		text, err := c.run(ctx, request{sql: "SELECT count() FROM pakdb_" + v.Name + " WHERE push = {push:String} FORMAT TabSeparated", values: url.Values{"param_push": {id}}})
		if err != nil {
			return err
		}
		if got, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil || got != want {
			return fmt.Errorf("%s has %s rows of %s where %d were sent; push build %s again", c.address, strings.TrimSpace(text), v.Name, want, m.Build)
		}
	}
	return nil
}

// show writes the row by which a build is seen.
func (c *Client) show(ctx context.Context, db *sql.DB, build, id, sum string) error {
	v := builds()
	columns := append([]portable.Column{{Name: "push"}, {Name: "dropped", Type: portable.Int}, {Name: "digest"}, {Name: "version", Type: portable.Int}}, v.Columns...)
	var row bytes.Buffer
	enc, err := export.NewEncoder("jsonl", &row, columns, nil)
	if err != nil {
		return err
	}
	err = v.Each(ctx, db, build, func(values []portable.Cell) error {
		return enc.Write(append([]portable.Cell{portable.TextCell(id), portable.IntCell(0), portable.TextCell(sum), portable.IntCell(portable.Version)}, values...))
	})
	if err := errors.Join(err, enc.Close()); err != nil {
		return err
	}
	return c.log(ctx, columns, id, row.Bytes())
}

// log adds a row to pakdb_builds. The server's clock says when.
func (c *Client) log(ctx context.Context, columns []portable.Column, id string, row []byte) error {
	var structure []string
	for _, column := range columns {
		structure = append(structure, column.Name+" "+typed(portable.Column{Type: column.Type, Null: column.Null}))
	}
	_, err := c.run(ctx, request{
		sql: fmt.Sprintf("INSERT INTO pakdb_builds (pushed_at, %s) SELECT now64(6), %s FROM input('%s') FORMAT JSONEachRow",
			quoted(columns), quoted(columns), strings.Join(structure, ", ")),
		values: url.Values{"insert_deduplication_token": {id}, "insert_deduplicate": {"1"}},
		data: func() (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(row)), int64(len(row)), nil
		},
	})
	return err
}

// clean deletes rows of a build that are not seen any more, and those of pushes that were
// given up long ago.
func (c *Client) clean(ctx context.Context, build string) error {
	values := url.Values{"param_build": {parameter(build)}, "param_old": {fmt.Sprintf("%012x", time.Now().Add(-grace).Unix())}}
	for _, v := range portable.Views() {
		if v == builds() {
			continue
		}
		const gone = `build = {build:String} AND push NOT IN (SELECT push FROM pakdb_live)
    AND (push IN (SELECT push FROM pakdb_builds) OR push < {old:String})`
		n, err := c.run(ctx, request{sql: "SELECT count() FROM pakdb_" + v.Name + " WHERE " + gone + " FORMAT TabSeparated", values: values})
		if err != nil {
			return err
		}
		if strings.TrimSpace(n) == "0" {
			continue
		}
		if _, err := c.run(ctx, request{sql: "DELETE FROM pakdb_" + v.Name + " WHERE " + gone, values: values}); err != nil {
			return err
		}
	}
	return nil
}

// Drop removes a build from the views, then its rows. It reports whether it was there.
func (c *Client) Drop(ctx context.Context, build string) (there bool, err error) {
	known, err := c.Builds(ctx)
	if err != nil {
		return false, err
	}
	for _, label := range known {
		there = there || label == build
	}
	if !there {
		return false, nil
	}
	columns := []portable.Column{{Name: "push"}, {Name: "build"}, {Name: "dropped", Type: portable.Int}}
	id := "dropped-" + rand.Text()
	var row bytes.Buffer
	enc, err := export.NewEncoder("jsonl", &row, columns, nil)
	if err != nil {
		return true, err
	}
	if err := errors.Join(enc.Write([]portable.Cell{portable.TextCell(id), portable.TextCell(build), portable.IntCell(1)}), enc.Close()); err != nil {
		return true, err
	}
	if err := c.log(ctx, columns, id, row.Bytes()); err != nil {
		return true, err
	}
	return true, c.clean(ctx, build)
}
