package rows

import (
	"pakdb/schema/internal/btree"
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

func (p *places) begin() error {
	p.cursor = p.reader.places.Cursor()
	if err := p.cursor.From(p.archive.id, -1<<63); err != nil {
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
