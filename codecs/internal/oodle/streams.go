package oodle

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// threeStreams are the LSB-first streams of a Huffman array: a and b forward, c backward from the end of buf. The
// positions are in bits while decoding and in whole bytes after it; b counts from the start of buf.
type threeStreams struct {
	buf     []byte
	a, b, c int
}

// decode fills out with the symbols of a, c, b in turn. It reports whether the streams stayed inside buf.
func (s *threeStreams) decode(t *[huffSize]uint16, out []byte) bool {
	n := s.rounds(t, out)
	for i := n; i < len(out); i++ {
		var e uint16
		switch (i - n) % 3 {
		case 0:
			e = t[s.forward(s.a)&huffMask]
			s.a += int(e & 0xFF)
		case 1:
			e = t[s.backward()&huffMask]
			s.c += int(e & 0xFF)
		case 2:
			e = t[s.forward(s.b)&huffMask]
			s.b += int(e & 0xFF)
		}
		out[i] = uint8(e >> 8)
	}
	s.a, s.b, s.c = (s.a+7)>>3, (s.b+7)>>3, (s.c+7)>>3
	return max(s.a, s.b, s.c) <= len(s.buf)
}

// rounds decodes 15 symbols at a time while each stream has 8 bytes to load, and returns how many it made.
//
// A load has 57 bits at least, and five codes have 55 at most.
func (s *threeStreams) rounds(t *[huffSize]uint16, out []byte) int {
	buf := s.buf
	a, b, c := uint(s.a), uint(s.b), uint(len(buf)*8-s.c)
	last := len(buf) - 8
	n := 0
	for n+15 <= len(out) {
		ia, ib, ic := int(a>>3), int(b>>3), int((c+7)>>3)-8
		if ia > last || ib > last || ic < 0 {
			break
		}
		wa := binary.LittleEndian.Uint64(buf[ia:]) >> (a & 7)
		wb := binary.LittleEndian.Uint64(buf[ib:]) >> (b & 7)
		wc := binary.BigEndian.Uint64(buf[ic:]) >> (-c & 7)
		o := (*[15]byte)(out[n:])
		var ea, eb, ec, ua, ub, uc uint16

		ea, ec, eb = t[wa&huffMask], t[wc&huffMask], t[wb&huffMask]
		o[0], o[1], o[2] = uint8(ea>>8), uint8(ec>>8), uint8(eb>>8)
		wa, wc, wb = wa>>(ea&63), wc>>(ec&63), wb>>(eb&63)
		ua, uc, ub = ea, ec, eb

		ea, ec, eb = t[wa&huffMask], t[wc&huffMask], t[wb&huffMask]
		o[3], o[4], o[5] = uint8(ea>>8), uint8(ec>>8), uint8(eb>>8)
		wa, wc, wb = wa>>(ea&63), wc>>(ec&63), wb>>(eb&63)
		ua, uc, ub = ua+ea, uc+ec, ub+eb

		ea, ec, eb = t[wa&huffMask], t[wc&huffMask], t[wb&huffMask]
		o[6], o[7], o[8] = uint8(ea>>8), uint8(ec>>8), uint8(eb>>8)
		wa, wc, wb = wa>>(ea&63), wc>>(ec&63), wb>>(eb&63)
		ua, uc, ub = ua+ea, uc+ec, ub+eb

		ea, ec, eb = t[wa&huffMask], t[wc&huffMask], t[wb&huffMask]
		o[9], o[10], o[11] = uint8(ea>>8), uint8(ec>>8), uint8(eb>>8)
		wa, wc, wb = wa>>(ea&63), wc>>(ec&63), wb>>(eb&63)
		ua, uc, ub = ua+ea, uc+ec, ub+eb

		ea, ec, eb = t[wa&huffMask], t[wc&huffMask], t[wb&huffMask]
		o[12], o[13], o[14] = uint8(ea>>8), uint8(ec>>8), uint8(eb>>8)
		ua, uc, ub = ua+ea, uc+ec, ub+eb

		a, b, c = a+uint(ua&0xFF), b+uint(ub&0xFF), c-uint(uc&0xFF)
		n += 15
	}
	s.a, s.b, s.c = int(a), int(b), len(buf)*8-int(c)
	return n
}

// forward returns the bits from pos on, zero bits past the end.
func (s *threeStreams) forward(pos int) uint64 {
	var w [8]byte
	if i := pos >> 3; i < len(s.buf) {
		copy(w[:], s.buf[i:])
	}
	return binary.LittleEndian.Uint64(w[:]) >> (pos & 7)
}

// backward returns the bits of c from its position on, zero bits past the start of buf.
func (s *threeStreams) backward() uint64 {
	var w [8]byte
	if i := len(s.buf) - s.c>>3; i > 0 {
		copy(w[8-min(i, 8):], s.buf[max(i-8, 0):i])
	}
	return binary.BigEndian.Uint64(w[:]) >> (s.c & 7)
}

const (
	maxLongs   = 512  // long lengths of a chunk
	longLength = 255  // the length code with a long length after it
	minLength  = 3    // the length of code 0
	farCode    = 0xF0 // old offset codes from here on are far ones
	farBase    = 0x7EFF00
)

// offsetArrays are the byte arrays that offsets and lengths are made from.
type offsetArrays struct {
	scale   int // 0: old offset coding
	codes   []byte
	lows    []byte // scale >= 2: as many as codes
	lengths []byte
}

