package oodle

import "encoding/binary"

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
