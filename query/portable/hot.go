package portable

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"pakdb/schema"
	"pakdb/schema/rows"
)

// hot are the views whose rows are made past SQL, for they are most of a build. Their columns
// say a second time what the views of the catalog say; a test compares all rows of both.
var hot = map[string]*hotView{
	"entries": {columns: entryColumns, late: []string{"build", "dir", "name"}, want: rows.Want{Paths: true},
		takes: func(*rows.Entry) bool { return true }},
	"files": {columns: fileColumns, late: []string{"build"}, want: rows.Want{Paths: true, Files: true},
		takes: func(e *rows.Entry) bool { return e.Seen }},
	"contents": {columns: contentColumns, late: []string{"build"}, counts: true,
		takes: func(e *rows.Entry) bool { return e.Content != nil }},
}

// hotView is how the rows of a view are made of entries.
type hotView struct {
	want    rows.Want
	takes   func(*rows.Entry) bool // an entry is a row
	columns map[string]func(*maker, *rows.Entry, *Cell)
	late    []string // columns that are made of others when rows are sorted
	counts  bool     // entries of one content are one row, whose last column is their number
}

// maker makes the rows of a view.
type maker struct {
	*hotView
	columns []func(*maker, *rows.Entry, *Cell) // in the order of the view; nil: made late
	cells   []Cell
	sorter  *sorter
	scratch []byte // of the cells
	ctx     context.Context
	db      *sql.DB
	err     error
}

func (h *hotView) maker(ctx context.Context, db *sql.DB, v *View, memory int) (*maker, error) {
	m := &maker{hotView: h, ctx: ctx, db: db, cells: make([]Cell, len(v.Columns))}
	for _, c := range v.Columns {
		m.columns = append(m.columns, h.columns[c.Name])
	}
	var err error
	m.sorter, err = newSorter(v, memory, len(v.Order), h.late...)
	return m, err
}

// add takes an entry.
func (m *maker) add(e *rows.Entry) error {
	if !m.takes(e) {
		return nil
	}
	m.scratch = m.scratch[:0]
	for i, column := range m.columns {
		if column != nil {
			column(m, e, &m.cells[i])
		}
	}
	if m.err != nil {
		return m.err
	}
	return m.sorter.add(m.cells)
}

// give calls row for the sorted rows.
func (m *maker) give(ctx context.Context, build string, row func([]Cell) error) error {
	cells := make([]Cell, len(m.cells))
	cells[0] = TextCell(build)
	if m.counts {
		return m.sorter.counted(ctx, cells, row)
	}
	paths := len(m.late) > 1
	return m.sorter.records(ctx, func(b []byte) error {
		m.sorter.record.decode(b, cells)
		if paths {
			splitPath(&cells[3], &cells[4], &cells[5])
		}
		return row(cells)
	})
}

// splitPath sets folder and name of a path.
func splitPath(path, dir, name *Cell) {
	if path.Kind == CellNull {
		dir.setNull()
		name.setNull()
		return
	}
	i := bytes.LastIndexByte(path.Bytes, '/')
	if dir.setText(path.Bytes[:max(i, 0)]); i == 0 {
		dir.setText(path.Bytes[:1]) // the root
	}
	name.setText(path.Bytes[i+1:])
}

// counted calls row once for equal records, with their number in the last column.
func (s *sorter) counted(ctx context.Context, cells []Cell, row func([]Cell) error) error {
	var last []byte
	n := int64(0)
	give := func() error {
		if n == 0 {
			return nil
		}
		s.record.decode(last, cells)
		cells[len(cells)-1].setInt(n)
		return row(cells)
	}
	err := s.records(ctx, func(b []byte) error {
		if n > 0 && bytes.Equal(b, last) {
			n++
			return nil
		}
		if err := give(); err != nil {
			return err
		}
		last, n = append(last[:0], b...), 1
		return nil
	})
	if err != nil {
		return err
	}
	return give()
}

// keep adds to the scratch bytes and returns the part that is new. What was kept before stays
// where it is.
func (m *maker) keep(add func([]byte) []byte) []byte {
	start := len(m.scratch)
	m.scratch = add(m.scratch)
	return m.scratch[start:]
}

func textOrNull(c *Cell, b []byte) {
	if b == nil {
		c.setNull()
	} else {
		c.setText(b)
	}
}

func (m *maker) path(c *Cell, root []byte, p *rows.Path) {
	if p == nil {
		c.setNull()
		return
	}
	c.setText(m.keep(func(b []byte) []byte { return append(append(append(b, root...), p.Prefix...), p.Name...) }))
}

func hexOrNull(c *Cell, b []byte) {
	if b == nil {
		c.setNull()
	} else {
		c.setHex(b)
	}
}

const hexDigits = "0123456789abcdef"

// number appends a number as printf does with %016x, or with fewer digits at least.
func number(b []byte, n *int64, digits int) []byte {
	v := uint64(0)
	if n != nil {
		v = uint64(*n)
	}
	for ; digits < 16 && v>>(4*digits) != 0; digits++ {
	}
	for digits--; digits >= 0; digits-- {
		b = append(b, hexDigits[v>>(4*digits)&15])
	}
	return b
}

