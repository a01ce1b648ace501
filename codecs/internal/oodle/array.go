package oodle

// The kinds of entropy-coded byte arrays.
const (
	arrayStored = iota
	arrayTANS
	arrayHuffman
	arrayRLE
	arrayHuffman2
	arrayRecursive
)

const (
	maxArray = 1 << 18 // decoded bytes of any array
	maxDepth = 16      // of arrays inside arrays; encoders go to 3
	// slack is how many bytes after an array may be read, and belong to it in the arena, so that copies can be wide.
	slack = 16
	// tableWork is charged to the work budget for each code table, whose cost does not depend on the array's size.
	tableWork = 256
)

// arrayHeader is the header in front of every array: src[pos:pos+stored] is the payload.
type arrayHeader struct {
	kind, pos, stored, size int
}

func (h arrayHeader) end() int { return h.pos + h.stored }

// arrayDecoder decodes entropy-coded arrays of bytes.
type arrayDecoder struct{ *Decoder }

// arrayHeader reads the header at pos of an array that must not go beyond stop nor decode to more than limit bytes.
func (d arrayDecoder) arrayHeader(pos, stop, limit int) (arrayHeader, error) {
	if stop-pos < 2 {
		return arrayHeader{}, d.corrupt(pos, "header")
	}
	p := d.src[pos:stop]
	h := arrayHeader{kind: int(p[0] >> 4 & 7)}
	short := p[0]&0x80 != 0
	switch {
	case h.kind > arrayRecursive:
		return h, d.corrupt(pos, "kind")
	case h.kind == arrayStored && short:
		h.pos, h.stored = pos+2, int(p[0]&15)<<8|int(p[1])
		h.size = h.stored
	case len(p) < 3:
		return h, d.corrupt(pos, "header")
	case h.kind == arrayStored:
		h.pos, h.stored = pos+3, be24(p)
		h.size = h.stored
	case short:
		v := be24(p)
		h.pos, h.stored = pos+3, v&0x3FF
		h.size = h.stored + v>>10&0x3FF + 1
	case len(p) < 5:
		return h, d.corrupt(pos, "header")
	default:
		v := uint64(be24(p))<<16 | uint64(p[3])<<8 | uint64(p[4])
		h.pos, h.stored = pos+5, int(v&0x3FFFF)
		h.size = int(v>>18&0x3FFFF) + 1
		if h.stored >= h.size {
			return h, d.corrupt(pos, "stored")
		}
	}
	if h.stored > stop-h.pos {
		return h, d.corrupt(pos, "stored")
	}
	if h.size > limit || h.size > maxArray {
		return h, d.corrupt(pos, "size")
	}
	return h, nil
}

// array decodes the array at pos and returns its bytes and the position after it. A stored array is a slice of src,
// any other lives in the arena until the chunk's end. The bytes up to the result's capacity, slack at most, may be read.
func (d arrayDecoder) array(pos, stop, limit, depth int) ([]byte, int, error) {
	h, err := d.arrayHeader(pos, stop, limit)
	if err != nil {
		return nil, 0, err
	}
	if h.kind == arrayStored {
		if err := d.charge(h.pos, h.size); err != nil {
			return nil, 0, err
		}
		return d.src[h.pos:h.end():min(h.end()+slack, stop)], h.end(), nil
	}
	if err := d.charge(pos, h.size); err != nil {
		return nil, 0, err
	}
	out := d.alloc(h.size)
	return out, h.end(), d.payload(h, out, depth)
}

// withSlack returns the array p with 8 bytes at least between its length and its capacity, which it mostly has.
func (d arrayDecoder) withSlack(p []byte) []byte {
	if cap(p)-len(p) >= 8 {
		return p
	}
	q := d.alloc(len(p))
	copy(q, p)
	return q
}

// named is array with part as the prefix of the fields of its errors.
func (d arrayDecoder) named(part string, pos, stop, limit int) ([]byte, int, error) {
	d.part = part
	out, next, err := d.array(pos, stop, limit, 0)
	d.part = ""
	return out, next, err
}

