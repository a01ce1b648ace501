package patch

import (
	"cmp"
	"context"
	"hash/crc32"
	"slices"

	"pakdb/codecs/compress"
)

// Chunks are what content is recognised by wherever it stands: they end where
// the bytes themselves say so (a gear hash), so that an insertion moves the ends
// around it and no others.
const (
	minChunk  = 512
	maxChunk  = 16 << 10
	chunkBits = 10 // an end in 1,024 positions, from minChunk on
)

// gear holds a random number for each byte, from SplitMix64.
var gear = func() (t [256]uint64) {
	s := uint64(1)
	for i := range t {
		s += 0x9e3779b97f4a7c15
		z := (s ^ s>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		t[i] = z ^ z>>31
	}
	return t
}()

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunks calls do with the place, the length and the hash of each chunk of p.
func chunks(p []byte, do func(at, n int, hash uint32)) {
	for at := 0; at < len(p); {
		n := cut(p[at:])
		do(at, n, crc32.Checksum(p[at:at+n], castagnoli))
		at += n
	}
}

func cut(p []byte) int {
	p = p[:min(len(p), maxChunk)]
	if len(p) <= minChunk {
		return len(p)
	}
	h := uint64(0)
	for _, c := range p[minChunk-64 : minChunk] {
		h = h<<1 + gear[c]
	}
	for i, c := range p[minChunk:] {
		if h = h<<1 + gear[c]; h>>(64-chunkBits) == 0 {
			return minChunk + i + 1
		}
	}
	return len(p)
}

// chunkPlace is where a chunk stands in the old build.
type chunkPlace struct {
	entry int32
	at    int64 // in the entry's content
}

// chunkIndex finds old content by its chunks.
type chunkIndex struct {
	places map[uint32]chunkPlace // the first of each
}

// maxIndexed is how much old content is decoded to be found anywhere: all of most
// builds. Beyond it only that which the new build has not as a whole is.
const maxIndexed = 2 << 30

// newChunkIndex decodes the old build's entries. copied says which of them the
// new build has stored as they are; they come last.
func newChunkIndex(ctx context.Context, old *build, copied func(*entry) bool) (*chunkIndex, error) {
	x := &chunkIndex{places: map[uint32]chunkPlace{}}
	total := int64(0)
	for _, again := range []bool{false, true} {
		for i := range old.entries {
			e := &old.entries[i]
			if copied(e) != again || again && total > maxIndexed {
				continue
			}
			n, err := x.add(ctx, old, int32(i))
			if err != nil {
				return nil, err
			}
			total += n
		}
	}
	return x, nil
}

// maxPart is how much of a content is in memory at once.
const maxPart = 4 << 20

func (x *chunkIndex) add(ctx context.Context, old *build, id int32) (total int64, err error) {
	e := &old.entries[id]
	l := &old.files[e.file]
	var part []byte
	flush := func() {
		chunks(part, func(at, n int, hash uint32) {
			if _, there := x.places[hash]; !there && n >= minChunk {
				x.places[hash] = chunkPlace{id, total - int64(len(part)) + int64(at)}
			}
		})
		part = part[:0]
	}
	extents := l.extents[e.first : e.first+e.count]
	for i := range extents {
		k := &extents[i]
		for at := int64(0); at < k.coded; {
			if err := ctx.Err(); err != nil {
				return total, err
			}
			n := k.coded - at
			if k.method == compress.None {
				n = min(n, maxPart)
			}
			p, err := l.read(k.off+at, n)
			if err != nil {
				return total, err
			}
			at += n
			watcher(ctx).add(n)
			if k.method != compress.None {
				content := make([]byte, k.size)
				if compress.Decode(k.method, content, p) != nil {
					k.method, k.size, content = compress.None, k.coded, p // not what the archive says
				}
				p = content
			}
			part, total = append(part, p...), total+int64(len(p))
			if len(part) >= maxPart {
				flush()
			}
		}
	}
	flush()
	return total, nil
}

// elsewhere is a run of content that stands in another old entry.
type elsewhere struct {
	entry    int32
	from, to int64 // in its content
	n        int64 // of this content that it has
}

const (
	minMoved    = 8 << 10 // of content that another entry must have, unless there is none to start from
	maxElse     = 8       // runs that are taken into a source
	maxElseSize = 8 << 20 // of each
)

// find returns where content stands that is not in a window of the old entry own,
// the most first. known, which may be nil, are chunks that are not asked for.
func (x *chunkIndex) find(content []byte, own window, known map[uint32]bool) (runs []elsewhere) {
	byEntry := map[int32]int{}
	chunks(content, func(_, n int, hash uint32) {
		p, ok := x.places[hash]
		if !ok || known[hash] || p.entry == own.entry && p.at >= own.from && p.at < own.to {
			return
		}
		if i, seen := byEntry[p.entry]; seen {
			r := &runs[i]
			if from, to := min(r.from, p.at), max(r.to, p.at+int64(n)); to-from <= maxElseSize {
				r.from, r.to, r.n = from, to, r.n+int64(n)
				return
			}
		}
		byEntry[p.entry] = len(runs)
		runs = append(runs, elsewhere{p.entry, p.at, p.at + int64(n), int64(n)})
	})
	least := int64(minMoved)
	if own.entry < 0 {
		least = minChunk
	}
	runs = slices.DeleteFunc(runs, func(r elsewhere) bool { return r.n < least })
	slices.SortStableFunc(runs, func(a, b elsewhere) int { return cmp.Compare(b.n, a.n) })
	return runs[:min(len(runs), maxElse)]
}

// window is a part of an old entry's content.
type window struct {
	entry    int32 // -1: none
	from, to int64
}
