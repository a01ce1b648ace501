package inflate

import "encoding/binary"

// Decoder decodes streams into slices of known size. Its zero value is ready.
// It keeps its tables, about 20 KiB, and nothing of a stream, so that one can
// be used again and again, but not by two goroutines at once.
type Decoder struct {
	stream
	lit   [litSize]uint32
	dist  [distSize]uint32
	order code
	fixed bool // the tables are those of the fixed code
	lens  [litCodes + distCodes]uint8
	meta  [lensSize]uint32
}

// Raw decodes a bare deflate stream (RFC 1951) and returns how many bytes of src
// it takes; what follows is not looked at. It fills dst exactly, or fails with
// an [*Error]. What dst holds then is undefined. dst and src must not overlap.
func (d *Decoder) Raw(dst, src []byte) (read int, err error) {
	d.reset(dst, src)
	err = d.blocks()
	return d.end(err)
}

// end forgets the slices.
func (d *Decoder) end(err error) (int, error) {
	read := d.ip
	d.reset(nil, nil)
	if err != nil {
		return 0, err
	}
	return read, nil
}

// blocks decodes up to the last block, and leaves the stream at the byte that
// follows.
func (d *Decoder) blocks() error {
	for last := false; !last; {
		head, ok := d.take(3)
		if !ok {
			return d.fail(ErrTruncated, "block header")
		}
		last = head&1 != 0
		if err := d.block(head >> 1); err != nil {
			return err
		}
	}
	d.align()
	if d.op < len(d.dst) {
		return d.fail(ErrTooShort, "stream")
	}
	return nil
}

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
