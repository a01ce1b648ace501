package inflate

import "encoding/binary"

// What a round of fast may read beyond ip, in two refills, and write beyond op:
// three literals and a match of 258 bytes, which is copied in steps of 16,
// the first two of them at once.
const (
	inMargin  = 7 + 8
	outMargin = 3 + 258 + 31
)

// more fills the buffer up to 56 bits or more. The bits that it adds beyond
// those that it counts are the ones that it adds there the next time.
func more(src []byte, ip int, bits, count uint64) (int, uint64, uint64) {
	bits |= binary.LittleEndian.Uint64(src[ip:ip+8]) << (count & 63)
	return ip + int(^count>>3&7), bits, count | 56
}

// fast decodes while there is room on both sides, and reports whether it came
// to the end of the block.
//
// It is one loop, with its state in registers, and looks up what comes next
// before it copies a match, so that the processor does both at once. Of
// count only the lowest 6 bits are kept right, which lets whole entries be
// taken from it. 56 bits are three literals from the table (11 bits each) and
// a length (15 and 5 extra), or after a refill to 39 a distance (15 and 13) and the
// index of the next.
func (d *Decoder) fast() (done bool, err error) {
	src, dst := d.src, d.dst
	ip, op := d.ip, d.op
	bits, count := d.bits, uint64(d.count)
	lit, dist := &d.lit, &d.dist
	inEnd, outEnd := len(src)-inMargin, len(dst)-outMargin
	if ip > inEnd || op > outEnd {
		return false, nil
	}
	ip, bits, count = more(src, ip, bits, count)
	e := lit[bits&(1<<litBits-1)]
	what := ""
	for ip <= inEnd && op <= outEnd {
		if e&literal != 0 {
			bits >>= e & 63
			count -= uint64(e)
			dst[op] = byte(e >> 16)
			op++
			e = lit[bits&(1<<litBits-1)]
			if e&literal != 0 {
				bits >>= e & 63
				count -= uint64(e)
				dst[op] = byte(e >> 16)
				op++
				e = lit[bits&(1<<litBits-1)]
				if e&literal != 0 {
					bits >>= e & 63
					count -= uint64(e)
					dst[op] = byte(e >> 16)
					op++
					e = lit[bits&(1<<litBits-1)]
					ip, bits, count = more(src, ip, bits, count)
					continue
				}
			}
		}
		if e&special != 0 {
			if e&notCode == special {
				bits >>= litBits
				count -= litBits
				e = lit[(e>>16+uint32(bits)&(1<<(e>>8&15)-1))&(litSize-1)]
			}
			if e&literal != 0 {
				bits >>= e & 63
				count -= uint64(e)
				dst[op] = byte(e >> 16)
				op++
				ip, bits, count = more(src, ip, bits, count)
				e = lit[bits&(1<<litBits-1)]
				continue
			}
			if e&special != 0 {
				if done = e&blockEnd == blockEnd; done {
					bits >>= e & 63
					count -= uint64(e)
				} else {
					what = "code of a literal or length"
				}
				break
			}
		}
		length := int(e>>16) + int(bits&(1<<(e&63)-1)>>(e>>8&15))
		bits >>= e & 63
		count -= uint64(e)
		if count&63 < 39 {
			ip, bits, count = more(src, ip, bits, count)
		}
		f := dist[bits&(1<<distBits-1)]
		if f&special != 0 {
			if f&notCode == special {
				bits >>= distBits
				count -= distBits
				f = dist[(f>>16+uint32(bits)&(1<<(f>>8&15)-1))&(distSize-1)]
			}
			if f&special != 0 {
				what = "code of a distance"
				break
			}
		}
		back := int(f>>16) + int(bits&(1<<(f&63)-1)>>(f>>8&15))
		bits >>= f & 63
		count -= uint64(f)
		from, to := op-back, op
		if from < 0 {
			what = "distance"
			break
		}
		e = lit[bits&(1<<litBits-1)]
		ip, bits, count = more(src, ip, bits, count)
		op += length
		switch {
		case back >= 16:
			*(*[16]byte)(dst[to : to+16]) = *(*[16]byte)(dst[from : from+16])
			*(*[16]byte)(dst[to+16 : to+32]) = *(*[16]byte)(dst[from+16 : from+32])
			for to += 32; to < op; to += 16 {
				*(*[16]byte)(dst[to : to+16]) = *(*[16]byte)(dst[to-back : to-back+16])
			}
		case back >= 8:
			for ; to < op; to += 8 {
				binary.LittleEndian.PutUint64(dst[to:to+8], binary.LittleEndian.Uint64(dst[to-back:to-back+8]))
			}
		default:
			p := patterns[back&7]
			v := binary.LittleEndian.Uint64(dst[from:from+8]) & p.mask * p.times
			for ; to < op; to += p.step {
				binary.LittleEndian.PutUint64(dst[to:to+8], v)
			}
		}
	}
	d.ip, d.op, d.count = ip, op, uint(count&63)
	d.bits = bits & (1<<d.count - 1)
	if what != "" {
		return false, d.fail(ErrCorrupt, what)
	}
	return done, nil
}

// patterns repeat the 1 to 7 bytes before a match as far as whole repeats fill
// 8 bytes.
var patterns = [8]struct {
	mask, times uint64
	step        int
}{
	1: {0xff, 0x0101010101010101, 8},
	2: {0xffff, 0x0001000100010001, 8},
	3: {0xffffff, 0x0001000001000001, 6},
	4: {0xffffffff, 0x0000000100000001, 8},
	5: {0xffffffffff, 0x0000010000000001, 5},
	6: {0xffffffffffff, 0x0001000000000001, 6},
	7: {0xffffffffffffff, 0x0100000000000001, 7},
}
