package coder

import "bytes"

const topRange = 1 << 24

// rangeCoder is LZMA's range coder, for both ways: writing, it turns decisions
// into bytes, and reading, bytes into the same decisions. What codes something is
// so written once.
type rangeCoder struct {
	reading bool
	width   uint32

	// Writing.
	out     []byte
	low     uint64
	waiting byte // last byte, which a carry may still raise
	behind  int  // bytes 0xff that wait behind held

	// Reading. Behind the end are zeros, which are counted.
	in   []byte
	pos  int
	code uint32
}

func (c *rangeCoder) write() { *c = rangeCoder{out: c.out[:0], width: 1<<32 - 1} }

func (c *rangeCoder) read(in []byte) {
	*c = rangeCoder{in: in, width: 1<<32 - 1, reading: true}
	for range 4 {
		c.code = c.code<<8 | uint32(c.take())
	}
}

func (c *rangeCoder) take() (b byte) {
	if c.pos < len(c.in) {
		b = c.in[c.pos]
	}
	c.pos++
	return b
}

// bit codes a bit that is 1 with a probability of p / 65536 and returns it. Reading, it
// does not matter what bit is.
//
//go:norace
func (c *rangeCoder) bit(p, bit uint32) uint32 {
	bound := c.width >> 16 * p
	if c.reading {
		if bit = 0; c.code < bound {
			bit = 1
		} else {
			c.code -= bound
		}
	} else if bit == 0 {
		c.low += uint64(bound)
	}
	if bit == 1 {
		c.width = bound
	} else {
		c.width -= bound
	}
	for c.width < topRange {
		c.shift()
	}
	return bit
}

// shift moves a byte out or in.
//
//go:norace
func (c *rangeCoder) shift() {
	c.width <<= 8
	if c.reading {
		c.code = c.code<<8 | uint32(c.take())
		return
	}
	c.emit()
}

// emit moves a byte out. It stays with the coder until no carry can reach it.
func (c *rangeCoder) emit() {
	if c.low < 0xff000000 || c.low >= 1<<32 {
		carry := byte(c.low >> 32)
		c.out = append(c.out, c.waiting+carry)
		for ; c.behind > 0; c.behind-- {
			c.out = append(c.out, 0xff+carry)
		}
		c.waiting, c.behind = byte(c.low>>24), 0
	} else {
		c.behind++
	}
	c.low = c.low << 8 & (1<<32 - 1)
}

// direct codes the lowest n bits of v as they are, up to 16 at once, the highest
// first, and returns them.
//
//go:norace
func (c *rangeCoder) direct(v uint64, n int) (got uint64) {
	for n > 0 {
		k := min(n, 16)
		n -= k
		got = got<<k | uint64(c.some(uint32(v>>n)&(1<<k-1), k))
	}
	return got
}

// some codes up to 16 bits.
//
//go:norace
func (c *rangeCoder) some(v uint32, n int) uint32 {
	c.width >>= n
	if c.reading {
		v = min(c.code/c.width, 1<<n-1)
		c.code -= v * c.width
	} else {
		c.low += uint64(c.width) * uint64(v)
	}
	for c.width < topRange {
		c.shift()
	}
	return v
}

// bytes codes p as it is, two bytes at once.
//
//go:norace
func (c *rangeCoder) bytes(p []byte) {
	for ; len(p) >= 2; p = p[2:] {
		v := c.some(uint32(p[0])<<8|uint32(p[1]), 16)
		p[0], p[1] = byte(v>>8), byte(v)
	}
	for i := range p {
		p[i] = byte(c.some(uint32(p[i]), 8))
	}
}

// spare is how many zeros a decoder takes for granted behind the end.
const spare = 4

// finish returns the bytes. The first, which is always zero, is left out, and so
// are up to spare zeros at the end.
func (c *rangeCoder) finish() []byte {
	for range 5 {
		c.emit()
	}
	b := c.out[1:]
	for range spare {
		b = bytes.TrimSuffix(b, []byte{0})
	}
	return b
}

// overrun reports that more was read than a writer can have left out.
func (c *rangeCoder) overrun() bool { return c.pos > len(c.in)+spare }

func bitOf(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
