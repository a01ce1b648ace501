package rows

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// places says where the entries of an archive are: archive_place.
type places struct {
	*reader
	archive *Archive
	cursor  *btree.Cursor
	now     place // that holds, without its offsets
	offsets record.Offsets
	next    place
	more    bool // there is a next one
}

type place struct {
	row, ordinal, step int64
	offsets            []byte
}

func (p *places) begin(row int64) error {
	p.cursor = p.reader.places.Cursor()
	if err := p.cursor.From(p.archive.id, row); err != nil {
		return err
	}
	return p.step()
}

// step reads the next row.
func (p *places) step() error {
	v, err := p.cursor.Next()
	p.more = false
	if err != nil || v == nil || p.cursor.Key() != p.archive.id {
		return err
	}
	p.more = true
	p.next = place{v[0].Int, v[1].Int, v[2].Int, append(p.next.offsets[:0], v[3].Bytes...)}
	if p.next.step < 1 {
		return damaged("x_archive_place.step: %d", p.next.step)
	}
	return nil
}

// apply sets the ordinal and the offset of an entry. Entries come in the order of rows, and
// none is left out.
func (p *places) apply(e *Row) error {
	for p.more && p.next.row <= e.Row {
		if err := p.end(); err != nil {
			return err
		}
		p.now = place{row: p.next.row, ordinal: p.next.ordinal, step: p.next.step}
		if err := p.offsets.Reset(p.next.offsets); err != nil {
			return damaged("%v", err)
		}
		if err := p.step(); err != nil {
			return err
		}
	}
	if p.now.step == 0 {
		return damaged("x_entry_row.row: %d has no place in archive %d", e.Row, p.archive.id)
	}
	e.Ordinal = p.now.ordinal + (e.Row-p.now.row)/p.now.step
	offset, err := p.offsets.Next(e.Stored.Stored)
	if err != nil {
		return damaged("%v", err)
	}
	e.Offset = offset
	return nil
}

// end checks that there is no offset after the last entry of a place.
func (p *places) end() error {
	if p.offsets.More() {
		return damaged("archive %d has more offsets than entries", p.archive.id)
	}
	return nil
}

// Offsets finds the offsets of single entries. Those near each other in an archive are read
// at once.
type Offsets struct {
	*reader
	archives map[int64]*Archive
	recent   []*located // the last that were used
}

// located are the offsets of some entries of an archive, by their rows.
type located struct {
	archive       int64
	rows, offsets []int64
}

// maxRecent is how many of these are kept.
const maxRecent = 64

// NewOffsets returns the offsets of a catalog.
func NewOffsets(ctx context.Context, s *conn.Statements) (*Offsets, error) {
	o := &Offsets{reader: &reader{ctx: ctx, s: s}, archives: map[int64]*Archive{}}
	return o, o.open()
}

// Locate calls do with a function that returns the offset of an entry, by its archive and
// its row; -1 is no place. What do does is to be short.
func Locate(ctx context.Context, db *sql.DB, do func(at func(archive, row int64) (int64, error)) error) error {
	return reading(ctx, db, func(r *reader) error {
		o, err := NewOffsets(ctx, r.s)
		if err != nil {
			return err
		}
		return do(o.At)
	})
}

// At returns the offset of the entry that an archive has in a row; -1 is no place.
func (o *Offsets) At(archive, row int64) (int64, error) {
	for i, l := range o.recent {
		if l.archive != archive || row < l.rows[0] || row > l.rows[len(l.rows)-1] {
			continue
		}
		copy(o.recent[1:i+1], o.recent[:i])
		o.recent[0] = l
		return l.at(row)
	}
	l, err := o.read(archive, row)
	if err != nil {
		return 0, err
	}
	o.recent = slices.Insert(o.recent[:min(len(o.recent), maxRecent-1)], 0, l)
	return l.at(row)
}

func (l *located) at(row int64) (int64, error) {
	i, ok := slices.BinarySearch(l.rows, row)
	if !ok {
		return 0, damaged("archive %d has no row %d", l.archive, row)
	}
	return l.offsets[i], nil
}

// read reads the offsets that are packed with that of a row.
func (o *Offsets) read(archive, row int64) (*located, error) {
	a := o.archives[archive]
	if a == nil {
		var err error
		if a, err = o.archive(archive); err != nil {
			return nil, err
		}
		o.archives[archive] = a
	}
	first := row
	err := o.s.EachRow(o.ctx, "SELECT max(row) FROM main.x_archive_place WHERE archive_id = ?1 AND row <= ?2", []driver.Value{archive, row},
		func(v []driver.Value) { first, _ = v[0].(int64) })
	if err != nil {
		return nil, err
	}
	l := &located{archive: archive}
	scanner := &Scanner{r: o.reader}
	for err = scanner.begin([]*Archive{a}, first); err == nil; {
		var e *Row
		if e, err = scanner.Next(); err != nil || e == nil || scanner.places[0].now.row != first {
			break
		}
		l.rows, l.offsets = append(l.rows, e.Row), append(l.offsets, e.Offset)
	}
	if err == nil && len(l.rows) == 0 {
		err = damaged("archive %d has no offset of row %d", archive, row)
	}
	return l, err
}
