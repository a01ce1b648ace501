package texture

import "encoding/binary"

// block decodes one block after another.
type block struct {
	width, height int // pixels
	pixels        [12 * 12 * astcPixelSize]byte

	bits    astcBits128
	across  int // the grid of weights
	down    int
	dual    bool // one channel has weights of its own
	quant   *quant
	weights [64 + 13*2 + 2]int // and what is read after the grid, which counts nothing
}

const voidExtent = 0x1fc

// decode decodes a block. It returns false for one of colours above 1.
func (b *block) decode(src []byte) bool {
	b.bits = astcBitsOf(src)
	if b.bits.at(0, 9) == voidExtent {
		return b.one()
	}
	if !b.mode() {
		b.fill(illegal)
		return true
	}
	return b.colours()
}

// one decodes a block of one colour, which may hold for pixels around it as well.
func (b *block) one() bool {
	left, right, top, bottom := b.bits.at(12, 13), b.bits.at(25, 13), b.bits.at(38, 13), b.bits.at(51, 13)
	everywhere := left&right&top&bottom == 1<<13-1
	if b.bits.at(10, 2) != 3 || !everywhere && (left >= right || top >= bottom) {
		b.fill(illegal)
		return true
	}
	if b.bits.at(9, 1) != 0 {
		return false
	}
	var colour [4]byte
	for c := range colour {
		colour[c] = shown(int(b.bits.at(64+16*c, 16)))
	}
	b.fill(colour)
	return true
}

// shown returns the nearest byte of a channel of 16 bits.
func shown(v int) byte { return byte((v*255 + 32767) / 65535) }

// illegal is the colour of blocks that there must not be.
var illegal = [4]byte{255, 0, 255, 255}

func (b *block) fill(colour [4]byte) {
	v := binary.LittleEndian.Uint32(colour[:])
	for i := range b.width * b.height {
		binary.LittleEndian.PutUint32(b.pixels[4*i:], v)
	}
}

// mode reads the sides of the grid of weights, and how these are stored. It returns false
// for what the specification reserves.
func (b *block) mode() bool {
	m := b.bits.at(0, 11)
	first, second := int(m>>5&3), int(m>>7&3) // A and B of the specification
	b.dual = m>>10&1 != 0
	high := m>>9&1 != 0
	r := m >> 4 & 1
	if m&3 != 0 {
		r |= m & 3 << 1
		switch m >> 2 & 3 {
		case 0:
			b.across, b.down = second+4, first+2
		case 1:
			b.across, b.down = second+8, first+2
		case 2:
			b.across, b.down = first+2, second+8
		default:
			if second&2 == 0 {
				b.across, b.down = first+2, second+6
			} else {
				b.across, b.down = second&1+2, first+2
			}
		}
	} else {
		r |= m >> 2 & 3 << 1
		switch second {
		case 0:
			b.across, b.down = 12, first+2
		case 1:
			b.across, b.down = first+2, 12
		case 2:
			b.across, b.down = first+6, int(m>>9&3)+6
			b.dual, high = false, false
		default:
			switch first {
			case 0:
				b.across, b.down = 6, 10
			case 1:
				b.across, b.down = 10, 6
			default:
				return false
			}
		}
	}
	if r < 2 {
		return false
	}
	k := int(r) - 2
	if high {
		k += 6
	}
	b.quant = &quants[k]
	n := b.count()
	size := b.quant.size(n)
	return b.across <= b.width && b.down <= b.height && n <= 64 && size >= 24 && size <= 96
}

// count returns how many weights there are.
func (b *block) count() int {
	n := b.across * b.down
	if b.dual {
		n *= 2
	}
	return n
}

// colours reads the rest of the block and decodes its pixels.
func (b *block) colours() bool {
	partitions := int(b.bits.at(11, 2)) + 1
	n := b.count()
	end := 128 - b.quant.size(n) // below it lies what did not fit elsewhere
	if partitions == 4 && b.dual {
		b.fill(illegal)
		return true
	}
	var modes [4]int
	from := 17
	if partitions == 1 {
		modes[0] = int(b.bits.at(13, 4))
	} else {
		from = 29
		end = b.modes(modes[:partitions], end)
	}
	channel := -1
	if b.dual {
		end -= 2
		channel = int(b.bits.at(end, 2))
	}
	ends, ok, legal := b.ends(modes[:partitions], from, end)
	if !legal {
		b.fill(illegal)
		return true
	}
	if !ok {
		return false
	}
	b.readWeights(n)
	b.paint(&ends, partitions, channel)
	return true
}

// modes reads the modes of several partitions. Some of their bits lie below the weights.
func (b *block) modes(modes []int, end int) (rest int) {
	field := b.bits.at(23, 6)
	if field&3 == 0 {
		for i := range modes {
			modes[i] = int(field >> 2)
		}
		return end
	}
	n := len(modes)
	more := 3*n - 4
	end -= more
	field |= b.bits.at(end, more) << 6
	base := int(field&3) - 1
	for i := range modes {
		modes[i] = (base+int(field>>(2+i)&1))<<2 | int(field>>(2+n+2*i)&3)
	}
	return end
}

