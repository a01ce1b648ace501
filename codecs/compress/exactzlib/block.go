package exactzlib

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The kinds of blocks, RFC 1951, 3.2.3.
const (
	storedBlock = iota
	fixedBlock
	dynamicBlock
)

// tally adds a symbol to the block. Whoever calls it looks at stop next.
func (e *Encoder) tally(sym uint32) {
	e.syms[e.symCount] = sym
	e.symCount++
}

// flush is _tr_flush_block: it writes the source from blockStart to pos, whose
// symbols have been tallied, as the kind of block that is smallest. It reports
// whether to give up, because a trial has gone another way.
func (e *Encoder) flush(pos int, last bool) (giveUp bool) {
	c, syms := &e.codes, e.syms[:e.symCount]
	c.reset()
	c.count(syms)
	lens := c.build()
	best, fixed := (c.best+3+7)/8, (c.fixed+3+7)/8
	if fixed <= best || e.p.Strategy == Fixed {
		best = fixed
	}
	// A block whose begin has left zlib's window cannot be stored any more.
	stored := pos - e.blockStart
	switch {
	case stored+4 <= best && e.blockStart >= e.base:
		e.writeStored(e.src[e.blockStart:pos], last)
	case best == fixed:
		e.blockHeader(fixedBlock, last)
		e.writeSymbols(syms, fixedLit[:], fixedDist[:], c.fixed)
	default:
		e.blockHeader(dynamicBlock, last)
		e.writeTrees(lens)
		e.writeSymbols(syms, c.lit[:], c.dist[:], c.best)
	}
	if last {
		e.align()
	}
	e.symCount, e.stop, e.blockStart = 0, len(e.syms), pos
	e.off = e.want != nil && !bytes.HasPrefix(e.want, e.out)
	return e.off
}

// write appends the lowest n bits of v, at most 32, to the stream.
func (e *Encoder) write(v uint32, n uint) {
	e.bits |= uint64(v) << e.nbits
	for e.nbits += n; e.nbits >= 8; e.nbits -= 8 {
		e.out = append(e.out, byte(e.bits))
		e.bits >>= 8
	}
}

// align fills the last byte with zeroes.
func (e *Encoder) align() {
	if e.nbits > 0 {
		e.write(0, 8-e.nbits)
	}
}

func (e *Encoder) blockHeader(kind uint32, last bool) {
	if last {
		e.write(kind<<1|1, 3)
	} else {
		e.write(kind<<1, 3)
	}
}

func (e *Encoder) writeStored(b []byte, last bool) {
	e.blockHeader(storedBlock, last)
	e.align()
	e.out = binary.LittleEndian.AppendUint16(e.out, uint16(len(b)))
	e.out = binary.LittleEndian.AppendUint16(e.out, ^uint16(len(b)))
	e.out = append(e.out, b...)
}

// writeTrees writes the codes of a dynamic block.
func (e *Encoder) writeTrees(lens int) {
	c := &e.codes
	e.write(uint32(c.maxLit+1-257), 5)
	e.write(uint32(c.maxDist+1-1), 5)
	e.write(uint32(lens-4), 4)
	for _, sym := range lenOrder[:lens] {
		e.write(uint32(c.lens[sym].dl), 3)
	}
	emit := func(sym uint16, n int, extra uint32, bits uint) {
		for range n {
			e.write(uint32(c.lens[sym].fc), uint(c.lens[sym].dl))
		}
		e.write(extra, bits)
	}
	lengthRuns(c.lit[:c.maxLit+2], emit)
	lengthRuns(c.dist[:c.maxDist+2], emit)
}

// writeSymbols writes symbols and the end of the block, which take at most size
// bits.
func (e *Encoder) writeSymbols(syms []uint32, lit, dist []node, size int) {
	e.out = slices.Grow(e.out, size/8+16)
	out := e.out[len(e.out):cap(e.out)]
	at, acc, n := 0, e.bits, e.nbits
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
	e.out = e.out[:len(e.out)+at]
	e.bits, e.nbits = acc, 0
	e.write(0, n)
	e.write(uint32(end.fc), uint(end.dl))
}
