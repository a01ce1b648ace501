// Package sketch makes short fingerprints of contents that find similar ones.
//
// A content is cut into chunks where its own bytes say so: an insertion moves
// the cuts around it and no others. Each chunk has a hash of 32 bits, and the
// sketch is the smallest 32 of them, without repeats: a fair sample of the set
// of chunks, so that two sketches show how much the two sets have in common
// (bottom-k sampling).
//
// A chunk has 512 bytes or more and ends by a gear hash (internal/gear); it has
// 1.5 KiB on average. Chunks are hashed with CRC-32C, which processors compute,
// and a bijective mix after it.
package sketch

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"pakdb/internal/gear"
)

const (
	// MinSize is the size from which on a content has a sketch: a smaller one
	// has too few chunks to compare.
	MinSize = 4 << 10
	// Size is how many hashes a sketch holds at most.
	Size = 32

	// Chunk is how many bytes a chunk has on average.
	Chunk = minChunk + 1<<cutBits

	minChunk = 512
	maxChunk = 8 << 10
	cutBits  = 10 // an end in 1,024 positions
)

// Sketch is sorted, smallest first, without repeats.
type Sketch []uint32

// Builder makes a sketch of what is written to it. The zero value is ready.
type Builder struct {
	rest   []byte // not cut yet
	lowest Sketch
}

// blockSize bounds what a Builder holds of a content.
const blockSize = 64 << 10

// Write never fails.
func (b *Builder) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		take := min(len(p), blockSize-len(b.rest))
		b.rest = append(b.rest, p[:take]...)
		p = p[take:]
		if len(b.rest) == blockSize {
			done := b.cutAll(b.rest, false)
			b.rest = append(b.rest[:0], b.rest[done:]...)
		}
	}
	return n, nil
}

// Sketch ends the content and returns its sketch.
func (b *Builder) Sketch() Sketch {
	b.cutAll(b.rest, true)
	b.rest = b.rest[:0]
	return b.lowest
}

// Of returns the sketch of a content.
func Of(content []byte) Sketch {
	var b Builder
	b.cutAll(content, true)
	return b.lowest
}

// cutAll cuts chunks off p and returns how many bytes they are. A chunk at the
// end may go on in what follows, unless p ends the content.
func (b *Builder) cutAll(p []byte, end bool) (done int) {
	for len(p)-done >= maxChunk || end && done < len(p) {
		n := cut(p[done:])
		b.add(mix(crc32.Checksum(p[done:done+n], castagnoli)))
		done += n
	}
	return done
}

// rolling is the table of the gear hash. Sketches in catalogs depend on it.
var rolling = gear.Mixed(0)

// cut returns the length of the first chunk.
func cut(p []byte) int { return rolling.Cut(p[:min(len(p), maxChunk)], minChunk, cutBits) }

func (b *Builder) add(h uint32) {
	if len(b.lowest) == Size && h >= b.lowest[Size-1] {
		return
	}
	i, found := slices.BinarySearch(b.lowest, h)
	if found {
		return
	}
	if len(b.lowest) == Size {
		b.lowest = b.lowest[:Size-1]
	}
	b.lowest = slices.Insert(b.lowest, i, h)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mix is the finalizer of MurmurHash3: it makes small values as likely in any
// place, which those of a CRC are not.
func mix(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// Common estimates, from two sketches, which share of the chunks of both
// together both have: the Jaccard index, 0 to 1.
func Common(a, b Sketch) float64 {
	both, seen := 0, 0
	for i, j := 0, 0; seen < Size && (i < len(a) || j < len(b)); seen++ {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			i++
		case i == len(a) || b[j] < a[i]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if seen == 0 {
		return 0
	}
	return float64(both) / float64(seen)
}

// Kept estimates which share of the new content the old one has as well, given
// the sizes of both, 0 to 1.
func Kept(old, new Sketch, oldSize, newSize int64) float64 {
	if newSize <= 0 {
		return 0
	}
	j := Common(old, new)
	return min(1, j/(1+j)*float64(oldSize+newSize)/float64(newSize))
}

// Marshal writes four bytes a hash, little-endian.
func (s Sketch) Marshal() []byte {
	b := make([]byte, 0, 4*len(s))
	for _, h := range s {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	return b
}

// Unmarshal reads what Marshal wrote, and nil from anything else.
func Unmarshal(b []byte) Sketch {
	if len(b)%4 != 0 || len(b) > 4*Size {
		return nil
	}
	s := make(Sketch, len(b)/4)
	for i := range s {
		s[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if !slices.IsSorted(s) {
		return nil
	}
	return s
}
