package gpak

import (
	"context"
	"database/sql"
	"math"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// row is a row of data_tbl without its blob.
type row struct {
	rowid, hash  int64
	stored, size int64
	mod          int64
	path         string
	err          *codecs.FormatError // why its content cannot be had
}

// rowCost is what a row takes in memory besides its name, rounded up.
const rowCost = 96

// listRows reads types and lengths from the row headers, so that no blob is
// loaded and no name longer than the limit. NOT INDEXED keeps to the table:
// an index may disagree with it.
const listRows = `SELECT rowid, i, l, s, typeof(n), octet_length(n), CASE WHEN octet_length(n) <= ? THEN n END,
	typeof(b), octet_length(b) FROM data_tbl NOT INDEXED ORDER BY rowid`

func (a *sqlitePak) readRows(ctx context.Context) error {
	rows, err := a.db.QueryContext(ctx, listRows, a.limits.Name)
	if err != nil {
		return a.failSQL(ctx, "", dataTable, err)
	}
	defer func() { _ = rows.Close() }()
	used := int64(0)
	for rows.Next() {
		var c columns
		if err := rows.Scan(&c.rowid, &c.i, &c.l, &c.s, &c.nameType, &c.nameLen, &c.n, &c.blobType, &c.blobLen); err != nil {
			return a.fail("", dataTable, -1, codecs.Errorf(codecs.ErrCorrupt, "row %d: %v", len(a.rows), err))
		}
		// A damaged tree can lead back to where it came from; rowids that
		// ascend cannot repeat, and so end.
		if n := len(a.rows); n > 0 && c.rowid <= a.rows[n-1].rowid {
			return a.fail("", "rowid", -1, codecs.Errorf(codecs.ErrCorrupt, "%d comes after %d", c.rowid, a.rows[n-1].rowid))
		}
		r := a.row(&c)
		if used += rowCost + int64(len(r.path)); used > a.limits.Table {
			return a.fail("", dataTable, -1, codecs.Errorf(codecs.ErrLimit, "%d rows take more than %d bytes", len(a.rows), a.limits.Table))
		}
		a.rows = append(a.rows, r)
	}
	if err := rows.Err(); err != nil {
		return a.failSQL(ctx, "", dataTable, err)
	}
	return nil
}

// columns are a row as SQLite gives it: anything can be in any column.
type columns struct {
	rowid              int64
	i, l, s, n         any
	nameType, blobType string
	nameLen, blobLen   sql.NullInt64
}

// row checks the columns. The first thing that is wrong with what the content
// needs becomes the row's error; the rest are warnings.
func (a *sqlitePak) row(c *columns) row {
	r := row{rowid: c.rowid, stored: c.blobLen.Int64}
	fail := func(field, format string, args ...any) {
		if r.err == nil {
			r.err = a.fail(r.path, field, -1, codecs.Errorf(codecs.ErrCorrupt, format, args...))
		}
	}
	a.rowName(&r, c, fail)
	var ok bool
	if r.hash, ok = c.i.(int64); !ok {
		fail("i", "not an integer: %T", c.i)
	}
	l, ok := c.l.(int64)
	if !ok && c.l != nil {
		fail("l", "not an integer: %T", c.l)
	}
	switch c.s.(type) {
	case int64, nil:
		r.mod, _ = c.s.(int64)
	default:
		a.warn(r.path, "s", -1, codecs.Errorf(codecs.ErrNonStrict, "not an integer: %T", c.s))
	}
	a.rowContent(&r, c, l, fail)
	if r.mod < math.MinInt32 || r.mod > math.MaxUint32 {
		a.warn(r.path, "s", -1, codecs.Errorf(codecs.ErrNonStrict, "%d is no Unix time of the game's years", r.mod))
		r.mod = 0
	}
	return r
}

func (a *sqlitePak) rowName(r *row, c *columns, fail func(field, format string, args ...any)) {
	switch n := c.n.(type) {
	case string:
		var valid bool
		if r.path, valid = readable([]byte(n)); !valid {
			a.warn(r.path, "n", -1, codecs.Errorf(codecs.ErrNonStrict, "not UTF-8, shown as Latin-1"))
		}
	case nil:
		if c.nameLen.Valid {
			r.err = a.fail("", "n", -1, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", c.nameLen.Int64, a.limits.Name))
			return
		}
		fail("n", "no name")
	default:
		fail("n", "is %s", c.nameType)
	}
}

// rowContent checks length and blob. An absent blob is an empty file:
// binding an empty buffer stores NULL in SQLite's C interface.
func (a *sqlitePak) rowContent(r *row, c *columns, l int64, fail func(field, format string, args ...any)) {
	if c.blobType != "blob" && (c.blobType != "null" || l != 0) {
		fail("b", "is %s", c.blobType)
		return
	}
	r.size = l
	if a.method == compress.None {
		// The bytes are the content, whatever l says of them.
		if r.size = r.stored; l != r.stored {
			a.warn(r.path, "l", -1, codecs.Errorf(codecs.ErrCorrupt, "%d, but b has %d bytes", l, r.stored))
		}
		return
	}
	if err := checkRatio(a.method, r.stored, l); err != nil && r.err == nil {
		r.err = a.fail(r.path, "l", -1, err)
	}
}
