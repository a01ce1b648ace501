package gpak

import (
	"context"
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// SQLite hands a blob over as a whole, in several copies. Large ones are read from the
// pages of the file instead, as they are asked for. (File format:
// sqlite.org/fileformat2.html, sections 1.6 and 2.1. As immutable=1 has it, the file is
// all there is.)

// pages is a database by its pages.
type pages struct {
	src    codecs.Source
	size   int64 // of a page
	usable int64 // of it
	root   int64 // page of data_tbl
	column int   // b, of the columns of data_tbl
}

// findPages asks for what blobs are found by.
func (a *sqlitePak) findPages(ctx context.Context) (*pages, error) {
	head, err := bin.Section(a.src, 0, databaseHeader, a.src.Size, databaseHeader)
	if err != nil {
		return nil, a.fail("", "header", 0, err)
	}
	p := &pages{src: a.src, size: pageSizeOf(head)}
	p.usable = p.size - int64(head[20])
	err = a.db.QueryRowContext(ctx, `SELECT rootpage, (SELECT cid FROM pragma_table_xinfo('data_tbl') WHERE lower(name) = 'b')
		FROM sqlite_schema WHERE type = 'table' AND lower(name) = 'data_tbl'`).Scan(&p.root, &p.column)
	if err != nil {
		return nil, a.failSQL(ctx, "", dataTable, err)
	}
	return p, nil
}

// pageSizeOf reads the header of a database.
func pageSizeOf(head []byte) int64 {
	if size := int64(binary.BigEndian.Uint16(head[16:])); size != 1 {
		return size
	}
	return 65536
}

// page returns the cells of a page of the table: their places in r, which is the page.
func (p *pages) page(n int64) (r *bin.Reader, kind uint8, right uint32, cells []uint16, err error) {
	if n < 1 || n > p.src.Size/p.size {
		return nil, 0, 0, nil, codecs.Errorf(codecs.ErrCorrupt, "page %d of %d", n, p.src.Size/p.size)
	}
	off := (n - 1) * p.size
	buf, err := bin.Section(p.src, off, p.size, p.src.Size, p.size)
	if err != nil {
		return nil, 0, 0, nil, err
	}
	r = bin.NewReader(buf[:p.usable], off, binary.BigEndian)
	kind, right, cells = cellsOf(r)
	return r, kind, right, cells, r.Err()
}

// maxDepth is more than a table of 2^63 rows needs.
const maxDepth = 40

// find returns the blob of a row, which is known to have size bytes.
func (p *pages) find(rowid, size int64) (*blob, error) {
	for n, depth := p.root, 0; depth < maxDepth; depth++ {
		r, kind, right, cells, err := p.page(n)
		if err != nil {
			return nil, err
		}
		switch n = int64(right); kind {
		case 0x05:
			for _, at := range cells {
				r.Seek(int(at))
				child := int64(r.U32())
				if varint64(r) >= rowid {
					n = child
					break
				}
			}
		case 0x0d:
			for _, at := range cells {
				r.Seek(int(at))
				payload := varint64(r)
				if varint64(r) == rowid && r.Err() == nil {
					return p.cell(r, payload, size)
				}
			}
			return nil, codecs.Errorf(codecs.ErrCorrupt, "row %d is listed but not found", rowid)
		default:
			return nil, codecs.Errorf(codecs.ErrCorrupt, "a page of %s is of type %#x", dataTable, kind)
		}
		if err := r.Err(); err != nil {
			return nil, err
		}
	}
	return nil, codecs.Errorf(codecs.ErrCorrupt, "%s has more than %d levels", dataTable, maxDepth)
}

// cell finds the blob in a row of so many bytes, of which r is at the first.
func (p *pages) cell(r *bin.Reader, payload, size int64) (*blob, error) {
	if payload < 0 || payload > p.src.Size {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "a row of %d bytes, in a file of %d", payload, p.src.Size)
	}
	local := payload
	if most := p.usable - 35; payload > most {
		least := (p.usable-12)*32/255 - 23
		if local = least + (payload-least)%(p.usable-4); local > most {
			local = least
		}
	}
	b := &blob{pages: p, size: size, payload: payload, local: r.Bytes(int(local))}
	if payload > local {
		b.chain = []uint32{r.U32()}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	head := bin.NewReader(b.local, 0, binary.BigEndian)
	b.start = varint64(head)
	for range p.column {
		n, err := serialSize(varint64(head))
		if err != nil {
			return nil, err
		}
		if b.start += n; b.start > payload {
			break
		}
	}
	n := varint64(head)
	if err := head.Err(); err != nil {
		return nil, err
	}
	if n < 12 || n%2 != 0 || (n-12)/2 != size || b.start < 0 || b.start > payload-size {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "the row has no blob of %d bytes", size)
	}
	return b, nil
}

