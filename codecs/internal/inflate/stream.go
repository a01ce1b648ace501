package inflate

import "encoding/binary"

// stream is where decoding stands. Bits wait in a buffer of 64: count of them,
// the first lowest. Those above are zero, or what follows in src.
type stream struct {
	dst, src []byte
	op, ip   int
	bits     uint64
	count    uint // at most 63
}

func (s *stream) reset(dst, src []byte) {
	*s = stream{dst: dst[:len(dst):len(dst)], src: src[:len(src):len(src)]}
}

// fail returns an error at the first bit that is not used.
func (s *stream) fail(err error, what string) error {
	return &Error{Off: s.ip - int(s.count+7)/8, Out: s.op, What: what, Err: err}
}

// refill leaves at least 56 bits in the buffer, or all there are.
func (s *stream) refill() {
	if s.ip <= len(s.src)-8 {
		s.bits |= binary.LittleEndian.Uint64(s.src[s.ip:]) << (s.count & 63)
		s.ip += int(63-s.count) >> 3
		s.count |= 56
		return
	}
	for ; s.count < 56 && s.ip < len(s.src); s.ip++ {
		s.bits |= uint64(s.src[s.ip]) << (s.count & 63)
		s.count += 8
	}
}

// drop takes n bits from the buffer, which has them.
func (s *stream) drop(n uint) {
	s.bits >>= n & 63
	s.count -= n
}

// take returns the next n bits, of which there can be 32.
func (s *stream) take(n uint) (v uint, ok bool) {
	if s.count < n {
		if s.refill(); s.count < n {
			return 0, false
		}
	}
	v = uint(s.bits) & (1<<n - 1)
	s.drop(n)
	return v, true
}

// align drops bits up to the next byte of src, and gives back what the buffer
// has of it.
func (s *stream) align() {
	s.ip -= int(s.count / 8)
	s.bits, s.count = 0, 0
}

// lookup finds the entry of the next symbol, and drops its bits. Bits that are
// missing count as zero, and the symbol is ok only if it needs none of them.
func (s *stream) lookup(table []uint32, index uint) (e uint32, before uint64, ok bool) {
	s.refill()
	e = table[s.bits&(1<<index-1)]
	if e&notCode == special { // a subtable; all of them lie in the table
		if s.count < index {
			return e, 0, false
		}
		s.drop(index)
		e = table[e>>16+uint32(s.bits)&(1<<(e>>8&15)-1)]
	}
	before = s.bits
	if s.count < uint(e&0xff) {
		return e, 0, false
	}
	s.drop(uint(e & 0xff))
	return e, before, true
}

// value is what an entry of a length or a distance stands for, by the bits that
// were there before it was dropped.
func value(e uint32, before uint64) int {
	return int(e>>16) + int(before&(1<<(e&0x3f)-1)>>(e>>8&15))
}
