package deflate

import (
	"encoding/binary"
	"slices"
)

// bitWriter writes a stream.
type bitWriter struct {
	out   []byte
	bits  uint64 // written and not in out yet
	nbits uint   // how many; below 8 between calls

	words [256]uint32 // by length: the word and its extra bits << 8 | how many
}

// write appends the lowest n bits of v, at most 32.
func (w *bitWriter) write(v uint32, n uint) {
	w.bits |= uint64(v) << w.nbits
	for w.nbits += n; w.nbits >= 8; w.nbits -= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
}

func (w *bitWriter) align() {
	if w.nbits > 0 {
		w.write(0, 8-w.nbits)
	}
}

func (w *bitWriter) header(kind uint32, last bool) {
	v := kind << 1
	if last {
		v |= 1
	}
	w.write(v, 3)
}

func (w *bitWriter) stored(b []byte, last bool) {
	for {
		n := min(len(b), 65535)
		w.header(0, last && n == len(b))
		w.align()
		w.out = binary.LittleEndian.AppendUint16(w.out, uint16(n))
		w.out = binary.LittleEndian.AppendUint16(w.out, ^uint16(n))
		w.out = append(w.out, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			return
		}
	}
}

// symbols writes symbols and the end of the block, which take at most size bits.
func (w *bitWriter) symbols(syms []uint32, lit, dist *code, size int) {
	w.out = slices.Grow(w.out, size/8+32)
	out := w.out[len(w.out):cap(w.out)]
	lit.fill(&w.words)
	at, acc, n := 0, w.bits, w.nbits
	for _, s := range syms {
		if n >= 16 { // a match takes up to 48 bits
			binary.LittleEndian.PutUint64(out[at:], acc)
			at += int(n >> 3)
			acc >>= n & 56
			n &= 7
		}
		if s < 256 {
			acc |= uint64(lit.word[s]) << (n & 63)
			n += uint(lit.size[s])
			continue
		}
		l := w.words[s&255]
		acc |= uint64(l>>8) << (n & 63)
		n += uint(l & 255)
		c := distCode(s>>8 - 1)
		acc |= uint64(dist.word[c]) << (n & 63)
		n += uint(dist.size[c])
		acc |= uint64(uint16(s>>8)-distBase[c]) << (n & 63)
		n += uint(distExtra[c])
	}
	for ; n >= 8; n -= 8 {
		out[at] = byte(acc)
		at++
		acc >>= 8
	}
	w.out, w.bits, w.nbits = w.out[:len(w.out)+at], acc, n
	w.write(uint32(lit.word[endOfBlock]), uint(lit.size[endOfBlock]))
}
