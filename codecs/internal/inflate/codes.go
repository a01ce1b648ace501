package inflate

// fixedCodes makes the tables of RFC 1951, 3.2.6, unless they are there.
func (d *Decoder) fixedCodes() {
	if d.fixed {
		return
	}
	var lens [288]uint8
	for i := range lens {
		switch {
		case i < 144:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		case i < 280:
			lens[i] = 7
		default:
			lens[i] = 8
		}
	}
	d.order.set(lens[:])
	d.order.fill(d.lit[:], litEntries[:], litBits)
	for i := range 32 {
		lens[i] = 5
	}
	d.order.set(lens[:32])
	d.order.fill(d.dist[:], distEntries[:], distBits)
	d.fixed = true
}

// dynamicCodes reads the codes of a block and makes their tables.
func (d *Decoder) dynamicCodes() error {
	head, ok := d.take(14)
	if !ok {
		return d.fail(ErrTruncated, "numbers of codes")
	}
	lits, dists := 257+head&31, 1+head>>5&31
	if lits > litCodes || dists > distCodes {
		return d.fail(ErrCorrupt, "numbers of codes")
	}
	if err := d.metaCode(4 + head>>10); err != nil {
		return err
	}
	if err := d.lengths(lits + dists); err != nil {
		return err
	}
	d.fixed = false
	if d.lens[256] == 0 || !d.order.set(d.lens[:lits]) {
		return d.fail(ErrCorrupt, "code of literals and lengths")
	}
	d.order.fill(d.lit[:], litEntries[:], litBits)
	if !d.order.set(d.lens[lits : lits+dists]) {
		return d.fail(ErrCorrupt, "code of distances")
	}
	d.order.fill(d.dist[:], distEntries[:], distBits)
	return nil
}

// lensOrder is the order in which the lengths of the meta code are written.
var lensOrder = [lensCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// metaCode reads the code in which the lengths of the others are written. Of
// the codes that are no more than one symbol none can write a valid block.
func (d *Decoder) metaCode(n uint) error {
	var lens [lensCodes]uint8
	for _, sym := range lensOrder[:n] {
		v, ok := d.take(3)
		if !ok {
			return d.fail(ErrTruncated, "code of code lengths")
		}
		lens[sym] = uint8(v)
	}
	if !d.order.set(lens[:]) || d.order.used < 2 {
		return d.fail(ErrCorrupt, "code of code lengths")
	}
	d.order.fill(d.meta[:], lensEntries[:], lensBits)
	return nil
}

// lengths reads the lengths of n codes.
func (d *Decoder) lengths(n uint) error {
	for i := uint(0); i < n; {
		e, _, ok := d.lookup(d.meta[:], lensBits)
		if !ok {
			return d.fail(ErrTruncated, "code lengths")
		}
		sym := uint8(e >> 16)
		if sym < 16 {
			d.lens[i] = sym
			i++
			continue
		}
		times, ok := d.repeat(sym)
		switch {
		case !ok:
			return d.fail(ErrTruncated, "code lengths")
		case times > n-i || sym == 16 && i == 0:
			return d.fail(ErrCorrupt, "code lengths")
		}
		var value uint8
		if sym == 16 {
			value = d.lens[i-1]
		}
		for range times {
			d.lens[i] = value
			i++
		}
	}
	return nil
}

// repeat returns how often 16, 17 or 18 repeats.
func (d *Decoder) repeat(sym uint8) (times uint, ok bool) {
	base, extra := uint(3), uint(2)
	switch sym {
	case 17:
		extra = 3
	case 18:
		base, extra = 11, 7
	}
	times, ok = d.take(extra)
	return base + times, ok
}
