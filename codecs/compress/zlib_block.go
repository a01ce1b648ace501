package compress

import (
	"encoding/binary"
	"slices"
)

// The kinds of blocks, RFC 1951, 3.2.3.
const (
	storedBlock = iota
	fixedBlock
	dynamicBlock
)

// bitWriter writes blocks.
type bitWriter struct {
	out   []byte
	bits  uint64 // written and not in out yet
	nbits uint   // how many; below 8 between blocks
}

// write appends the lowest n bits of v, at most 32, to the stream.
func (w *bitWriter) write(v uint32, n uint) {
	w.bits |= uint64(v) << w.nbits
	for w.nbits += n; w.nbits >= 8; w.nbits -= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
}

// align fills the last byte with zeroes.
func (w *bitWriter) align() {
	if w.nbits > 0 {
		w.write(0, 8-w.nbits)
	}
}

func (w *bitWriter) blockHeader(kind uint32, last bool) {
	if last {
		w.write(kind<<1|1, 3)
	} else {
		w.write(kind<<1, 3)
	}
}

func (w *bitWriter) writeStored(b []byte, last bool) {
	w.blockHeader(storedBlock, last)
	w.align()
	w.out = binary.LittleEndian.AppendUint16(w.out, uint16(len(b)))
	w.out = binary.LittleEndian.AppendUint16(w.out, ^uint16(len(b)))
	w.out = append(w.out, b...)
}

// writeTrees writes the codes of a dynamic block.
func (w *bitWriter) writeTrees(c *codes, lens int) {
	w.write(uint32(c.maxLit+1-257), 5)
	w.write(uint32(c.maxDist+1-1), 5)
	w.write(uint32(lens-4), 4)
	for _, sym := range lenOrder[:lens] {
		w.write(uint32(c.lens[sym].dl), 3)
	}
	emit := func(sym uint16, n int, extra uint32, bits uint) {
		for range n {
			w.write(uint32(c.lens[sym].fc), uint(c.lens[sym].dl))
		}
		w.write(extra, bits)
	}
	lengthRuns(c.lit[:c.maxLit+2], emit)
	lengthRuns(c.dist[:c.maxDist+2], emit)
}

// writeSymbols writes symbols and the end of the block, which take at most size
// bits.
func (w *bitWriter) writeSymbols(syms []uint32, lit, dist []node, size int) {
	w.out = slices.Grow(w.out, size/8+16)
	out := w.out[len(w.out):cap(w.out)]
	at, acc, n := 0, w.bits, w.nbits
	for _, s := range syms {
		if n >= 16 { // a match takes up to 48 bits
			binary.LittleEndian.PutUint64(out[at:], acc)
			at += int(n >> 3)
			acc >>= n & 56
			n &= 7
		}
		if s < 256 {
			l := lit[s]
			acc |= uint64(l.fc) << (n & 63)
			n += uint(l.dl)
			continue
		}
		code := lengthCode[s&255]
		l := lit[firstLengthSym+int(code)]
		acc |= uint64(l.fc) << (n & 63)
		n += uint(l.dl)
		acc |= uint64(uint8(s)-lengthBase[code]) << (n & 63)
		n += uint(lengthExtra[code])

		d := s>>8 - 1
		code = distCode(d)
		l = dist[code]
		acc |= uint64(l.fc) << (n & 63)
		n += uint(l.dl)
		acc |= uint64(uint16(d)-distBase[code]) << (n & 63)
		n += uint(distExtra[code])
	}
	end := lit[endOfBlock]
	if n >= 16 {
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(n >> 3)
		acc >>= n & 56
		n &= 7
	}
	w.out = w.out[:len(w.out)+at]
	w.bits, w.nbits = acc, 0
	w.write(0, n)
	w.write(uint32(end.fc), uint(end.dl))
}