// arrayInto decodes the array at pos, which must be of exactly len(out) bytes, and returns the position after it.
func (d arrayDecoder) arrayInto(pos, stop int, out []byte, depth int) (int, error) {
	h, err := d.arrayHeader(pos, stop, len(out))
	if err != nil {
		return 0, err
	}
	if h.size != len(out) {
		return 0, d.corrupt(pos, "size")
	}
	if err := d.charge(pos, h.size); err != nil {
		return 0, err
	}
	return h.end(), d.payload(h, out, depth)
}

// payload decodes the payload of h to out, which has its size.
func (d arrayDecoder) payload(h arrayHeader, out []byte, depth int) error {
	if depth > maxDepth {
		return d.corrupt(h.pos, "depth")
	}
	switch h.kind {
	case arrayTANS:
		return decodeTANS(d, h, out)
	case arrayHuffman, arrayHuffman2:
		return d.huffman(h, out)
	case arrayRLE:
		return d.rle(h, out, depth)
	case arrayRecursive:
		return d.recursive(h, out, depth)
	default:
		copy(out, d.src[h.pos:h.end()])
		return nil
	}
}

// charge takes n off the chunk's work budget. Valid chunks need about twice their raw size; the budget is four times
// that, and stops hostile nests.
func (d arrayDecoder) charge(pos, n int) error {
	d.work -= n
	if d.work < 0 {
		return d.corrupt(pos, "work")
	}
	return nil
}

// alloc returns n bytes of the arena with slack after them. They are charged for before.
func (d arrayDecoder) alloc(n int) []byte {
	if n+slack > len(d.arena)-d.arenaN {
		// The arrays of this chunk keep the old arena alive until the chunk is done; the next chunk finds the large one.
		d.arena = make([]byte, max(2*len(d.arena), 2*(n+slack), 1<<12))
		d.arenaN = 0
	}
	p := d.arena[d.arenaN : d.arenaN+n : d.arenaN+n+slack]
	d.arenaN += n + slack
	return p
}

// rle decodes a run-length array: literals from the front of the command buffer, commands from its end.
func (d arrayDecoder) rle(h arrayHeader, out []byte, depth int) error {
	if h.stored == 0 {
		return d.corrupt(h.pos, "rle.stored")
	}
	p := d.src[h.pos:h.end()]
	if len(p) == 1 {
		fillBytes(out, p[0])
		return nil
	}
	k := p[1:]
	if p[0] != 0 {
		var err error
		if k, err = d.rleCommands(h, depth); err != nil {
			return err
		}
	}
	if !expand(out, k) {
		return d.corrupt(h.pos, "rle.commands")
	}
	return nil
}

// rleCommands returns the command buffer whose front is an array of its own.
func (d arrayDecoder) rleCommands(h arrayHeader, depth int) ([]byte, error) {
	front, next, err := d.array(h.pos, h.end(), maxArray, depth+1)
	if err != nil {
		return nil, err
	}
	rest := d.src[next:h.end()]
	n := len(front) + len(rest)
	if n > maxArray {
		return nil, d.corrupt(next, "rle.size")
	}
	if err := d.charge(next, n); err != nil {
		return nil, err
	}
	k := d.alloc(n)
	copy(k[copy(k, front):], rest)
	return k, nil
}

// expand runs the commands of k. It reports whether they fill out exactly and use k up.
func expand(out, k []byte) bool {
	var fill byte
	for len(k) > 0 {
		c := int(k[len(k)-1])
		size, lits, run := 1, 15-c&15, c>>4
		if c == 1 {
			if len(k) < 2 {
				return false
			}
			fill, k = k[0], k[1:len(k)-1]
			continue
		}
		if c > 0 && c < 0x30 {
			if len(k) < 2 {
				return false
			}
			w := c<<8 | int(k[len(k)-2])
			size = 2
			switch {
			case c >= 0x10:
				lits, run = (w-0x1000)&63, (w-0x1000)>>6
			case c >= 9:
				lits, run = 0, (w-0x8FF)*128
			default:
				lits, run = (w-511)*64, 0
			}
		}
		if lits > len(k)-size || lits+run > len(out) {
			return false
		}
		copy(out, k[:lits])
		fillBytes(out[lits:lits+run], fill)
		out, k = out[lits+run:], k[lits:len(k)-size]
	}
	return len(out) == 0
}
