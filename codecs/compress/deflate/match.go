package deflate

import (
	"encoding/binary"
	"math/bits"
)

// How thoroughly to search. More of it costs CPU and gains bytes.
const (
	depth     = 20  // candidates looked at
	deep      = 100 // candidates more behind a match of long bytes, which may be one of many
	long      = 32
	nice      = 130  // a match of this length ends the search
	lazy      = 16   // a match of this length is not improved upon
	good      = 8    // one of this length is improved upon if that is easy
	far3      = 4096 // a match of three bytes is not worth a larger distance
	hashBits  = 15
	hash3Bits = 13
)

// matcher has chains of positions with the same four bytes, and the last position
// with the same three. Position 0 stands for none.
type matcher struct {
	head  [1 << hashBits]uint16
	head3 [1 << hash3Bits]uint16
	next  [spanSize]uint16 // by position: the one before of the same hash
}

func (m *matcher) forget() {
	clear(m.head[:])
	clear(m.head3[:])
}

// halve drops the positions of the first half of the text, and moves the others there.
func (m *matcher) halve() {
	moveBack(m.head[:])
	moveBack(m.head3[:])
	copy(m.next[:spanSize/2], m.next[spanSize/2:])
	moveBack(m.next[:spanSize/2])
}

func moveBack(all []uint16) {
	for i, v := range all {
		all[i] = v &^ 0x8000 & -(v >> 15) // 0 for those of the first half
	}
}

// load32 returns four bytes, some behind a position.
func (e *Encoder) load32(pos uint16, by uint8) uint32 {
	i := uint(pos) + uint(by)
	return binary.LittleEndian.Uint32(e.text[i : i+4])
}

func hash4(v uint32) uint32 { return v * 0x9e3779b1 >> (32 - hashBits) }
func hash3(v uint32) uint32 { return v << 8 * 0x9e3779b1 >> (32 - hash3Bits) }

// insert enters a position.
func (e *Encoder) insert(pos uint16) {
	h := hash4(e.load32(pos, 0))
	e.next[pos] = e.head[h]
	e.head[h] = pos
}

// lowest returns the position behind which matches may begin.
func lowest(pos uint16) uint16 { return uint16(max(int(pos)-maxDist-1, 0)) }

// longer follows the chain from cand, which is above lowest, to the longest match at pos
// that is longer than best bytes and at most most, and returns it with its place; without
// one it returns best and 0.
func (e *Encoder) longer(pos, cand uint16, best, most, depth int) (int, uint16) {
	limit, place := lowest(pos), uint16(0)
	best = max(best, minMatch)
	if best >= most {
		return best, 0
	}
	enough := min(nice, most)
	first := e.load32(pos, 0)
	by := uint8(best - 3)
	want := e.load32(pos, by)
	further := false
	for {
		for e.load32(cand, by) != want || e.load32(cand, 0) != first {
			cand = e.next[cand]
			if depth--; cand <= limit || depth <= 0 {
				return best, place
			}
		}
		if n := e.common(cand, pos, most); n > best {
			best, place = n, cand
			if n >= enough {
				return best, place
			}
			by = uint8(best - 3)
			want = e.load32(pos, by)
			if n >= long && !further {
				further, depth = true, deep
			}
		}
		cand = e.next[cand]
		if depth--; cand <= limit || depth <= 0 {
			return best, place
		}
	}
}

// common returns how many bytes from a and from b on are equal, at most most. Four are.
func (e *Encoder) common(a, b uint16, most int) int {
	x, y := e.text[a:], e.text[b:]
	n := 4
	for ; n+8 <= len(x) && n+8 <= len(y) && n < most; n += 8 {
		if d := binary.LittleEndian.Uint64(x[n:]) ^ binary.LittleEndian.Uint64(y[n:]); d != 0 {
			return min(n+bits.TrailingZeros64(d)/8, most)
		}
	}
	return min(n, most)
}
