package codecs

import (
	"encoding/binary"
	"encoding/hex"
	"iter"
	"math"
	"math/bits"
)

// ID is an identifier or hash of up to 128 bits that an archive stores. The
// zero ID means that there is none. IDs are comparable.
type ID struct {
	Hi, Lo uint64 // Lo holds the whole value up to 64 bits
	Bits   uint8  // width: 0 (no ID), 32, 64, 96 or 128
}

// ChunkBits is the width of the ids of chunks of Unreal's IoStore containers.
// Nothing else has ids of that width.
const ChunkBits = 96

// ID32 returns a 32-bit ID.
func ID32(v uint32) ID { return ID{Lo: uint64(v), Bits: 32} }

// ID64 returns a 64-bit ID.
func ID64(v uint64) ID { return ID{Lo: v, Bits: 64} }

// IsZero reports whether id is absent. An ID of value 0 is not.
func (id ID) IsZero() bool { return id.Bits == 0 }

// String returns the value in lower-case hex, as wide as the ID is, and "" for
// the zero ID.
func (id ID) String() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], id.Hi)
	binary.BigEndian.PutUint64(b[8:], id.Lo)
	return hex.EncodeToString(b[16-min(int(id.Bits/8), 16):])
}

// smallestID is the lowest id worth looking for: counts, flags and offsets are
// below it. The id 00000001, which exists in Metroid Prime, was hit 10,290 times
// in one pak of 91 KiB.
const smallestID = 0x10000

// CommonValue reports whether id is one of those of 4 or 8 bytes that content holds far more often than
// chance: small numbers, all ones and, of 4 bytes, the floats that people write.
func CommonValue(width int, id uint64) bool {
	if width == 4 {
		return id < smallestID || id == math.MaxUint32 || commonFloat(math.Float32frombits(uint32(id)))
	}
	return id < smallestID || id == math.MaxUint64
}

// commonFloat recognises numbers that people write: whole ones up to 16384, tenths
// up to 100, 64ths up to 64. One id of 100,000 reads as one.
func commonFloat(f float32) bool {
	size := math.Abs(float64(f))
	return multiple(size, 1, 16384) || multiple(size, 10, 100) || multiple(size, 64, 64)
}

// multiple reports whether size is a multiple of 1/parts, as float32 has it.
func multiple(size, parts, limit float64) bool {
	return size <= limit && float32(math.Round(size*parts)/parts) == float32(size)
}

// IDLayout is the layout of ids in scanned bytes.
type IDLayout struct {
	Width int  // bytes of an id: 4 or 8
	Big   bool // big-endian
	Align int  // ids start at multiples of it, counted from the content's first byte; 0 means 1
}

// IDSet is a set of known ids, made to find them in content whose structure is
// not known. It is immutable and safe for concurrent use. The id 0 is never in
// it: it means "none" everywhere, and zeros fill files.
//
// A hit may be chance. In random bytes their expected number is
// positions * ids / 2^(8*Width), where positions is bytes / Align:
//
//	Width 8, Align 1, 1 GiB against 260,000 ids:  0.000015
//	Width 4, Align 4, 1 GiB against  20,000 ids:  1,250
//	Width 4, Align 1, 1 GiB against  20,000 ids:  5,000
//
// So 64-bit hits are findings, and 32-bit hits need the [Weak] flag. Content is
// not random: ids that look like small integers, text or common floats hit far
// more often, and only hashes are worth looking for at all.
type IDSet struct {
	layout IDLayout
	ids    map[uint64]struct{} // as the value reads little-endian
	filter idFilter
}

// NewIDSet returns the set of ids, which are truncated to the width. A Width
// other than 4 or 8 means 8; an Align below 1 means 1.
func NewIDSet(layout IDLayout, ids iter.Seq[uint64]) *IDSet {
	if layout.Width != 4 {
		layout.Width = 8
	}
	layout.Align = max(layout.Align, 1)
	s := &IDSet{layout: layout, ids: map[uint64]struct{}{}}
	for id := range ids {
		if raw := s.swap(id); raw != 0 {
			s.ids[raw] = struct{}{}
		}
	}
	s.filter = newIDFilter(s.ids)
	return s
}

// Scan calls emit for every known id in content, in ascending order of offset.
// Hits may overlap. To scan a file in pieces, let each piece begin Width-1 bytes
// before the end of the one before (with Align 1), or at a multiple of Align.
func (s *IDSet) Scan(content []byte, emit func(off int, id uint64)) {
	if len(s.ids) == 0 {
		return
	}
	if s.layout.Width == 4 {
		s.scan32(content, emit)
		return
	}
	s.scan64(content, emit)
}

func (s *IDSet) scan64(content []byte, emit func(int, uint64)) {
	filter, align := s.filter, s.layout.Align
	for off := 0; off <= len(content)-8; off += align {
		raw := binary.LittleEndian.Uint64(content[off:])
		if filter.mayHave(raw) && s.has(raw) {
			emit(off, s.swap(raw))
		}
	}
}

func (s *IDSet) scan32(content []byte, emit func(int, uint64)) {
	filter, align := s.filter, s.layout.Align
	for off := 0; off <= len(content)-4; off += align {
		raw := uint64(binary.LittleEndian.Uint32(content[off:]))
		if filter.mayHave(raw) && s.has(raw) {
			emit(off, s.swap(raw))
		}
	}
}

// swap turns an id into what it reads as little-endian, and back.
func (s *IDSet) swap(v uint64) uint64 {
	switch {
	case s.layout.Width == 4 && s.layout.Big:
		return uint64(bits.ReverseBytes32(uint32(v)))
	case s.layout.Width == 4:
		return uint64(uint32(v))
	case s.layout.Big:
		return bits.ReverseBytes64(v)
	}
	return v
}

func (s *IDSet) has(raw uint64) bool {
	_, ok := s.ids[raw]
	return ok
}

// idFilter is a Bloom filter in blocks of 64 bits: three bits of one block stand
// for an id, so that one load answers all but one in a thousand positions that
// hold no known id. The map answers the rest: its seed is random, so that ids
// chosen by an attacker cannot make it slow. (Measured with 260,000 ids: two
// bits of half as large a filter leave so much to the map that the scan takes
// twice the time.)
type idFilter struct {
	blocks []uint64
	shift  uint
}

const filterBitsPerID = 32

func newIDFilter(ids map[uint64]struct{}) idFilter {
	width := max(bits.Len(uint(len(ids)*filterBitsPerID/64)), 1) // rounds up to a power of two
	f := idFilter{blocks: make([]uint64, 1<<width), shift: uint(64 - width)}
	for raw := range ids {
		h := raw * filterMul
		f.blocks[h>>(f.shift&63)] |= filterMask(h)
	}
	return f
}

// Ids are hashes, but their low halves may be Adler-32, which is far from
// uniform: the multiplication spreads them.
const filterMul = 0x9e3779b97f4a7c15

func filterMask(h uint64) uint64 {
	return 1<<(h>>22&63) | 1<<(h>>28&63) | 1<<(h>>34&63)
}

func (f *idFilter) mayHave(raw uint64) bool {
	h := raw * filterMul
	m := filterMask(h)
	return f.blocks[h>>(f.shift&63)]&m == m
}
