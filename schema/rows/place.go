package rows

import (
	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/record"
)

// places says where the entries of an archive are: archive_place.
type places struct {
	*reader
	archive  *Archive
	cursor   *btree.Cursor
	ordinals int64 // of the place that holds
	offsets  record.Offsets
	next     place
	more     bool // there is a next one
}

type place struct {
	row, ordinals int64
	offsets       []byte
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
	p.next = place{v[0].Int, v[1].Int, append(p.next.offsets[:0], v[2].Bytes...)}
	return nil
}

// apply sets the ordinal and the offset of an entry. Entries come in the order of rows, and
// none is left out.
func (p *places) apply(e *Row) error {
	for p.more && p.next.row <= e.Row {
		p.ordinals = p.next.ordinals
		if err := p.offsets.Reset(p.next.offsets); err != nil {
			return unusual("%v", err)
		}
		if err := p.step(); err != nil {
			return err
		}
	}
	e.Ordinal = record.OrdinalOf(e.Row) + p.ordinals
	offset, err := p.offsets.Next(e.Stored.Stored)
	if err != nil {
		return unusual("%v", err)
	}
	e.Offset = offset
	return nil
}