// chunkDecoder decodes the LZ chunks of Kraken, Mermaid and Leviathan.
type chunkDecoder struct{ *Decoder }

// offsetArrays reads the arrays of offsets and lengths at pos.
func (d chunkDecoder) offsetArrays(pos, stop, maxOffsets, maxLengths int) (a offsetArrays, next int, err error) {
	if stop-pos < 3 {
		return a, 0, d.corrupt(pos, "offsets")
	}
	if b := int(d.src[pos]); b >= 0x80 {
		a.scale = b - 127
		pos++
	}
	if a.codes, pos, err = d.arrays().named("offsets", pos, stop, maxOffsets); err != nil {
		return a, 0, err
	}
	if a.scale >= 2 {
		start := pos
		if a.lows, pos, err = d.arrays().named("offsets.low", pos, stop, len(a.codes)); err != nil {
			return a, 0, err
		}
		if len(a.lows) != len(a.codes) {
			return a, 0, d.corrupt(start, "offsets.low.size")
		}
	}
	a.lengths, pos, err = d.arrays().named("lengths", pos, stop, maxLengths)
	return a, pos, err
}

// unpack reads the bit data, which goes from pos to stop, and leaves the distances in d.offsets, with a 0 after the
// last, and the lengths in d.lengths.
func (d chunkDecoder) unpack(pos, stop int, a offsetArrays) error {
	b := d.pair(d.src[pos:stop])
	w := b.peekB()
	z := bits.LeadingZeros64(w)
	if z > 18 {
		return d.corrupt(pos, "bits.longs")
	}
	nl := int(1<<z + top(w<<(z+1), z) - 1)
	b.b += 2*z + 1
	if nl > maxLongs {
		return d.corrupt(pos, "bits.longs")
	}
	n := len(a.codes)
	if cap(d.offsets) <= n {
		d.offsets = make([]uint32, n+1, n+n/2+1)
	}
	d.offsets = d.offsets[:n+1]
	d.offsets[n] = 0
	if !b.offsets(d.offsets[:n], a) {
		return d.corrupt(pos, "bits.offsets")
	}
	if !b.longs(d.longs[:nl]) || !b.met() {
		return d.corrupt(pos, "bits.lengths")
	}
	if !d.unpackLengths(a.lengths, d.longs[:nl]) {
		return d.corrupt(pos, "lengths")
	}
	return nil
}

// offsets reads the distances of a into out. It reports whether the bits are there and each distance fits.
func (p *bitPair) offsets(out []uint32, a offsetArrays) bool {
	if a.scale == 0 {
		return p.oldOffsets(out, a.codes)
	}
	if !p.newOffsets(out, a.codes) {
		return false
	}
	for i, low := range a.lows {
		v := uint64(out[i])*uint64(a.scale) + uint64(low)
		if v > math.MaxUint32 {
			return false
		}
		out[i] = uint32(v)
	}
	return true
}

func (p *bitPair) oldOffsets(out []uint32, codes []byte) bool {
	for i, c := range codes {
		if p.over() {
			return false
		}
		var w uint64
		if i&1 == 0 {
			w = p.peekA()
		} else {
			w = p.peekB()
		}
		v, k := int(c), int(c>>4)+4
		if v < farCode {
			out[i] = uint32((1<<k+top(w, k))<<4) + uint32(v&15) - 248
		} else {
			k = v - farCode + 4 + 12
			far := 1<<k + top(w, k) + farBase
			if far > math.MaxUint32 {
				return false
			}
			out[i] = uint32(far)
		}
		if i&1 == 0 {
			p.a += k
		} else {
			p.b += k
		}
	}
	return true
}

func (p *bitPair) newOffsets(out []uint32, codes []byte) bool {
	for i, c := range codes {
		k := int(c >> 3)
		if k > 26 || p.over() {
			return false
		}
		var w uint64
		if i&1 == 0 {
			w = p.peekA()
			p.a += k
		} else {
			w = p.peekB()
			p.b += k
		}
		out[i] = uint32(uint64(8+c&7)<<k+top(w, k)) - 8
	}
	return true
}

// longs reads the long lengths. It reports whether they are there.
func (p *bitPair) longs(out []int32) bool {
	for i := range out {
		if p.over() {
			return false
		}
		w := p.peekA()
		if i&1 != 0 {
			w = p.peekB()
		}
		z := bits.LeadingZeros64(w | 1)
		if z > 12 {
			return false
		}
		k := z + 6
		out[i] = int32(1<<k+top(w<<(z+1), k)) - 64
		if i&1 == 0 {
			p.a += z + 1 + k
		} else {
			p.b += z + 1 + k
		}
	}
	return !p.over()
}

// unpackLengths joins the length codes and the long lengths. It reports whether all of both are used.
func (d chunkDecoder) unpackLengths(codes []byte, longs []int32) bool {
	n := len(codes)
	if cap(d.lengths) < n {
		d.lengths = make([]int32, n, n+n/2)
	}
	d.lengths = d.lengths[:n]
	j := 0
	for i, c := range codes {
		v := int32(c) + minLength
		if c == longLength {
			if j == len(longs) {
				return false
			}
			v += longs[j]
			j++
		}
		d.lengths[i] = v
	}
	return j == len(longs)
}
