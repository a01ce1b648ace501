package texture

import (
	"encoding/binary"
	"math/bits"
)

// mode7 is how blocks of one mode of BC7 are laid out, in bits.
type mode7 struct {
	subsets, shape, rotation, selection uint8
	colour, alpha                       uint8 // of an endpoint's channel
	ownP, sharedP                       uint8 // the lowest bit of all channels, of an endpoint or of both of a subset
	index, second                       uint8
}

var modes7 = [8]mode7{
	{3, 4, 0, 0, 4, 0, 1, 0, 3, 0},
	{2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
	{3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
	{2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
	{1, 0, 2, 1, 5, 6, 0, 0, 2, 3},
	{1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
	{1, 0, 0, 0, 7, 7, 1, 0, 4, 0},
	{2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
}

func decodeBC7(dst, src []byte, stride int) {
	if src[0] == 0 { // reserved: black and transparent
		for y := range 4 {
			clear(dst[y*stride:][:16])
		}
		return
	}
	b := bcnBitsOf(src)
	n := uint8(bits.TrailingZeros8(src[0]))
	m := &modes7[n]
	b.take(n + 1)
	shape := b.take(m.shape)
	rotation := b.take(m.rotation)
	selection := b.take(m.selection)
	ends := endpoints7(&b, m)
	subsets, anchors := subsetsOf(m.subsets, shape)
	var first, second [16]uint8
	readIndices(&b, m.index, anchors, &first)
	colour, alpha := &first, &first
	colourWeights, alphaWeights := &weights[m.index], &weights[m.index]
	if m.second > 0 {
		readIndices(&b, m.second, 1, &second)
		alpha, alphaWeights = &second, &weights[m.second]
		if selection == 1 {
			colour, alpha, colourWeights, alphaWeights = alpha, colour, alphaWeights, colourWeights
		}
	}
	for k := range 16 {
		e := &ends[subsets&3]
		subsets >>= 2
		w, wa := uint32(colourWeights[colour[k]&15]), uint32(alphaWeights[alpha[k]&15])
		// Two channels are computed at once, each in 32 bits of one number.
		rg := ((64-uint64(w))*e.rg[0] + uint64(w)*e.rg[1] + 32<<32 + 32) >> 6
		bl := ((64-w)*e.ba[0][0] + w*e.ba[1][0] + 32) >> 6
		al := ((64-wa)*e.ba[0][1] + wa*e.ba[1][1] + 32) >> 6
		v := uint32(rg)&255 | uint32(rg>>32)<<8 | bl<<16 | al<<24
		if rotation > 0 {
			v = rotate(v, rotation)
		}
		binary.LittleEndian.PutUint32(dst[k>>2*stride+k&3*4:], v)
	}
}

// rotate exchanges alpha with red, green or blue.
func rotate(v, rotation uint32) uint32 {
	shift := (rotation - 1) * 8
	a, c := v>>24, v>>shift&255
	return v&^(255<<24|255<<shift) | a<<shift | c<<24
}

// ends7 are the endpoints of a subset: red and green in the halves of a number, blue
// and alpha.
type ends7 struct {
	rg [2]uint64
	ba [2][2]uint32
}

func endpoints7(b *bcnBits128, m *mode7) (ends [4]ends7) {
	var raw [4][6]uint32 // by channel, then by endpoint
	n := int(2 * m.subsets)
	for c := range 3 {
		for i := range n {
			raw[c][i] = b.take(m.colour)
		}
	}
	for i := range n {
		raw[3][i] = b.take(m.alpha)
	}
	colour, alpha := m.colour, m.alpha
	if m.ownP+m.sharedP > 0 {
		var p uint32
		for i := range n {
			if m.ownP > 0 || i&1 == 0 {
				p = b.take(1)
			}
			for c := range raw {
				raw[c][i] = raw[c][i]<<1 | p
			}
		}
		colour++
		if alpha > 0 {
			alpha++
		}
	}
	for i := range n {
		e := &ends[i>>1]
		e.rg[i&1] = uint64(widen(raw[0][i], colour)) | uint64(widen(raw[1][i], colour))<<32
		e.ba[i&1][0] = widen(raw[2][i], colour)
		e.ba[i&1][1] = 255
		if alpha > 0 {
			e.ba[i&1][1] = widen(raw[3][i], alpha)
		}
	}
	return ends
}

// widen makes 8 bits of n, 4 to 8.
func widen(v uint32, n uint8) uint32 {
	v <<= 8 - n
	return v | v>>n
}

// subsetsOf returns the subset of each pixel, two bits a pixel, and a bit for each pixel
// whose index is one bit shorter.
func subsetsOf(subsets uint8, shape uint32) (of, anchors uint32) {
	switch subsets {
	case 2:
		return partition2[shape], 1 | 1<<anchorOfTwo[shape]
	case 3:
		return partition3[shape], 1 | 1<<secondOfThree[shape] | 1<<thirdOfThree[shape]
	}
	return 0, 1
}

func readIndices(b *bcnBits128, n uint8, anchors uint32, to *[16]uint8) {
	for k := range to {
		to[k] = uint8(b.take(n - uint8(anchors&1)))
		anchors >>= 1
	}
}
