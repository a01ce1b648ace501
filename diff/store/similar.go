package store

import (
	"context"
	"runtime"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/internal/ordered"
)

// Contents whose names tell nothing, since they were renamed, moved and edited,
// or made of parts of others, are paired by what they have in common: pieces of
// about 1 KiB that end where their own bytes say so.
const (
	minFine   = 256
	maxFine   = 8 << 10
	fineBits  = 10
	leastFine = 512 // bytes in common that make an origin
)

// fine calls use for the pieces of a content.
func fine(b []byte, use func(id uint64, n int)) {
	for len(b) > 0 {
		n, h := min(len(b), maxFine), uint64(0)
		for i := minFine - 64; i < n; i++ {
			if h = h<<1 + gear[b[i]]; i >= minFine && h>>(64-fineBits) == 0 {
				n = i + 1
				break
			}
		}
		sum := blake3.Sum256(b[:n])
		use(key(sum[:16]).short(), n)
		b = b[n:]
	}
}

// common is how many bytes of a piece a content has in common with others.
type common struct {
	id uint64
	n  int
}

// similar finds the origin of each of the pairs: the old content that has most of
// it. It reads all contents of the earlier build, unless there is nothing to
// find an origin for.
func (d *deltaMaker) similar(ctx context.Context, pairs []*pair, before *earlierContents) error {
	wanted := map[uint64][]int{} // pieces, and which of the pairs have them
	if len(pairs) == 0 {
		return nil
	}
	for i, p := range pairs {
		b, err := d.s.content(p.new.key, p.new.size)
		if err != nil {
			return err
		}
		fine(b, func(id uint64, _ int) { wanted[id] = append(wanted[id], i) })
	}
	type look struct {
		named
		has []common
		err error
	}
	all := func(yield func(*look, error) bool) {
		for _, n := range before.list {
			if n.size > 0 && n.size <= maxCoded && !yield(&look{named: n}, nil) {
				return
			}
		}
	}
	work := func(_ context.Context, l *look) {
		var b []byte
		if b, l.err = d.s.content(l.key, l.size); l.err != nil {
			return
		}
		fine(b, func(id uint64, n int) {
			if len(wanted[id]) > 0 {
				l.has = append(l.has, common{id, n})
			}
		})
	}
	best := make([]int, len(pairs))
	workers := runtime.GOMAXPROCS(0)
	return ordered.Do(ctx, all, workers, 2*workers, work, func(l *look) error {
		score := map[int]int{}
		for _, c := range l.has {
			for _, i := range slices.Compact(slices.Clone(wanted[c.id])) {
				score[i] += c.n
			}
		}
		for i, n := range score {
			if n >= leastFine && n > best[i] {
				best[i], pairs[i].old = n, l.named
			}
		}
		return l.err
	}, func(*look) {})
}
