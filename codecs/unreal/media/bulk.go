package media

import (
	"fmt"
	"io"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Bulk is where bytes lie that an object may load on demand.
type Bulk struct {
	File         File
	Offset       int64 // in File; of those [Inside], in the export
	Stored, Size int64 // bytes as they are stored, and decoded
	Flags        uint32
}

// Flags of bulk data.
const (
	bulkAtEnd    = 0x1
	bulkZlib     = 0x2
	bulkLZO      = 0x10
	bulkUnused   = 0x20
	bulkInline   = 0x40
	bulkLZX      = 0x80
	bulkSeparate = 0x100
	bulkOptional = 0x800
	bulkMapped   = 0x1000
	bulkWide     = 0x2000
	bulkTwice    = 0x4000
	bulkWord     = 0x8000
)

// bulk reads where bytes lie, and passes over those that follow.
func (r *reader) bulk() (b Bulk) {
	var at unreal.BulkData
	if r.p.Bulk != nil {
		i := r.I32()
		if i < 0 || int(i) >= len(r.p.Bulk) {
			r.Fail(errLayout)
			return b
		}
		at = r.p.Bulk[i]
	} else {
		at = r.bulkHeader()
	}
	b = Bulk{Offset: at.Offset, Stored: at.Stored, Size: at.Size, Flags: at.Flags}
	if at.Stored < 0 || at.Size < 0 {
		r.Fail(errLayout)
		return b
	}
	switch {
	case at.Size == 0 || at.Flags&bulkUnused != 0:
		b.Stored, b.Size = 0, 0
	case at.Flags&bulkInline != 0 || at.Flags&(bulkAtEnd|bulkSeparate) == 0:
		b.File, b.Offset = Inside, r.Off()
		if at.Stored > int64(r.Len()) {
			r.Skip(r.Len() + 1) // fails, with the offset
			return b
		}
		r.Skip(int(at.Stored))
	default:
		b.File = FileOf(&at)
		if at.Flags&unreal.BulkOwnOffset == 0 {
			b.Offset += r.p.BulkStart
		}
	}
	return b
}

// bulkHeader reads what is in the stream where a package has no table.
func (r *reader) bulkHeader() (at unreal.BulkData) {
	number := func() int64 {
		if at.Flags&bulkWide != 0 {
			return r.I64()
		}
		return int64(r.I32())
	}
	at.Flags = r.U32()
	at.Size = number()
	at.Stored = number()
	at.Offset = r.I64()
	if at.Flags&bulkWord != 0 {
		r.Skip(2)
	}
	if at.Flags&bulkTwice != 0 { // a copy
		r.Skip(4)
		number()
		r.Skip(8)
	}
	return at
}

// FileOf returns the file beside the package, or the package as a [Whole], that has the bytes.
func FileOf(at *unreal.BulkData) File {
	if at.Flags&bulkSeparate == 0 {
		return Whole
	}
	ext := File(".ubulk")
	switch {
	case at.Flags&bulkOptional != 0:
		ext = ".uptnl"
	case at.Flags&bulkMapped != 0:
		ext = ".m.ubulk"
	}
	if at.Cooked != 0 {
		return File(fmt.Sprintf(".%03d%s", at.Cooked, ext))
	}
	return ext
}

// maxBulk bounds the bytes of one picture or sound.
const maxBulk = 1 << 30

// bytesAt returns the bytes of b. data is those of the export.
func bytesAt(p *Package, b *Bulk, data []byte) ([]byte, error) {
	switch {
	case b.Size == 0:
		return nil, ErrElsewhere
	case b.Size > maxBulk:
		return nil, codecs.Errorf(codecs.ErrLimit, "%d bytes", b.Size)
	case b.Flags&(bulkZlib|bulkLZO|bulkLZX) != 0:
		src, err := storedBytes(p, b, data)
		if err != nil {
			return nil, err
		}
		return decompress(src, b.Size, b.Flags)
	case b.Size != b.Stored:
		return nil, codecs.Errorf(codecs.ErrCorrupt, "%d bytes are stored in %d", b.Size, b.Stored)
	}
	return storedBytes(p, b, data)
}

func storedBytes(p *Package, b *Bulk, data []byte) ([]byte, error) {
	if b.File == Inside {
		if err := bin.Range(b.Offset, b.Stored, int64(len(data))); err != nil {
			return nil, err
		}
		return data[b.Offset : b.Offset+b.Stored], nil
	}
	r, size, err := openFile(p, b.File)
	if err != nil {
		return nil, err
	}
	return section(r, b, size)
}

func section(r io.ReaderAt, b *Bulk, size int64) ([]byte, error) {
	if err := bin.Range(b.Offset, b.Stored, size); err != nil {
		return nil, codecs.Errorf(codecs.ErrTruncated, "%d bytes at 0x%x of %d in %s", b.Stored, b.Offset, size, b.File)
	}
	return bin.Section(r, b.Offset, b.Stored, size, maxBulk)
}
