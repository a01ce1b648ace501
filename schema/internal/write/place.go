package write

import (
	"pakdb/schema/internal/record"
)

// placer makes the rows of archive_place of an archive, from its entries in the order of
// their rows. The zero value has an archive to be set, and no entries.
type placer struct {
	now     Located // whose offsets are being packed
	offsets record.OffsetPacker
}

// note says where the next entry lies, whose row is given.
func (p *placer) note(b *Batch, e *Row, row int64) {
	if p.offsets.Len() == 1 && e.Ordinal == p.now.Ordinal+1 {
		p.now.Step = row - p.now.Row
	}
	if p.offsets.Len() > 0 && (p.offsets.Len() == record.MaxOffsets || p.now.Ordinal+(row-p.now.Row)/p.now.Step != e.Ordinal) {
		p.end(b)
	}
	if p.offsets.Len() == 0 {
		p.now.Row, p.now.Ordinal, p.now.Step = row, e.Ordinal, 1<<record.RowBits
	}
	p.offsets.Add(e.Offset, e.Stored)
}

// end adds the row that is being made to the batch.
func (p *placer) end(b *Batch) {
	if p.offsets.Len() > 0 {
		p.now.Offsets = p.offsets.Pack()
		b.Located = append(b.Located, p.now)
	}
}
