package lzo

import "math"

// Decode decodes the LZO1X stream at the start of src into dst. It returns how
// many bytes it wrote to dst and how many of src it consumed, the end marker
// included. A stream may yield less than dst holds, and bytes may follow it in
// src: whether either is wrong is for the caller to say.
//
// On failure the error is an [*Error], n is what had been decoded and read
// where the failed instruction begins. Bytes of dst from n on hold nothing of
// meaning, after success too: matches are copied in words. dst and src must
// not overlap. Decode allocates nothing unless it fails and is safe for
// concurrent use.
func Decode(dst, src []byte) (n, read int, err error) {
	d := decoder{dst: dst, src: src}
	err = d.first()
	for !d.done && err == nil {
		d.fast()
		err = d.step()
	}
	return d.op, d.ip, err
}

// decoder is the position between two instructions.
type decoder struct {
	dst, src []byte
	ip, op   int // next byte of src, of dst
	state    int // literals copied by the instruction before; see stateRun
	done     bool
}

func (d *decoder) fail(err error) error { return &Error{Off: d.ip, Out: d.op, Err: err} }

// first handles the second meaning of a stream's first byte.
func (d *decoder) first() error {
	const bias = 17
	if len(d.src) == 0 || d.src[0] <= bias {
		return nil
	}
	n := int(d.src[0]) - bias
	d.state = min(n, stateRun)
	return d.literals(1, n)
}

// step decodes one instruction and checks each byte. It is the whole decoder:
// fast only skips ahead through what is common and far from both ends.
func (d *decoder) step() error {
	if d.ip == len(d.src) {
		return d.fail(ErrInputOverrun)
	}
	t := uint32(d.src[d.ip])
	if t >= minM4 {
		return d.match(t, &opcodes[t])
	}
	if d.state > 0 {
		return d.match(t, &opcodes[m1Row+16*d.state+int(t)])
	}
	n, ip := int(t), d.ip+1
	if n == 0 {
		n, ip = d.extended(ip, 15)
	}
	d.state = stateRun
	return d.literals(ip, n+3)
}

// literals ends an instruction: n bytes at ip are copied to the output, and
// the next instruction follows them.
func (d *decoder) literals(ip, n int) error {
	if n > len(d.src)-ip {
		return d.fail(ErrInputOverrun)
	}
	if n > len(d.dst)-d.op {
		return d.fail(ErrOutputOverrun)
	}
	copy(d.dst[d.op:], d.src[ip:ip+n])
	d.ip, d.op = ip+n, d.op+n
	return nil
}

func (d *decoder) match(t uint32, o *opcode) error {
	length, ip := int(o.length), d.ip+1
	if length == 0 {
		length, ip = d.extended(ip, maxLength(t))
	}
	end := ip + int(o.size) - 1
	if end > len(d.src) {
		return d.fail(ErrInputOverrun)
	}
	dist, lits := o.split(t | operand(d.src[ip:end])<<8)
	if t < minM3 && dist == m4Base {
		return d.end(t, lits, end)
	}
	if dist > d.op {
		return d.fail(ErrLookbehindOverrun)
	}
	if length > len(d.dst)-d.op {
		return d.fail(ErrOutputOverrun)
	}
	repeat(d.dst[d.op-dist:d.op+length], dist)
	d.op += length
	d.state = lits
	return d.literals(end, lits)
}

// end handles the M4 that ends a stream. Encoders give it length 3 and no
// literals; other forms would carry data that is never looked at.
func (d *decoder) end(t uint32, lits, ip int) error {
	if t != endByte || lits != 0 {
		return d.fail(ErrCorrupt)
	}
	d.ip, d.done = ip, true
	return nil
}

// extended reads [n] at ip and adds it to base. The sum stops growing before
// it overflows, at a length that no slice has.
func (d *decoder) extended(ip, base int) (n, end int) {
	for n = base; ip < len(d.src) && d.src[ip] == 0; ip++ {
		if n < math.MaxInt-1024 {
			n += 255
		}
	}
	if ip < len(d.src) {
		n += int(d.src[ip])
		ip++
	}
	return n, ip
}

// operand returns b as a little-endian number.
func operand(b []byte) (v uint32) {
	for i, c := range b {
		v |= uint32(c) << (8 * i)
	}
	return v
}

// repeat fills buf after its first period bytes with copies of them.
func repeat(buf []byte, period int) {
	for done := period; done < len(buf); {
		done += copy(buf[done:], buf[:done])
	}
}
