package rows

import (
	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/record"
)

// shifts says where the entries of a later edition are: archive_shift.
type shifts struct {
	*reader
	archive *Archive
	cursor  *btree.Cursor
	now     shift
	next    shift
	more    bool // there is a next one
}

type shift struct {
	row, ordinals, offsets, width int64
	parts                         []byte
	none                          bool // offsets have no parts
}

func (s *shifts) begin() error {
	s.now.none = true
	if s.archive.edition == 0 {
		return nil
	}
	s.cursor = s.reader.shifts.Cursor()
	if err := s.cursor.From(s.archive.id, -1<<63); err != nil {
		return err
	}
	return s.step()
}

// step reads the next row.
func (s *shifts) step() error {
	v, err := s.cursor.Next()
	s.more = false
	if err != nil || v == nil || s.cursor.Key() != s.archive.id {
		return err
	}
	s.more = true
	s.next = shift{v[0].Int, v[1].Int, v[2].Int, v[3].Int, append(s.next.parts[:0], v[4].Bytes...), v[4].Kind == btree.Null}
	return nil
}

// apply sets the ordinal of an entry, and moves it to where it is in the edition. Entries come
// in the order of rows.
func (s *shifts) apply(e *Row) error {
	e.Ordinal = e.Row>>s.archive.bits - s.archive.base
	if s.archive.edition == 0 {
		return nil
	}
	for s.more && s.next.row <= e.Row {
		s.now, s.next = s.next, s.now
		if err := s.step(); err != nil {
			return err
		}
	}
	e.Ordinal += s.now.ordinals
	if e.Offset < 0 {
		return nil
	}
	e.Offset += s.now.offsets
	if s.now.none {
		return nil
	}
	more, err := record.MoreAt(s.now.parts, s.now.width, e.Row>>s.archive.bits-s.now.row>>s.archive.bits)
	if err != nil {
		return unusual("%v", err)
	}
	e.Offset += more
	return nil
}
