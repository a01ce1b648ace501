package other

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"pakdb/schema/internal/conn"
)

// row is a row of a query. Its methods take the next column, or keep the first error.
type row struct {
	table string
	v     []driver.Value
	err   error
}

// next returns the next column.
func (r *row) next() driver.Value {
	v := r.v[0]
	r.v = r.v[1:]
	return v
}

func (r *row) fail(field string, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s.%s: %s", conn.ErrDamaged, r.table, field, fmt.Sprintf(format, args...))
	}
}

func (r *row) number(field string) int64 {
	n, ok := r.maybeNumber(field)
	if !ok {
		r.fail(field, "it is NULL")
	}
	return n
}

func (r *row) maybeNumber(field string) (n int64, ok bool) {
	switch v := r.next().(type) {
	case nil:
		return 0, false
	case int64:
		return v, true
	default:
		r.fail(field, "%T, not a number", v)
		return 0, true
	}
}

func (r *row) flag(field string) bool { return r.number(field) != 0 }

func (r *row) text(field string) string {
	s, ok := r.maybeText(field)
	if !ok {
		r.fail(field, "it is NULL")
	}
	return s
}

func (r *row) maybeText(field string) (s string, ok bool) {
	switch v := r.next().(type) {
	case nil:
		return "", false
	case string:
		return v, true
	default:
		r.fail(field, "%T, not a text", v)
		return "", true
	}
}

// blob returns bytes, nil for NULL. Sizes, if any are given, are those that it may have.
func (r *row) blob(field string, sizes ...int) []byte {
	switch v := r.next().(type) {
	case nil:
		return nil
	case []byte:
		fits := len(sizes) == 0
		for _, n := range sizes {
			fits = fits || len(v) == n
		}
		if !fits {
			r.fail(field, "%d bytes", len(v))
		}
		if v == nil {
			return []byte{}
		}
		return bytes.Clone(v)
	default:
		r.fail(field, "%T, not bytes", v)
		return nil
	}
}

// digest returns a hash that must be there.
func (r *row) digest(field string) (d [32]byte) {
	copy(d[:], r.need(field, 32))
	return d
}

func (r *row) need(field string, sizes ...int) []byte {
	b := r.blob(field, sizes...)
	if b == nil {
		r.fail(field, "it is NULL")
	}
	return b
}

// looked returns the text that an id leads to, which is the column after it; "" for NULL.
func (r *row) looked(field string) string {
	id, ok := r.maybeNumber(field)
	s, found := r.maybeText(field)
	if ok && !found {
		r.fail(field, "%d leads to no row", id)
	}
	return s
}

// reader reads rows, and knows what short texts their ids lead to.
type reader struct {
	finder     *conn.Finder
	statements *conn.Statements // on the connection of finder
	tables     tables
	words      map[int64]string
	dirs       map[int64]string // prefixes
}

// each runs a query and calls take for each of its rows, up to the first that is damaged.
func (c *reader) each(ctx context.Context, table, query string, args []driver.Value, take func(*row)) error {
	r := &row{table: table}
	err := c.finder.Rows(ctx, query, args, c.taking(r, take))
	return first(err, r.err)
}

// eachOf is each with temp.src showing ids.
func (c *reader) eachOf(ctx context.Context, table, query string, ids []int64, take func(*row)) error {
	r := &row{table: table}
	err := c.finder.Each(ctx, query, len(ids), func(row, _ int) driver.Value { return ids[row] }, c.taking(r, take))
	return first(err, r.err)
}

func (c *reader) taking(r *row, take func(*row)) func([]driver.Value) {
	return func(v []driver.Value) {
		if r.err == nil {
			r.v = v
			take(r)
		}
	}
}

// first returns the error of a query, or what is wrong with a row of it. A statement that
// does not compile means tables that are not those of a catalog.
func first(err, damage error) error {
	if damage != nil {
		return damage
	}
	if conn.Primary(conn.Code(err)) == sqlite3.SQLITE_ERROR {
		return fmt.Errorf("%w: %w", conn.ErrDamaged, err)
	}
	return conn.Classify(err)
}

// word returns the word of an id in the next column; "" for NULL.
func (c *reader) word(r *row, field string) string {
	id, ok := r.maybeNumber(field)
	if !ok {
		return ""
	}
	w, found := c.words[id]
	if !found {
		r.fail(field, "%d leads to no row", id)
	}
	return w
}

// path returns the path of an id; the two columns after it are those of table path.
// "" is NULL.
func (c *reader) path(r *row, field string) string {
	id, ok := r.maybeNumber(field)
	dir, found := r.maybeNumber(field)
	name, _ := r.maybeText(field)
	if !ok {
		return ""
	}
	prefix, known := c.dirs[dir]
	if !found || !known {
		r.fail(field, "%d leads to no row, or its folder to none", id)
	}
	return prefix + name
}
