package retropak_test

import (
	"bytes"
	"encoding/binary"

	"github.com/klauspost/compress/zlib"

	"pakdb/internal/lzotest"
)

// rawEntry is an entry as a pak stores it. The builders here share no code with
// the package: they make what its writer cannot or would not.
type rawEntry struct {
	flag uint32
	typ  string
	id   uint64
	data []byte
}

var be = binary.BigEndian

func u32(b []byte, v ...uint32) []byte {
	for _, v := range v {
		b = be.AppendUint32(b, v)
	}
	return b
}

func padTo(b []byte, align int, fill byte) []byte {
	for len(b)%align != 0 {
		b = append(b, fill)
	}
	return b
}

func putID(b []byte, id uint64, width int) []byte {
	if width == 4 {
		return u32(b, uint32(id))
	}
	return be.AppendUint64(b, id)
}

// primePak has one named resource for each entry, "n".
func primePak(width int, relative bool, entries ...rawEntry) []byte {
	b := u32(nil, 0x00030005, 0, uint32(len(entries)))
	for _, e := range entries {
		b = putID(append(b, e.typ...), e.id, width)
		b = append(u32(b, 1), 'n')
	}
	b = u32(b, uint32(len(entries)))
	size := len(b) + len(entries)*(16+width)
	off := (size + 31) &^ 31
	if relative {
		off = 0
	}
	var data []byte
	for _, e := range entries {
		stored := padTo(bytes.Clone(e.data), 32, 0xff)
		b = putID(append(u32(b, e.flag), e.typ...), e.id, width)
		b = u32(b, uint32(len(stored)), uint32(off+len(data)))
		data = append(data, stored...)
	}
	return append(padTo(b, 32, 0), data...)
}

// corruptionPak has no named resources, and a zero MD5. Entries start at 0x140
// as long as there are at most two.
func corruptionPak(entries ...rawEntry) []byte {
	var table, data []byte
	table = u32(table, uint32(len(entries)))
	for _, e := range entries {
		stored := padTo(bytes.Clone(e.data), 64, 0xff)
		table = putID(append(u32(table, e.flag), e.typ...), e.id, 8)
		table = u32(table, uint32(len(stored)), uint32(len(data)))
		data = append(data, stored...)
	}
	table = padTo(table, 64, 0)
	b := padTo(u32(nil, 2, 0x40), 64, 0)
	b = append(u32(b, 3), "STRG"...)
	b = append(u32(b, 64), "RSHD"...)
	b = append(u32(b, uint32(len(table))), "DATA"...)
	b = padTo(u32(b, uint32(len(data))), 64, 0)
	b = padTo(u32(b, 0), 64, 0)
	return append(append(b, table...), data...)
}

// block is one line of a CMPD table with its stored bytes.
type block struct {
	flag byte
	data []byte
	size int // decoded
}

func cmpd(blocks ...block) []byte {
	b := u32([]byte("CMPD"), uint32(len(blocks)))
	for _, bl := range blocks {
		b = u32(b, uint32(bl.flag)<<24|uint32(len(bl.data)), uint32(bl.size))
	}
	for _, bl := range blocks {
		b = append(b, bl.data...)
	}
	return b
}

// segment is one piece with its length; a negative one is stored.
func segment(length int, data []byte) []byte {
	return append(be.AppendUint16(nil, uint16(int16(length))), data...)
}

func stored(data []byte) []byte { return segment(-len(data), data) }

func lzo(data []byte) []byte {
	b, err := lzotest.Encode(nil, data, lzotest.LevelFast)
	if err != nil {
		panic(err)
	}
	return segment(len(b), b)
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// sized is the compressed form of Metroid Prime 1 and 2.
func sized(size int, stream ...[]byte) []byte {
	return append(u32(nil, uint32(size)), bytes.Join(stream, nil)...)
}

// rfrmPak is a pak of Tropical Freeze (big-endian) or Remastered.
type rfrmPak struct {
	order   binary.AppendByteOrder
	version uint32
	adir    []byte // without the count
	n       uint32
	strg    []byte
	data    []byte
}

func (p rfrmPak) form(kind string, version uint32, content []byte) []byte {
	b := p.order.AppendUint64([]byte("RFRM"), uint64(len(content)))
	b = append(p.order.AppendUint64(b, 0), kind...)
	b = p.order.AppendUint32(p.order.AppendUint32(b, version), version)
	return append(b, content...)
}

func (p rfrmPak) chunk(kind string, content []byte) []byte {
	b := p.order.AppendUint64([]byte(kind), uint64(len(content)))
	b = p.order.AppendUint64(p.order.AppendUint32(b, 1), 0)
	return append(b, content...)
}

func (p rfrmPak) bytes() []byte {
	toc := p.chunk("ADIR", append(p.order.AppendUint32(nil, p.n), p.adir...))
	if p.strg != nil {
		toc = append(toc, p.chunk("STRG", p.strg)...)
	}
	return p.form("PACK", 1, append(p.form("TOCC", p.version, toc), p.data...))
}