// ends reads the colours of the partitions from the bits between from and end.
func (b *block) ends(modes []int, from, end int) (out [4][2]rgba, ok, legal bool) {
	n := 0
	for _, m := range modes {
		n += (m>>2 + 1) * 2
	}
	if n > 18 || end-from < (13*n+4)/5 {
		return out, true, false
	}
	q := &quants[0]
	for i := len(quants) - 1; i >= 4; i-- { // the finest that fits
		if q = &quants[i]; q.size(n) <= end-from {
			break
		}
	}
	var numbers [18]number
	var values [18]int
	sequence(&b.bits, from, q, numbers[:n])
	for i := range n {
		values[i] = q.colour(numbers[i])
	}
	at := 0
	for i, m := range modes {
		if out[i][0], out[i][1], ok = endpoints(m, values[at:at+(m>>2+1)*2]); !ok {
			return out, false, true
		}
		at += (m>>2 + 1) * 2
	}
	return out, true, true
}

// readWeights reads the weights, which lie at the end of the block, the other way around.
func (b *block) readWeights(n int) {
	var numbers [64]number
	back := b.bits.reversed()
	sequence(&back, 0, b.quant, numbers[:n])
	clear(b.weights[:])
	for i := range n {
		b.weights[i] = b.quant.weight(numbers[i])
	}
}

// paint decodes the pixels. The weights of a pixel lie between those of four places of the
// grid.
func (b *block) paint(ends *[4][2]rgba, partitions, channel int) {
	split := splitOf(b.bits.at(13, 10), partitions, b.width*b.height < 31)
	scaleX, scaleY := (1024+b.width/2)/(b.width-1), (1024+b.height/2)/(b.height-1)
	planes := 1
	if b.dual {
		planes = 2
	}
	for y := range b.height {
		gy := (scaleY*y*(b.down-1) + 32) >> 6
		for x := range b.width {
			gx := (scaleX*x*(b.across-1) + 32) >> 6
			fx, fy := gx&15, gy&15
			at := (gx>>4 + gy>>4*b.across) * planes
			w11 := (fx*fy + 8) >> 4
			w10, w01, w00 := fy-w11, fx-w11, 16-fx-fy+w11
			down := b.across * planes
			w := (b.weights[at]*w00 + b.weights[at+planes]*w01 + b.weights[at+down]*w10 + b.weights[at+down+planes]*w11 + 8) >> 4
			second := w
			if b.dual {
				at++
				second = (b.weights[at]*w00 + b.weights[at+planes]*w01 + b.weights[at+down]*w10 + b.weights[at+down+planes]*w11 + 8) >> 4
			}
			e := &ends[0]
			if partitions > 1 {
				e = &ends[split.partition(x, y)]
			}
			out := b.pixels[(y*b.width+x)*astcPixelSize:][:astcPixelSize]
			for c := range out {
				k := w
				if c == channel {
					k = second
				}
				out[c] = shown((e[0][c]*257*(64-k) + e[1][c]*257*k + 32) >> 6)
			}
		}
	}
}

// split is how the pixels of a block are spread over its partitions.
type split struct {
	slopes     [8]uint32
	hash       uint32
	partitions int
	small      bool
}

// splitOf returns the split of a number.
func splitOf(seed uint32, partitions int, small bool) split {
	seed += uint32(partitions-1) * 1024
	s := split{hash: hash(seed), partitions: partitions, small: small}
	for i := range s.slopes {
		v := s.hash >> (4 * i) & 15
		s.slopes[i] = v * v
	}
	one, two := uint32(5), uint32(5)
	if seed&2 != 0 {
		one = 4
	}
	if partitions == 3 {
		two = 6
	}
	if seed&1 == 0 {
		one, two = two, one
	}
	for i := range s.slopes {
		if i%2 == 0 {
			s.slopes[i] >>= one
		} else {
			s.slopes[i] >>= two
		}
	}
	return s
}

// partition returns the partition of a pixel.
func (s *split) partition(px, py int) int {
	x, y := uint32(px), uint32(py)
	if s.small {
		x, y = x<<1, y<<1
	}
	k, r := &s.slopes, s.hash
	a := (k[0]*x + k[1]*y + r>>14) & 63
	b := (k[2]*x + k[3]*y + r>>10) & 63
	c := (k[4]*x + k[5]*y + r>>6) & 63
	d := (k[6]*x + k[7]*y + r>>2) & 63
	if s.partitions < 4 {
		d = 0
	}
	if s.partitions < 3 {
		c = 0
	}
	switch {
	case a >= b && a >= c && a >= d:
		return 0
	case b >= c && b >= d:
		return 1
	case c >= d:
		return 2
	}
	return 3
}

// hash is hash52 of the specification.
func hash(p uint32) uint32 {
	p ^= p >> 15
	p -= p << 17
	p += p << 7
	p += p << 4
	p ^= p >> 5
	p += p << 16
	p ^= p >> 7
	p ^= p >> 3
	p ^= p << 6
	p ^= p >> 17
	return p
}
