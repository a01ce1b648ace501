package indexer

import (
	"context"

	"pakdb/codecs"
	"pakdb/internal/asset"
	"pakdb/schema"
)

// An archive that continues one of an earlier build has most of its entries as that had
// them. Where it states a SHA-1 of their stored bytes, these are hashed, and nothing is
// decoded, inspected or named again that has the row it had.

// before is what an archive continues.
type before struct {
	edition *schema.Edition
	sums    codecs.SumChecker // nil: every entry is read
}

// isSame reports whether the edition before has the entry as it is, and its stored bytes
// are those that the archive states. It fills in the Sum and the Same of the row. When the
// bytes differ the entry is read, which finds the fault.
func (w *worker) isSame(ctx context.Context, c *chunk, it item, row *schema.Entry) bool {
	e, edition := it.entry, c.from.before.edition
	sum := c.from.sumOf(e)
	if c.from.before.sums == nil || sum.Kind != codecs.SHA1Stored || e.Flags&codecs.Nested != 0 {
		return false
	}
	row.Sum = sum.Bytes
	_, _, part := asset.Split(e.Name)
	if header := c.same[it.header]; part != asset.Body {
		row.Same = edition.Find(row, c.place)
	} else if header.Row != 0 { // otherwise its exports may mean something else now
		row.Same = edition.FindBody(row, header)
	}
	if row.Same.Row == 0 || c.from.before.checkSum(ctx, c.from.src.Name, e) != nil {
		row.Sum, row.Same = nil, schema.Same{}
		return false
	}
	c.place = row.Same.Place
	if part == asset.Header {
		if c.same == nil {
			c.same = map[*codecs.Entry]schema.Same{}
		}
		c.same[e] = row.Same
	}
	return true
}

func (b *before) checkSum(ctx context.Context, name string, e *codecs.Entry) (err error) {
	defer guard(&err, name)
	return b.sums.CheckSum(ctx, e)
}
