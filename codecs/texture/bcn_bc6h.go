package texture

import "encoding/binary"

// one is 1 as a half float.
const one = 0x3c00

func decodeBC6H(dst, src []byte, stride int) {
	b := bcnBitsOf(src)
	mode := b.take(2)
	if mode > 1 {
		mode |= b.take(3) << 2
	}
	m := &halfModes[mode]
	if m.fields == nil { // reserved: black
		for k := range 16 {
			putHalf(dst[k>>2*stride+k&3*8:], 0, 0, 0)
		}
		return
	}
	var ends [4][4]uint32
	two := false
	for _, f := range m.fields {
		to := &ends[f.endpoint][f.channel]
		two = two || f.channel == 3
		if f.first <= f.last {
			*to |= b.take(f.last-f.first+1) << f.first
			continue
		}
		for at := f.first; at >= f.last; at-- {
			*to |= b.take(1) << at
		}
	}
	shape := ends[0][3]
	n, subsets, anchors, bitsOfIndex := 2, uint32(0), uint32(1), uint8(4)
	if two {
		n, bitsOfIndex = 4, 3
		subsets, anchors = subsetsOf(2, shape)
	}
	for c := range 3 {
		for i := range n {
			v := ends[i][c]
			if i > 0 && m.differ {
				unused := 32 - m.others[c]
				v = (ends[0][c] + uint32(int32(v<<unused)>>unused)) & (1<<m.bits - 1)
			}
			if i > 0 {
				ends[i][c] = unquantise(v, m.bits)
			}
		}
		ends[0][c] = unquantise(ends[0][c], m.bits)
	}
	var indices [16]uint8
	readIndices(&b, bitsOfIndex, anchors, &indices)
	for k := range 16 {
		s := subsets & 3 * 2
		subsets >>= 2
		w := uint32(weights[bitsOfIndex][indices[k]&15])
		var c [3]uint16
		for i := range c {
			c[i] = uint16((((64-w)*ends[s&3][i] + w*ends[s&3+1][i] + 32) >> 6) * 31 >> 6)
		}
		putHalf(dst[k>>2*stride+k&3*8:], c[0], c[1], c[2])
	}
}

// unquantise spreads a value of so many bits over 16.
func unquantise(v uint32, bits uint8) uint32 {
	switch {
	case bits >= 15 || v == 0:
		return v
	case v == 1<<bits-1:
		return 0xffff
	}
	return (v<<15 + 0x4000) >> (bits - 1)
}

func putHalf(dst []byte, r, g, b uint16) {
	binary.LittleEndian.PutUint64(dst, uint64(r)|uint64(g)<<16|uint64(b)<<32|one<<48)
}
