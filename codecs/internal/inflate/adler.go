package inflate

import "encoding/binary"

const (
	adlerMod  = 65521
	lanes     = 0x00ff00ff00ff00ff // every other byte of a word
	adlerStep = 8 * 256            // bytes whose sums in lanes of 16 bits do not overflow
)

// Adler32 returns the Adler-32 of p, as hash/adler32 does in twice the time. It adds words of 8
// bytes. After a word of bytes b0 to b7 the second sum has grown
// by 8 times the first, less b1 + 2*b2 + ... + 7*b7, and those products are
// formed once a step, from the sums over all words.
func Adler32(p []byte) uint32 {
	s1, s2 := uint64(1), uint64(0)
	for len(p) >= 8 {
		step := p[:min(len(p)&^7, adlerStep)]
		p = p[len(step):]
		var even, odd, sums uint64
		for ; len(step) >= 16; step = step[16:] {
			w := binary.LittleEndian.Uint64(step)
			v := binary.LittleEndian.Uint64(step[8:])
			e, o, f, q := w&lanes, w>>8&lanes, v&lanes, v>>8&lanes
			even += e + f
			odd += o + q
			s1 += (e + o) * 0x0001000100010001 >> 48
			sums += s1
			s1 += (f + q) * 0x0001000100010001 >> 48
			sums += s1
		}
		for ; len(step) >= 8; step = step[8:] {
			w := binary.LittleEndian.Uint64(step)
			e, o := w&lanes, w>>8&lanes
			even += e
			odd += o
			s1 += (e + o) * 0x0001000100010001 >> 48
			sums += s1
		}
		less := odd&0xffff + 2*(even>>16&0xffff) + 3*(odd>>16&0xffff) + 4*(even>>32&0xffff) +
			5*(odd>>32&0xffff) + 6*(even>>48) + 7*(odd>>48)
		s1, s2 = s1%adlerMod, (s2+8*sums-less)%adlerMod
	}
	for _, b := range p {
		s1 += uint64(b)
		s2 += s1
	}
	return uint32(s2%adlerMod<<16 | s1%adlerMod)
}
