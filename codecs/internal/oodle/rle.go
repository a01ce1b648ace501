package oodle

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
