package lzo_test

import "pakdb/codecs/internal/lzo"

// oracle is LZO1X once more, byte by byte and class by class as doc.go lists
// them, with no thought for speed. It panics with a sentinel.
type oracle struct {
	src   []byte
	ip    int
	out   []byte
	limit int
}

// decode returns what Decode should: output, bytes consumed (on failure where
// the failed instruction begins), sentinel.
func (o *oracle) decode() (out []byte, read int, err error) {
	at, mark := 0, 0
	defer func() {
		if r := recover(); r != nil {
			out, read, err = o.out[:mark], at, r.(error)
		}
	}()
	state := 0
	if len(o.src) > 0 && o.src[0] > 17 {
		n := o.literals(int(o.next()) - 17)
		state = min(n, 4)
	}
	for {
		at, mark = o.ip, len(o.out)
		t := int(o.next())
		if t < 16 && state == 0 {
			o.literals(o.length(t, 15) + 3)
			state = 4
			continue
		}
		var length, dist, lits int
		switch {
		case t >= 64:
			length, dist, lits = t>>5+1, int(o.next())<<3+t>>2&7+1, t&3
		case t >= 32:
			length = o.length(t&31, 31) + 2
			v := o.word()
			dist, lits = v>>2+1, v&3
		case t >= 16:
			length = o.length(t&7, 7) + 2
			v := o.word()
			dist, lits = v>>2+t&8<<11+16384, v&3
			if dist == 16384 {
				if t != 17 || v != 0 {
					panic(lzo.ErrCorrupt)
				}
				return o.out, o.ip, nil
			}
		case state == 4:
			length, dist, lits = 3, int(o.next())<<2+t>>2+2049, t&3
		default:
			length, dist, lits = 2, int(o.next())<<2+t>>2+1, t&3
		}
		if dist > len(o.out) {
			panic(lzo.ErrLookbehindOverrun)
		}
		if length > o.limit-len(o.out) {
			panic(lzo.ErrOutputOverrun)
		}
		o.out = copied(o.out, dist, length)
		mark = len(o.out)
		state = o.literals(lits)
	}
}

func (o *oracle) next() byte {
	if o.ip == len(o.src) {
		panic(lzo.ErrInputOverrun)
	}
	o.ip++
	return o.src[o.ip-1]
}

func (o *oracle) word() int {
	low := int(o.next())
	return low + int(o.next())<<8
}

func (o *oracle) length(bits, largest int) int {
	if bits > 0 {
		return bits
	}
	for n := largest; ; n += 255 {
		if b := int(o.next()); b > 0 {
			return n + b
		}
	}
}

func (o *oracle) literals(n int) int {
	if n > len(o.src)-o.ip {
		panic(lzo.ErrInputOverrun)
	}
	if n > o.limit-len(o.out) {
		panic(lzo.ErrOutputOverrun)
	}
	o.out = append(o.out, o.src[o.ip:o.ip+n]...)
	o.ip += n
	return n
}