// asset sets the id of an asset.
func (m *maker) asset(c *Cell, e *rows.Entry) {
	if e.IDBits == nil {
		c.setNull()
		return
	}
	switch *e.IDBits {
	case 32:
		c.setText(m.keep(func(b []byte) []byte { return number(b, e.ID, 8) }))
	case 64:
		c.setText(m.keep(func(b []byte) []byte { return number(b, e.ID, 16) }))
	case 96:
		c.setText(m.keep(func(b []byte) []byte { return number(number(b, e.IDHigh, 8), e.ID, 16) }))
	case 128:
		c.setText(m.keep(func(b []byte) []byte { return number(number(b, e.IDHigh, 16), e.ID, 16) }))
	default:
		c.setNull()
	}
}

// Seconds of the years 0 to 9999, whose times everybody writes alike.
const (
	firstSecond = -62167219200
	lastSecond  = 253402300799
)

// time sets a time as SQLite's datetime says it.
func (m *maker) time(c *Cell, seconds *int64) {
	switch {
	case seconds == nil:
		c.setNull()
	case *seconds >= firstSecond && *seconds <= lastSecond:
		c.setText(m.keep(func(b []byte) []byte { return time.Unix(*seconds, 0).UTC().AppendFormat(b, time.DateTime) }))
	default:
		c.setNull()
		err := schema.EachRow(m.ctx, m.db, "SELECT datetime(?1, 'unixepoch')", []driver.Value{*seconds}, func(v []driver.Value) {
			if text, ok := v[0].(string); ok {
				*c = TextCell(text)
			}
		})
		m.err = errors.Join(m.err, err)
	}
}

var entryColumns = map[string]func(*maker, *rows.Entry, *Cell){
	"archive": func(_ *maker, e *rows.Entry, c *Cell) { c.setText(e.Archive.Name) },
	"ordinal": func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Ordinal) },
	"path":    func(m *maker, e *rows.Entry, c *Cell) { m.path(c, nil, e.Path) },
	"ext": func(_ *maker, e *rows.Entry, c *Cell) {
		if e.Path == nil {
			c.setNull()
		} else {
			c.setText(e.Path.Ext)
		}
	},
	"type":     func(_ *maker, e *rows.Entry, c *Cell) { textOrNull(c, e.Type) },
	"asset_id": func(m *maker, e *rows.Entry, c *Cell) { m.asset(c, e) },
	"path_hash": func(m *maker, e *rows.Entry, c *Cell) {
		if e.PathHash == nil {
			c.setNull()
		} else {
			c.setText(m.keep(func(b []byte) []byte { return number(b, e.PathHash, 16) }))
		}
	},
	"offset":    func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Offset) },
	"stored":    func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Stored) },
	"size":      func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Size) },
	"method":    func(_ *maker, e *rows.Entry, c *Cell) { c.setText(e.Method) },
	"encrypted": func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Flags & 1) },
	"deleted":   func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Flags >> 1 & 1) },
	"mtime":     func(m *maker, e *rows.Entry, c *Cell) { m.time(c, e.Mtime) },
	"content":   contentHash,
	"kind": func(_ *maker, e *rows.Entry, c *Cell) {
		if e.Content == nil {
			c.setNull()
		} else {
			textOrNull(c, e.Content.Kind)
		}
	},
	"padded_content": func(_ *maker, e *rows.Entry, c *Cell) { hexOrNull(c, e.Padded) },
	"nested":         func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Flags >> 3 & 1) },
}

func contentHash(_ *maker, e *rows.Entry, c *Cell) {
	if e.Content == nil {
		c.setNull()
	} else {
		c.setHex(e.Content.Hash)
	}
}

var fileColumns = map[string]func(*maker, *rows.Entry, *Cell){
	"path":           func(m *maker, e *rows.Entry, c *Cell) { m.path(c, nil, e.GamePath) },
	"archive":        entryColumns["archive"],
	"ordinal":        entryColumns["ordinal"],
	"size":           entryColumns["size"],
	"content":        contentHash,
	"shadowed_count": func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Shadowed) },
	"mount_point":    func(_ *maker, e *rows.Entry, c *Cell) { c.setText(e.Archive.MountPoint) },
	"mount_order":    func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Archive.MountOrder) },
	"file_key":       func(_ *maker, e *rows.Entry, c *Cell) { hexOrNull(c, e.FileKey) },
	"mount":          func(_ *maker, e *rows.Entry, c *Cell) { c.setText(e.Archive.Mount) },
	"game_path":      func(m *maker, e *rows.Entry, c *Cell) { m.path(c, e.Root, e.GamePath) },
}

// Contents are counted by their numbers, which take the place of the count until then.
var contentColumns = map[string]func(*maker, *rows.Entry, *Cell){
	"content":     contentHash,
	"size":        func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Content.Size) },
	"kind":        entryColumns["kind"],
	"entry_count": func(_ *maker, e *rows.Entry, c *Cell) { c.setInt(e.Content.ID) },
}
