package publish

import (
	"context"
	"runtime"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/store"
	"pakdb/internal/process"
)

// pastContents whose names tell nothing, since they were renamed, moved and edited,
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
		n := store.Rolling.Cut(b[:min(len(b), maxFine)], minFine, fineBits)
		sum := blake3.Sum256(b[:n])
		use(store.Key(sum[:16]).Short(), n)
		b = b[n:]
	}
}

// pieces of the contents of an earlier build, by which similar ones are found.
type fineIndex struct {
	list []store.Named
	at   map[uint64]int32 // in the list: the first that has a piece
	mask uint64           // of ids that are not remembered
}

// newFineIndex reads the contents of an earlier build.
func newFineIndex(ctx context.Context, s *store.StoreReader, list []store.Named) (*fineIndex, error) {
	x := &fineIndex{list: list, at: map[uint64]int32{}}
	total := int64(0)
	for _, n := range list {
		total += n.Size
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
			if n.Size > 0 && n.Size <= store.MaxCoded && !yield(&look{i: int32(i)}, nil) {
				return
			}
		}
	}
	work := func(_ context.Context, l *look) {
		var b []byte
		if b, l.err = s.Content(list[l.i].Key, list[l.i].Size); l.err != nil {
			return
		}
		fine(b, func(id uint64, _ int) {
			if id&x.mask == 0 {
				l.has = append(l.has, id)
			}
		})
	}
	workers := runtime.GOMAXPROCS(0)
	err := process.InOrder(ctx, all, workers, 2*workers, work, func(l *look) error {
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
func (x *fineIndex) origin(b []byte) (store.Named, bool) {
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
		return store.Named{}, false
	}
	return x.list[best], true
}
