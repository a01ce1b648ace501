package other

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	sqlite3 "modernc.org/sqlite/lib"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/rows"
)

// reader reads rows, and finds the texts that their ids lead to.
type reader struct {
	finder     *conn.Finder
	statements *conn.Statements // on the connection of finder
	words      map[int64]string
	texts      *rows.Texts
	filled     map[string]bool // whether a table has rows
}

// each runs a query and calls take for each of its rows, up to the first that is damaged.
func (c *reader) each(ctx context.Context, table, query string, args []driver.Value, take func(*row)) error {
	r := &row{reader: c, table: table}
	err := conn.EachRow(ctx, c.finder.DB, query, args, r.taking(take))
	return first(err, r.err)
}

// eachOf is each with temp.src showing ids. Tables without rows are passed over: most formats
// fill few of them.
func (c *reader) eachOf(ctx context.Context, table, query string, ids []int64, take func(*row)) error {
	filled, known := c.filled[table]
	if !known {
		err := c.each(ctx, table, "SELECT EXISTS (SELECT 1 FROM "+table+")", nil, func(r *row) { filled = r.flag("rows") })
		if err != nil {
			return err
		}
		c.filled[table] = filled
	}
	if !filled {
		return nil
	}
	r := &row{reader: c, table: table}
	err := c.finder.Each(ctx, query, len(ids), func(row, _ int) driver.Value { return ids[row] }, r.taking(take))
	return first(err, r.err)
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

// row is a row of a query. Its methods take the next column, or keep the first error.
type row struct {
	*reader
	table string
	v     []driver.Value
	err   error
}

func (r *row) taking(take func(*row)) func([]driver.Value) {
	return func(v []driver.Value) {
		if r.err == nil {
			r.v = v
			take(r)
		}
	}
}

func (r *row) fail(field string, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s.%s: %s", conn.ErrDamaged, r.table, field, fmt.Sprintf(format, args...))
	}
}

// next returns the next column.
func (r *row) next() driver.Value {
	v := r.v[0]
	r.v = r.v[1:]
	return v
}

// maybe returns the next column; ok is false for NULL.
func maybe[T any](r *row, field string) (v T, ok bool) {
	next := r.next()
	if next == nil {
		return v, false
	}
	v, isOne := next.(T)
	if !isOne {
		r.fail(field, "%T, not %T", next, v)
	}
	return v, true
}

// must is maybe of a column that has a value in each row.
func must[T any](r *row, field string) T {
	v, ok := maybe[T](r, field)
	if !ok {
		r.fail(field, "it is NULL")
	}
	return v
}

func (r *row) number(field string) int64                   { return must[int64](r, field) }
func (r *row) maybeNumber(field string) (n int64, ok bool) { return maybe[int64](r, field) }
func (r *row) flag(field string) bool                      { return r.number(field) != 0 }
func (r *row) text(field string) string                    { return must[string](r, field) }

// maybeText returns a text, "" for NULL.
func (r *row) maybeText(field string) string {
	s, _ := maybe[string](r, field)
	return s
}

// blob returns bytes, nil for NULL. Sizes, if any are given, are those that it may have.
func (r *row) blob(field string, sizes ...int) []byte {
	b, ok := maybe[[]byte](r, field)
	if !ok {
		return nil
	}
	if len(sizes) > 0 && !slices.Contains(sizes, len(b)) {
		r.fail(field, "%d bytes", len(b))
	}
	return append([]byte{}, b...)
}

// need is blob of a column that has bytes in each row.
func (r *row) need(field string, sizes ...int) []byte {
	b := r.blob(field, sizes...)
	if b == nil {
		r.fail(field, "it is NULL")
	}
	return b
}

// digest returns a hash that must be there.
func (r *row) digest(field string) (d [32]byte) {
	copy(d[:], r.need(field, 32))
	return d
}

// place returns an ordinal or an offset, -1 for NULL.
func (r *row) place(field string) int64 {
	n, ok := r.maybeNumber(field)
	if !ok {
		return -1
	}
	return n
}

// word, name and path return the text that an id in the next column leads to, "" for NULL.
func (r *row) word(field string) string { return r.textOf(field, r.reader.word) }
func (r *row) name(field string) string { return r.textOf(field, r.texts.Name) }
func (r *row) path(field string) string { return r.textOf(field, r.texts.Whole) }

func (r *row) textOf(field string, find func(id int64) (string, error)) string {
	id, ok := r.maybeNumber(field)
	if !ok {
		return ""
	}
	text, err := find(id)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s.%s: %w", r.table, field, conn.Classify(err))
	}
	return text
}

func (c *reader) word(id int64) (string, error) {
	w, found := c.words[id]
	if !found {
		return "", fmt.Errorf("%w: x_word: %d leads to no row", conn.ErrDamaged, id)
	}
	return w, nil
}
