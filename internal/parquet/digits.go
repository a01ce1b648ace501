package parquet

import (
	"encoding/binary"

	"github.com/klauspost/compress/huff0"
)

// Digits of hashes are noise that has 4 bits in 8. A search for repetitions costs seven times
// what entropy coding does, and what it finds by chance makes them 4 bytes of 32 longer.

// maxBlock is how many bytes a block of Zstandard has at most.
const maxBlock = 128 << 10

// entropy writes frames of Zstandard (RFC 8878) whose blocks are literals alone.
type entropy struct{ huffman huff0.Scratch }

// frame appends a frame. The bytes before digits are other ones, and have blocks of their
// own: with them digits would not have codes of 4 bits.
func (e *entropy) frame(b, body []byte, digits int) []byte {
	b = binary.LittleEndian.AppendUint32(b, 0xfd2fb528)
	b = append(b, 2<<6|1<<5) // the size follows in four bytes, and is that of the window
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	for at := 0; at < len(body); {
		end := min(at+maxBlock, len(body))
		if at < digits {
			end = min(end, digits)
		}
		b = e.block(b, body[at:end], end == len(body))
		at = end
	}
	return b
}

// block appends a block.
func (e *entropy) block(b, body []byte, isLast bool) []byte {
	last := uint32(0)
	if isLast {
		last = 1
	}
	e.huffman.Reuse = huff0.ReusePolicyNone
	literals, _, err := huff0.Compress4X(body, &e.huffman)
	if err != nil || len(literals) >= len(body) { // it has no such code
		header := last | uint32(len(body))<<3
		return append(append(b, byte(header), byte(header>>8), byte(header>>16)), body...)
	}
	// The header of literals in five bytes, and behind them that no sequence follows.
	const head, none = 5, 1
	header := last | 2<<1 | uint32(head+len(literals)+none)<<3
	sizes := 2 | 3<<2 | uint64(len(body))<<4 | uint64(len(literals))<<22
	b = append(b, byte(header), byte(header>>8), byte(header>>16),
		byte(sizes), byte(sizes>>8), byte(sizes>>16), byte(sizes>>24), byte(sizes>>32))
	return append(append(b, literals...), 0)
}

// differ reports whether about nine of ten texts are met once. They are told apart by their
// last bytes.
func (c *chunk) differ(first, next int) bool {
	if next-first < 64 {
		return false
	}
	if c.met == nil {
		c.met = make([]uint64, 4*pageRows)
	}
	clear(c.met)
	again := 0
	for i := first; i < next; i++ {
		tail := uint64(1)
		if text := c.at(i); len(text) >= 8 {
			tail = binary.LittleEndian.Uint64(text[len(text)-8:])
		}
		place := tail * 0x9e3779b97f4a7c15 >> 32 % uint64(len(c.met))
		for c.met[place] != 0 && c.met[place] != tail {
			place = (place + 1) % uint64(len(c.met))
		}
		if c.met[place] == tail {
			again++
		}
		c.met[place] = tail
	}
	return again <= (next-first)/10
}
