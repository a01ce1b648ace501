package codecs

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// IDLayout says how ids lie in the bytes that are scanned.
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
