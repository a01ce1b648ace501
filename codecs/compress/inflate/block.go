package inflate

import "encoding/binary"

func (d *Decoder) block(kind uint) error {
	switch kind {
	case 0:
		return d.stored()
	case 1:
		d.fixedCodes()
	case 2:
		if err := d.dynamicCodes(); err != nil {
			return err
		}
	default:
		return d.fail(ErrCorrupt, "block type")
	}
	if done, err := d.fast(); done || err != nil {
		return err
	}
	return d.slow()
}

func (d *Decoder) stored() error {
	d.align()
	rest := d.src[d.ip:]
	if len(rest) < 4 {
		return d.fail(ErrTruncated, "length of a stored block")
	}
	n := binary.LittleEndian.Uint16(rest)
	if n != ^binary.LittleEndian.Uint16(rest[2:]) {
		return d.fail(ErrCorrupt, "length of a stored block")
	}
	d.ip += 4
	switch rest = rest[4:]; {
	case int(n) > len(rest):
		return d.fail(ErrTruncated, "stored block")
	case int(n) > len(d.dst)-d.op:
		return d.fail(ErrTooLong, "stored block")
	}
	copy(d.dst[d.op:], rest[:n])
	d.ip, d.op = d.ip+int(n), d.op+int(n)
	return nil
}

// slow decodes to the end of the block, one symbol at a time. It needs no bytes
// of src and dst beyond those that the block uses.
func (d *Decoder) slow() error {
	for {
		e, before, ok := d.lookup(d.lit[:], litBits)
		switch {
		case !ok:
			return d.fail(ErrTruncated, "block")
		case e&literal != 0:
			if d.op == len(d.dst) {
				return d.fail(ErrTooLong, "block")
			}
			d.dst[d.op] = byte(e >> 16)
			d.op++
		case e&special == 0:
			if err := d.match(value(e, before)); err != nil {
				return err
			}
		case e&blockEnd == blockEnd:
			return nil
		default:
			return d.fail(ErrCorrupt, "code of a literal or length")
		}
	}
}

// match reads a distance and copies length bytes from there.
func (d *Decoder) match(length int) error {
	e, before, ok := d.lookup(d.dist[:], distBits)
	if !ok {
		return d.fail(ErrTruncated, "distance")
	}
	if e&special != 0 {
		return d.fail(ErrCorrupt, "code of a distance")
	}
	dist := value(e, before)
	switch {
	case dist > d.op:
		return d.fail(ErrCorrupt, "distance")
	case length > len(d.dst)-d.op:
		return d.fail(ErrTooLong, "block")
	}
	for to := d.dst[d.op : d.op+length]; len(to) > 0; {
		n := copy(to, d.dst[d.op-dist:d.op])
		d.op, to = d.op+n, to[n:]
	}
	return nil
}
