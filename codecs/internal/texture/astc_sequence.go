package texture

// quant is how many levels numbers have: some bits, and a digit of three or of five.
type quant struct {
	levels        int
	bits          int
	trits, quints bool
}

// quants are all of them.
var quants = [...]quant{
	{2, 1, false, false}, {3, 0, true, false}, {4, 2, false, false}, {5, 0, false, true}, {6, 1, true, false}, {8, 3, false, false},
	{10, 1, false, true}, {12, 2, true, false}, {16, 4, false, false}, {20, 2, false, true}, {24, 3, true, false}, {32, 5, false, false},
	{40, 3, false, true}, {48, 4, true, false}, {64, 6, false, false}, {80, 4, false, true}, {96, 5, true, false}, {128, 7, false, false},
	{160, 5, false, true}, {192, 6, true, false}, {256, 8, false, false},
}

// size returns how many bits n numbers take.
func (q *quant) size(n int) int {
	switch {
	case q.trits:
		return n*q.bits + (8*n+4)/5
	case q.quints:
		return n*q.bits + (7*n+2)/3
	}
	return n * q.bits
}

// number is a number of a sequence: its digit and its bits.
type number struct{ digit, low uint8 }

// sequence reads numbers from a bit on. What lies after the sequence's own end is 0.
func sequence(b *astcBits128, from int, q *quant, out []number) {
	end := from + q.size(len(out))
	take := func(n int) uint32 {
		n = max(min(n, end-from), 0)
		v := b.at(from, n)
		from += n
		return v
	}
	for i := 0; i < len(out); {
		switch {
		case q.trits:
			var low [5]uint8
			packed := uint32(0)
			for k, part := range [5][2]int{{2, 0}, {2, 2}, {1, 4}, {2, 5}, {1, 7}} {
				low[k] = uint8(take(q.bits))
				packed |= take(part[0]) << part[1]
			}
			digits := trits(packed)
			for k := 0; k < 5 && i < len(out); k, i = k+1, i+1 {
				out[i] = number{digits[k], low[k]}
			}
		case q.quints:
			var low [3]uint8
			packed := uint32(0)
			for k, part := range [3][2]int{{3, 0}, {2, 3}, {2, 5}} {
				low[k] = uint8(take(q.bits))
				packed |= take(part[0]) << part[1]
			}
			digits := quints(packed)
			for k := 0; k < 3 && i < len(out); k, i = k+1, i+1 {
				out[i] = number{digits[k], low[k]}
			}
		default:
			out[i] = number{0, uint8(take(q.bits))}
			i++
		}
	}
}

// trits unpacks five digits of three from 8 bits.
func trits(t uint32) (d [5]uint8) {
	var c uint32
	if t>>2&7 == 7 {
		c = t>>5&7<<2 | t&3
		d[3], d[4] = 2, 2
	} else {
		c = t & 31
		if t>>5&3 == 3 {
			d[4], d[3] = 2, uint8(t>>7)
		} else {
			d[4], d[3] = uint8(t>>7), uint8(t>>5&3)
		}
	}
	switch {
	case c&3 == 3:
		d[2], d[1] = 2, uint8(c>>4)
		d[0] = uint8(c>>3&1<<1 | c>>2&1&^(c>>3&1))
	case c>>2&3 == 3:
		d[2], d[1], d[0] = 2, 2, uint8(c&3)
	default:
		d[2], d[1] = uint8(c>>4), uint8(c>>2&3)
		d[0] = uint8(c>>1&1<<1 | c&1&^(c>>1&1))
	}
	return d
}

// quints unpacks three digits of five from 7 bits.
func quints(q uint32) (d [3]uint8) {
	if q>>1&3 == 3 && q>>5&3 == 0 {
		d[2] = uint8(q&1<<2 | (q>>4&1&^(q&1))<<1 | q>>3&1&^(q&1))
		d[1], d[0] = 4, 4
		return d
	}
	var c uint32
	if q>>1&3 == 3 {
		d[2] = 4
		c = q>>3&3<<3 | (^q>>5&3)<<1 | q&1
	} else {
		d[2] = uint8(q >> 5 & 3)
		c = q & 31
	}
	if c&7 == 5 {
		d[1], d[0] = 4, uint8(c>>3&3)
	} else {
		d[1], d[0] = uint8(c>>3&3), uint8(c&7)
	}
	return d
}

// weight returns the weight of a number, 0 to 64.
func (q *quant) weight(n number) int {
	v := 0
	low := uint32(n.low)
	a := uint32(0) // the lowest bit seven times
	if low&1 != 0 {
		a = 0x7f
	}
	b := low >> 1 & 1
	c := low >> 2 & 1
	var mul, add uint32
	switch {
	case !q.trits && !q.quints:
		v = int(low << (6 - q.bits))
		for k := q.bits; k < 6; k += q.bits {
			v |= v >> k
		}
		v &= 63
	case q.bits == 0 && q.trits:
		v = [3]int{0, 32, 63}[n.digit%3]
	case q.bits == 0:
		v = [5]int{0, 16, 32, 47, 63}[n.digit%5]
	default:
		switch {
		case q.trits && q.bits == 1:
			mul = 50
		case q.trits && q.bits == 2:
			mul, add = 23, b<<6|b<<2|b
		case q.trits:
			mul, add = 11, c<<6|b<<5|c<<1|b
		case q.bits == 1:
			mul = 28
		default:
			mul, add = 13, b<<6|b<<1
		}
		t := (uint32(n.digit)*mul + add) ^ a
		v = int(a&0x20 | t>>2)
	}
	if v > 32 {
		v++
	}
	return v
}

// colour returns the value of a channel for a number, 0 to 255.
func (q *quant) colour(n number) int {
	low := uint32(n.low)
	if !q.trits && !q.quints {
		v := low << (8 - q.bits)
		for k := q.bits; k < 8; k += q.bits {
			v |= v >> k
		}
		return int(v & 255)
	}
	a := uint32(0)
	if low&1 != 0 {
		a = 0x1ff
	}
	h := low >> 1 // bits above the lowest
	var mul, add uint32
	if q.trits {
		switch q.bits {
		case 1:
			mul = 204
		case 2:
			mul, add = 93, h<<8|h<<4|h<<2|h<<1
		case 3:
			mul, add = 44, h<<7|h<<2|h
		case 4:
			mul, add = 22, h<<6|h
		case 5:
			mul, add = 11, h<<5|h>>2
		default:
			mul, add = 5, h<<4|h>>4
		}
	} else {
		switch q.bits {
		case 1:
			mul = 113
		case 2:
			mul, add = 54, h<<8|h<<3|h<<2
		case 3:
			mul, add = 26, h<<7|h<<1|h>>1
		case 4:
			mul, add = 13, h<<6|h>>1
		default:
			mul, add = 6, h<<5|h>>3
		}
	}
	t := (uint32(n.digit)*mul + add) ^ a
	return int(a&0x80 | t>>2)
}
