package inflate

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
