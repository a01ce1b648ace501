package lzo

import "encoding/binary"

// One turn of fast reads and writes at most this much, copies in whole words
// and the literals after a match included.
const (
	fastSrc = 32
	fastDst = maxWide + 8
	maxWide = 40 // longest match that is copied in words without asking
)

// fast decodes instructions while both ends are out of reach, so that copies
// may be rounded up to whole words. It stops before the first instruction that
// is not common (end marker, literal run or match of hundreds of bytes) or
// not valid, and leaves that to step.
func (d *decoder) fast() {
	dst, src := d.dst, d.src
	ip, op, state := d.ip, d.op, d.state
	for len(src)-ip >= fastSrc && len(dst)-op >= fastDst {
		word := binary.LittleEndian.Uint32(src[ip:])
		t := word & 0xff
		row := uint(t)
		if t < minM4 {
			if state == 0 {
				if t == 0 {
					break
				}
				n := int(t) + 3
				copyRun(dst[op:op+24], src[ip+1:ip+25], n)
				ip, op, state = ip+1+n, op+n, stateRun
				continue
			}
			row += m1Row + 16*uint(state)
		}
		o := &opcodes[row]
		length, end := int(o.length), ip+int(o.size)
		if length == 0 {
			word >>= 8
			extra := int(word & 0xff)
			if extra == 0 {
				break
			}
			length, end = maxLength(t)+extra, end+1
		}
		dist, lits := o.split(word)
		if dist > op || dist == m4Base {
			break
		}
		from := op - dist
		if length > maxWide || dist < 8 {
			if length+4 > len(dst)-op {
				break
			}
			repeat(dst[from:op+length], dist)
		} else {
			// Each word is read after the one before it is written, so
			// a distance of 8 and more is far enough.
			to, from := dst[op:op+maxWide], dst[from:from+maxWide]
			copy8(to, from)
			copy8(to[8:], from[8:])
			if length > 16 {
				copy8(to[16:], from[16:])
				copy8(to[24:], from[24:])
				copy8(to[32:], from[32:])
			}
		}
		op += length
		// Four bytes whatever lits says: a branch would cost more.
		binary.LittleEndian.PutUint32(dst[op:], binary.LittleEndian.Uint32(src[end:]))
		ip, op, state = end+lits, op+lits, lits
	}
	d.ip, d.op, d.state = ip, op, state
}

// copyRun copies a short literal run, 4 to 18 bytes, as 16 or 24.
func copyRun(dst, src []byte, n int) {
	copy8(dst, src)
	copy8(dst[8:], src[8:])
	if n > 16 {
		copy8(dst[16:], src[16:])
	}
}

func copy8(dst, src []byte) {
	binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src))
}