// serialSize returns how many bytes a value of that serial type takes.
func serialSize(serial int64) (int64, error) {
	switch {
	case serial >= 12:
		return (serial - 12) / 2, nil
	case serial >= 0 && serial < 10:
		return [...]int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}[serial], nil
	}
	return 0, codecs.Errorf(codecs.ErrCorrupt, "a value of type %d", serial)
}

// varint64 reads SQLite's integer of up to nine bytes.
func varint64(r *bin.Reader) int64 {
	var v uint64
	for range 8 {
		b := r.U8()
		v = v<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return int64(v)
		}
	}
	return int64(v<<8 | uint64(r.U8()))
}

// blob is a column of a row: part of the bytes of the row, of which the first are in the
// row's page and the others in pages of their own that each name the next.
type blob struct {
	pages         *pages
	local         []byte // of the row
	payload       int64  // bytes of the row
	start, size   int64  // of the blob in it
	mu            sync.Mutex
	chain         []uint32 // the first pages behind local, as far as they are known
	buf           []byte
	bufAt, bufEnd int64 // what of the file it holds
}

// section returns the blob as a reader.
func (b *blob) section() *io.SectionReader { return io.NewSectionReader(b, 0, b.size) }

// ReadAt implements io.ReaderAt. Reading on is fast, and nothing but the numbers of pages
// is kept.
func (b *blob) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off >= b.size {
		return 0, io.EOF
	}
	if int64(len(p)) > b.size-off {
		p, err = p[:b.size-off], io.EOF
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) {
		part, perr := b.at(b.start + off + int64(n))
		if perr != nil {
			return n, perr
		}
		n += copy(p[n:], part)
	}
	return n, err
}

// at returns bytes of the row from there on, as many as lie together.
func (b *blob) at(pos int64) ([]byte, error) {
	if pos < int64(len(b.local)) {
		return b.local[pos:], nil
	}
	pos -= int64(len(b.local))
	each := b.pages.usable - 4
	i := int(pos / each)
	for len(b.chain) <= i {
		last, err := b.overflow(b.chain[len(b.chain)-1])
		if err != nil {
			return nil, err
		}
		b.chain = append(b.chain, binary.BigEndian.Uint32(last))
	}
	page, err := b.overflow(b.chain[i])
	if err != nil {
		return nil, err
	}
	return page[4+pos%each : b.pages.usable], nil
}

// overflow returns a page. While each is the next in the file, as they mostly are, more
// and more of them are read at once.
func (b *blob) overflow(n uint32) ([]byte, error) {
	size := b.pages.size
	off := (int64(n) - 1) * size
	if n < 2 || off+size > b.pages.src.Size {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "a row goes on in page %d of %d", n, b.pages.src.Size/size)
	}
	if off < b.bufAt || off+size > b.bufEnd {
		want := size
		if off == b.bufEnd {
			want = min(2*int64(len(b.buf)), max(size, 256<<10), b.pages.src.Size-off)
		}
		b.buf = slices.Grow(b.buf[:0], int(want))[:want]
		b.bufAt, b.bufEnd = 0, 0
		if err := bin.Fill(b.pages.src, b.buf, off); err != nil {
			return nil, err
		}
		b.bufAt, b.bufEnd = off, off+want
	}
	return b.buf[off-b.bufAt:][:size], nil
}
