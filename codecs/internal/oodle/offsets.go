package oodle

import (
	"math"
	"math/bits"
)

const (
	maxLongs   = 512  // long lengths of a chunk
	longLength = 255  // the length code with a long length behind it
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

// unpack reads the bit data, which goes from pos to stop, and leaves the distances in d.offsets, with a 0 behind the
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
