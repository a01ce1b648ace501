package store

import (
	"context"
	"runtime"

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
	leastFine = 512     // bytes in common that make an origin
	mostFine  = 1 << 20 // pieces that are remembered; of larger builds one in two, four ...
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

// pieces of the contents of an earlier build, by which similar ones are found.
type fineIndex struct {
	list []named
	at   map[uint64]int32 // in the list: the first that has a piece
	mask uint64           // of ids that are not remembered
}

// newFineIndex reads the contents of an earlier build.
func newFineIndex(ctx context.Context, s *storeReader, list []named) (*fineIndex, error) {
	x := &fineIndex{list: list, at: map[uint64]int32{}}
	total := int64(0)
	for _, n := range list {
		total += n.size
	}
	for total>>fineBits/int64(x.mask+1) > mostFine {
		x.mask = x.mask<<1 | 1
	}
	type look struct {
		i   int32
		has []uint64
		err error
	}
	all := func(yield func(*look, error) bool) {
		for i, n := range list {
			if n.size > 0 && n.size <= maxCoded && !yield(&look{i: int32(i)}, nil) {
				return
			}
		}
	}
	work := func(_ context.Context, l *look) {
		var b []byte
		if b, l.err = s.content(list[l.i].key, list[l.i].size); l.err != nil {
			return
		}
		fine(b, func(id uint64, _ int) {
			if id&x.mask == 0 {
				l.has = append(l.has, id)
			}
		})
	}
	workers := runtime.GOMAXPROCS(0)
	err := ordered.Do(ctx, all, workers, 2*workers, work, func(l *look) error {
		for _, id := range l.has {
			if _, there := x.at[id]; !there {
				x.at[id] = l.i
			}
		}
		return l.err
	}, func(*look) {})
	return x, err
}

// origin returns the content that has most of b.
func (x *fineIndex) origin(b []byte) (named, bool) {
	score := map[int32]int{}
	fine(b, func(id uint64, n int) {
		if i, ok := x.at[id]; ok {
			score[i] += n
		}
	})
	best, most := int32(-1), leastFine-1
	for i, n := range score {
		if n > most || n == most && i < best {
			best, most = i, n
		}
	}
	if best < 0 {
		return named{}, false
	}
	return x.list[best], true
}
