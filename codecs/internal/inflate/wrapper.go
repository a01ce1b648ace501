package inflate

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

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
	if binary.BigEndian.Uint32(end) != Adler32(d.dst) {
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

// The flags of a gzip header.
const (
	gzipHeaderSum = 1 << 1
	gzipExtra     = 1 << 2
	gzipName      = 1 << 3
	gzipComment   = 1 << 4
	gzipReserved  = 7 << 5
)

// longestText is how many bytes a name or comment may have, the zero at its
// end included.
const longestText = 512

// Gzip is [Decoder.Raw] for the first member of a gzip file (RFC 1952), with
// its checksum and size.
func (d *Decoder) Gzip(dst, src []byte) (read int, err error) {
	d.reset(dst, src)
	return d.end(d.gzip())
}

func (d *Decoder) gzip() error {
	if err := d.gzipHeader(); err != nil {
		return err
	}
	if err := d.blocks(); err != nil {
		return err
	}
	end := d.src[d.ip:]
	if len(end) < 8 {
		return d.fail(ErrTruncated, "CRC-32 and size")
	}
	if binary.LittleEndian.Uint32(end) != crc32.ChecksumIEEE(d.dst) {
		return d.fail(ErrChecksum, "CRC-32")
	}
	if binary.LittleEndian.Uint32(end[4:]) != uint32(len(d.dst)) {
		return d.fail(ErrChecksum, "size")
	}
	d.ip += 8
	return nil
}

func (d *Decoder) gzipHeader() error {
	head := d.src[:min(len(d.src), 10)]
	if !bytes.HasPrefix([]byte{0x1f, 0x8b, 8}, head[:min(len(head), 3)]) {
		return d.fail(ErrCorrupt, "gzip header")
	}
	if len(head) < 10 {
		return d.fail(ErrTruncated, "gzip header")
	}
	flags := head[3]
	if flags&gzipReserved != 0 {
		return d.fail(ErrCorrupt, "gzip flags")
	}
	d.ip = 10
	if flags&gzipExtra != 0 {
		if err := d.gzipExtra(); err != nil {
			return err
		}
	}
	for _, flag := range []byte{gzipName, gzipComment} {
		if flags&flag != 0 {
			if err := d.gzipText(); err != nil {
				return err
			}
		}
	}
	if flags&gzipHeaderSum != 0 {
		return d.gzipHeaderSum()
	}
	return nil
}

func (d *Decoder) gzipExtra() error {
	rest := d.src[d.ip:]
	if len(rest) < 2 || int(binary.LittleEndian.Uint16(rest)) > len(rest)-2 {
		return d.fail(ErrTruncated, "gzip header")
	}
	d.ip += 2 + int(binary.LittleEndian.Uint16(rest))
	return nil
}

func (d *Decoder) gzipText() error {
	rest := d.src[d.ip:]
	n := bytes.IndexByte(rest[:min(len(rest), longestText)], 0)
	switch {
	case n >= 0:
		d.ip += n + 1
		return nil
	case len(rest) < longestText:
		return d.fail(ErrTruncated, "gzip header")
	}
	return d.fail(ErrCorrupt, "gzip header")
}

func (d *Decoder) gzipHeaderSum() error {
	rest := d.src[d.ip:]
	if len(rest) < 2 {
		return d.fail(ErrTruncated, "gzip header")
	}
	if binary.LittleEndian.Uint16(rest) != uint16(crc32.ChecksumIEEE(d.src[:d.ip])) {
		return d.fail(ErrChecksum, "gzip header")
	}
	d.ip += 2
	return nil
}
