package edition

import (
	"math"

	"pakdb/schema/internal/batch"
	"pakdb/schema/internal/record"
)

// shifts makes the rows of archive_shift of an edition, from what each of its entries
// says in the order of the rows. The zero value has an archive to be set, and no entries.
type shifts struct {
	archive           int64
	row               int64 // of the last entry
	ordinals, offsets int64 // by how much those of the last entry differ
	first             batch.Shift
	parts             []record.Part // behind first
}

// maxParts is how many places a row of archive_shift tells of besides the first one.
// Each look-up of an offset goes through some of them.
const maxParts = 63

// note says by how much the ordinal and the offset of an entry differ from those of its row.
func (s *shifts) note(b *batch.Batch, row, ordinals, offsets int64) {
	before := s.row
	s.row = row
	if ordinals == s.ordinals && offsets == s.offsets {
		return
	}
	begin := row
	if even := row >> RowBits << RowBits; even > before { // no entry lies between
		begin = even
	}
	at := begin>>RowBits - s.first.Row>>RowBits
	if s.first.Row == 0 || ordinals != s.ordinals || begin&(1<<RowBits-1) != 0 || at > math.MaxUint16 || len(s.parts) == maxParts {
		s.end(b)
		s.first = batch.Shift{Archive: s.archive, Row: begin, Ordinals: ordinals, Offsets: offsets}
	} else {
		s.parts = append(s.parts, record.Part{At: uint16(at), More: offsets - s.first.Offsets})
	}
	s.ordinals, s.offsets = ordinals, offsets
}

// end adds the row that is being made to the batch.
func (s *shifts) end(b *batch.Batch) {
	if s.first.Row == 0 {
		return
	}
	s.first.Width, s.first.Parts = record.PackParts(s.parts)
	b.Shifts = append(b.Shifts, s.first)
	s.first, s.parts = batch.Shift{}, s.parts[:0]
}
