package program

import (
	"fmt"
	"math"

	"pakdb/diff/ship/delta"
)

// A patch of a few bytes could have the same block decoded again for every byte,
// or megabytes of zeros coded again for nothing. What may be decoded and coded
// again is bounded by the sizes that the header declares. Real archives have 2 to
// 10 bytes of content for a stored one; the floor is for small ones that have
// more.
//
// A stream of the coder says the same thing again for next to nothing, so that what
// does little counts as well: a kilobyte of a patch could have a hundred million
// operations.
const (
	workRatio = 64
	workFloor = 1 << 30
	fileWork  = 64      // that a file counts for beside its bytes: it takes operations, however small
	opCost    = 1 << 10 // of an operation, and of a block that is coded again
	itemCost  = 32      // of a range, a piece of tables, or a step of a prediction
)

// work counts bytes of content that are decoded from old blocks, or coded again,
// and what else a patch asks for. The zero value has no bound.
type work struct {
	done  int64
	limit int64
}

// WorkFor is what applying a patch may take.
func WorkFor(h *delta.Header) work {
	sum := uint64(0)
	for _, files := range [][]delta.File{h.Old, h.New} {
		for _, f := range files {
			sum = min(sum+uint64(f.Size)+fileWork, math.MaxInt64/(2*workRatio))
		}
	}
	return work{limit: int64(workRatio*sum) + workFloor}
}

// spend is called before n bytes are decoded, or coded again, or what costs as much
// is done.
func (w *work) spend(n int64) error {
	if w.done += n; w.limit > 0 && w.done > w.limit {
		return fmt.Errorf("%w: more than %d bytes would be decoded and coded again, or as much be done", delta.ErrCorrupt, w.limit)
	}
	return nil
}
