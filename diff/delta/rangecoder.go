package delta

import "bytes"

// Probabilities are those of a 0 bit, in 1/2048, and adapt by 1/32 of their
// distance with each bit: the binary range coder of LZMA.
type prob uint16

const (
	probBits  = 11
	probStart = 1 << (probBits - 1)
	adaption  = 5
	topRange  = 1 << 24
)

// rangeEncoder turns decisions into bytes.
type rangeEncoder struct {
	out    []byte
	low    uint64
	width  uint32
	held   byte // last byte, which a carry may still raise
	behind int  // bytes 0xff that wait behind held
}

func (e *rangeEncoder) reset() { *e = rangeEncoder{out: e.out[:0], width: 1<<32 - 1} }

func (e *rangeEncoder) bit(p *prob, bit uint32) {
	bound := e.width >> probBits * uint32(*p)
	if bit == 0 {
		e.width = bound
		*p += (1<<probBits - *p) >> adaption
	} else {
		e.low += uint64(bound)
		e.width -= bound
		*p -= *p >> adaption
	}
	for e.width < topRange {
		e.width <<= 8
		e.shift()
	}
}

// direct writes the lowest n bits of v as they are, the highest first.
func (e *rangeEncoder) direct(v uint64, n int) {
	for n--; n >= 0; n-- {
		e.width >>= 1
		if v>>n&1 != 0 {
			e.low += uint64(e.width)
		}
		for e.width < topRange {
			e.width <<= 8
			e.shift()
		}
	}
}

// bytes writes p as it is, two bytes at once.
func (e *rangeEncoder) bytes(p []byte) {
	for ; len(p) >= 2; p = p[2:] {
		e.width >>= 16
		e.low += uint64(e.width) * (uint64(p[0])<<8 | uint64(p[1]))
		for e.width < topRange {
			e.width <<= 8
			e.shift()
		}
	}
	for _, c := range p {
		e.direct(uint64(c), 8)
	}
}

// shift moves a byte out. It stays with the encoder until no carry can reach it.
func (e *rangeEncoder) shift() {
	if e.low < 0xff000000 || e.low >= 1<<32 {
		carry := byte(e.low >> 32)
		e.out = append(e.out, e.held+carry)
		for ; e.behind > 0; e.behind-- {
			e.out = append(e.out, 0xff+carry)
		}
		e.held, e.behind = byte(e.low>>24), 0
	} else {
		e.behind++
	}
	e.low = e.low << 8 & (1<<32 - 1)
}

// spare is how many zeros a decoder takes for granted behind the end.
const spare = 4

// finish returns the bytes. The first, which is always zero, is left out, and so
// are up to spare zeros at the end.
func (e *rangeEncoder) finish() []byte {
	for range 5 {
		e.shift()
	}
	b := e.out[1:]
	for range spare {
		b = bytes.TrimSuffix(b, []byte{0})
	}
	return b
}

// rangeDecoder reads what a rangeEncoder wrote. Behind the end it reads zeros,
// and counts them.
type rangeDecoder struct {
	in    []byte
	pos   int
	code  uint32
	width uint32
}

func (d *rangeDecoder) reset(in []byte) {
	*d = rangeDecoder{in: in, width: 1<<32 - 1}
	for range 4 {
		d.code = d.code<<8 | uint32(d.next())
	}
}

func (d *rangeDecoder) next() (b byte) {
	if d.pos < len(d.in) {
		b = d.in[d.pos]
	}
	d.pos++
	return b
}

// overrun reports that more was read than an encoder can have left out.
func (d *rangeDecoder) overrun() bool { return d.pos > len(d.in)+spare }

func (d *rangeDecoder) bit(p *prob) uint32 {
	bound := d.width >> probBits * uint32(*p)
	var bit uint32
	if d.code < bound {
		d.width = bound
		*p += (1<<probBits - *p) >> adaption
	} else {
		d.code -= bound
		d.width -= bound
		*p -= *p >> adaption
		bit = 1
	}
	if d.width < topRange {
		d.width <<= 8
		d.code = d.code<<8 | uint32(d.next())
	}
	return bit
}

func (d *rangeDecoder) direct(n int) (v uint64) {
	for ; n > 0; n-- {
		d.width >>= 1
		v <<= 1
		if d.code >= d.width {
			d.code -= d.width
			v |= 1
		}
		if d.width < topRange {
			d.width <<= 8
			d.code = d.code<<8 | uint32(d.next())
		}
	}
	return v
}

// bytes fills p with bytes that were written as they are.
func (d *rangeDecoder) bytes(p []byte) {
	for ; len(p) >= 2; p = p[2:] {
		d.width >>= 16
		v := min(d.code/d.width, 1<<16-1)
		d.code -= v * d.width
		p[0], p[1] = byte(v>>8), byte(v)
		for d.width < topRange {
			d.width <<= 8
			d.code = d.code<<8 | uint32(d.next())
		}
	}
	for i := range p {
		p[i] = byte(d.direct(8))
	}
}
