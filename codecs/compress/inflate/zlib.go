package inflate

import "encoding/binary"

// Zlib is [Decoder.Raw] for a zlib stream (RFC 1950), with its checksum.
func (d *Decoder) Zlib(dst, src []byte) (read int, err error) {
	d.reset(dst, src)
	return d.end(d.zlib())
}

func (d *Decoder) zlib() error {
	if err := d.zlibHeader(); err != nil {
		return err
	}
	if err := d.blocks(); err != nil {
		return err
	}
	end := d.src[d.ip:]
	if len(end) < 4 {
		return d.fail(ErrTruncated, "Adler-32")
	}
	if binary.BigEndian.Uint32(end) != sum(d.dst) {
		return d.fail(ErrChecksum, "Adler-32")
	}
	d.ip += 4
	return nil
}

// zlibHeader accepts any window: what a window cannot hold is not looked for.
func (d *Decoder) zlibHeader() error {
	if len(d.src) < 2 {
		return d.fail(ErrTruncated, "zlib header")
	}
	h := binary.BigEndian.Uint16(d.src)
	if h>>8&15 != 8 || h>>12 > 7 || h%31 != 0 {
		return d.fail(ErrCorrupt, "zlib header")
	}
	d.ip = 2
	if h&0x20 == 0 {
		return nil
	}
	if len(d.src) < 6 {
		return d.fail(ErrTruncated, "preset dictionary")
	}
	if binary.BigEndian.Uint32(d.src[2:]) != 1 { // of no bytes
		return d.fail(ErrCorrupt, "preset dictionary")
	}
	d.ip = 6
	return nil
}
