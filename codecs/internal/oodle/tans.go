package oodle

import (
	"encoding/binary"
	"math/bits"
)

const (
	minTANSLog = 8
	maxTANSLog = 11
	tansStates = 5
)

// tansTable is the decoding table of a tANS array and what it is made from.
type tansTable struct {
	log    int // table bits
	weight [256]uint16
	set    symbolSet
	entry  [1 << maxTANSLog]tansEntry
}

type tansEntry struct {
	base      uint16 // next state without the bits to read
	bits, sym uint8
}

// decodeTANS decodes a tANS array.
func decodeTANS(d arrayDecoder, h arrayHeader, out []byte) error {
	if h.stored < 8 || len(out) < tansStates {
		return d.corrupt(h.pos, "tans.stored")
	}
	if err := d.charge(h.pos, tableWork); err != nil {
		return err
	}
	if d.tans == nil {
		d.tans = new(tansTable)
	}
	t := d.tans
	r := forward{buf: d.src[h.pos:h.end()]}
	if !t.readWeights(&r) || r.used() > h.stored {
		return d.corrupt(h.pos, "tans.weights")
	}
	t.build()
	s := tansStream{buf: r.buf, a: r.used() * 8}
	if !s.decode(t, out) {
		return d.corrupt(h.pos+r.used(), "tans.end")
	}
	return nil
}

// readWeights reads the header. It reports whether the header is sound; the weights then sum to the table's size.
func (t *tansTable) readWeights(r *forward) bool {
	if r.read(1) != 0 {
		return false
	}
	t.log = r.read(2) + minTANSLog
	t.weight = [256]uint16{}
	if r.read(1) == 1 {
		return t.dense(r)
	}
	return t.sparse(r)
}

func (t *tansTable) dense(r *forward) bool {
	q := r.read(3)
	n := r.read(8) + 1
	if n < 2 || !t.set.values(r, n) || !t.set.ranges(r) {
		return false
	}
	avg, total := 6, 0
	for i, sym := range t.set.bytes[:n] {
		k := q + int(t.set.unary[i])
		if k > 15 {
			return false
		}
		v := r.read(k) + 1<<k - 1<<q
		a := avg >> 2
		limit := 2 * a
		if v <= limit {
			v = a + zigzag(v)
		}
		avg += min(v, limit) - a
		total += v + 1
		if total > 1<<t.log {
			return false
		}
		t.weight[sym] = uint16(v + 1)
	}
	return total == 1<<t.log
}

func (t *tansTable) sparse(r *forward) bool {
	n := r.read(3) + 1
	k := r.read(4)
	if k < 1 || k > t.log {
		return false
	}
	w, total, size := 0, 0, 1<<t.log
	for range n {
		sym := r.read(8)
		w += r.read(k)
		total += w
		if w < 1 || total > size || t.weight[sym] != 0 {
			return false
		}
		t.weight[sym] = uint16(w)
	}
	sym, last := r.read(8), size-total
	if last < w || last < 2 || t.weight[sym] != 0 {
		return false
	}
	t.weight[sym] = uint16(last)
	return true
}

// build fills the table. The weights must sum to its size, which keeps every index below in range.
func (t *tansTable) build() {
	size := 1 << t.log
	m := size
	for _, w := range t.weight {
		if w == 1 {
			m--
		}
	}
	var fill [4]int // the next entry of each region
	next := 0
	for j := range fill {
		fill[j] = next
		next += (m - j + 3) >> 2
	}
	single, sum := m, 0
	for sym, w := range t.weight {
		switch {
		case w == 1:
			t.entry[single] = tansEntry{sym: uint8(sym), bits: uint8(t.log)}
			single++
		case w > 1:
			t.spread(uint8(sym), int(w), sum, &fill)
			sum += int(w)
		}
	}
}

// spread deals the w >= 2 entries of sym out to the four regions; sum is the weight of the symbols before it.
func (t *tansTable) spread(sym uint8, w, sum int, fill *[4]int) {
	x := w
	for j := range fill {
		for y := (w + (sum-j-1)&3) >> 2; y > 0; y-- {
			n := t.log - bits.Len(uint(x)) + 1
			t.entry[fill[j]] = tansEntry{base: uint16(x<<n - 1<<t.log), bits: uint8(n), sym: sym}
			fill[j]++
			x++
		}
	}
}

// tansStream are the two LSB-first streams of a tANS array: a forward, b backward from the end of buf, in bits.
type tansStream struct {
	buf  []byte
	a, b int
}

// decode fills out. It reports whether the streams meet and the last five states are bytes.
func (s *tansStream) decode(t *tansTable, out []byte) bool {
	var state [tansStates]int
	for i := range state {
		if i&1 == 0 {
			state[i] = s.readA(t.log)
		} else {
			state[i] = s.readB(t.log)
		}
	}
	n := len(out) - tansStates
	for i := 0; i < n; i += 2 * tansStates {
		mid, end := min(i+tansStates, n), min(i+2*tansStates, n)
		s.a += t.round(&state, out[i:mid], s.peekA())
		s.b += t.round(&state, out[mid:end], s.peekB())
	}
	for i, v := range state {
		if v > 255 {
			return false
		}
		out[n+i] = uint8(v)
	}
	return (s.a+7)>>3+(s.b+7)>>3 == len(s.buf)
}

// round decodes out, at most one byte for each state, from the bits w, and returns how many bits it took: 55 at most.
func (t *tansTable) round(state *[tansStates]int, out []byte, w uint64) int {
	used := 0
	for j := range min(len(out), tansStates) {
		e := t.entry[state[j]&(1<<maxTANSLog-1)]
		out[j] = e.sym
		state[j] = int(e.base) + int(w&(1<<e.bits-1))
		w >>= e.bits & 63
		used += int(e.bits)
	}
	return used
}

func (s *tansStream) readA(n int) int {
	v := s.peekA() & (1<<n - 1)
	s.a += n
	return int(v)
}

func (s *tansStream) readB(n int) int {
	v := s.peekB() & (1<<n - 1)
	s.b += n
	return int(v)
}

// peekA returns the bits of the forward stream, 57 at least, zero bits past the end.
func (s *tansStream) peekA() uint64 {
	i := s.a >> 3
	if i <= len(s.buf)-8 {
		return binary.LittleEndian.Uint64(s.buf[i:]) >> (s.a & 7)
	}
	var w [8]byte
	if i < len(s.buf) {
		copy(w[:], s.buf[i:])
	}
	return binary.LittleEndian.Uint64(w[:]) >> (s.a & 7)
}

// peekB returns the bits of the backward stream, 57 at least, zero bits past the start of buf.
func (s *tansStream) peekB() uint64 {
	i := len(s.buf) - s.b>>3
	if i >= 8 {
		return binary.BigEndian.Uint64(s.buf[i-8:]) >> (s.b & 7)
	}
	var w [8]byte
	if i > 0 {
		copy(w[8-i:], s.buf[:i])
	}
	return binary.BigEndian.Uint64(w[:]) >> (s.b & 7)
}
