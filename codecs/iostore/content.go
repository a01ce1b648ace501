package iostore

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Open implements codecs.Archive. The content is hashed while it is read and
// compared at EOF with what the TOC declares. A chunk of several blocks is
// decoded ahead of the reader, in parallel, within a window of bounded size.
func (a *archive) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := a.find(e)
	if err != nil {
		return nil, err
	}
	if err := a.readable(x); err != nil {
		return nil, a.error(a.label(x.number), err)
	}
	return newContent(ctx, a, x), nil
}

// readable returns, before anything is read, the error that keeps x from being read.
func (a *archive) readable(x *chunk) error {
	t := a.toc
	if x.size > a.limits.Entry {
		return at("extent", t.extents.place(x.number), codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", x.size, a.limits.Entry))
	}
	if t.encrypted() && a.crypt.block == nil {
		return noKey(t.keyID, "the content is encrypted")
	}
	for k := range x.n {
		b := t.block(x.first + k)
		if b.method != 0 {
			if err := a.checkMethod(x.first+k, b); err != nil {
				return err
			}
		}
	}
	if x.n > 0 {
		_, _, err := a.partitions.place(t.block(x.first).off)
		return err
	}
	return nil
}

// checkMethod refuses what cannot be decoded, and what cannot decode to as much
// as it declares.
func (a *archive) checkMethod(i int, b block) error {
	m := a.methods[b.method-1]
	where := a.toc.blocks.place(i)
	if !compress.CanDecode(m) {
		return at("block.method", where+11, codecs.Errorf(errors.ErrUnsupported, "no decoder for %s; the stored bytes can be read", m))
	}
	if r := compress.MaxRatio(m); r > 0 && b.size > r*b.stored {
		return at("block.size", where+8, codecs.Errorf(codecs.ErrCorrupt, "%d bytes from %d of %s", b.size, b.stored, m))
	}
	return nil
}

// chunkBlocks are the blocks of a chunk for package ahead.
type chunkBlocks struct {
	a *archive
	x *chunk
}

func (c chunkBlocks) block(i int) block { return c.a.toc.block(c.x.first + i) }

func (c chunkBlocks) Len() int       { return c.x.n }
func (c chunkBlocks) Size(i int) int { return int(c.block(i).size) }

// Load reads a block as it is stored; encrypted ones with their padding.
func (c chunkBlocks) Load(i int, buf []byte) ([]byte, error) {
	b := c.block(i)
	n := b.stored
	if c.a.toc.encrypted() {
		n = onDisk(b)
	}
	p, off, err := c.a.partitions.place(b.off)
	if err != nil {
		return nil, err
	}
	if err := bin.Range(off, n, p.size); err != nil { // before allocating
		return nil, p.at(off, err)
	}
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	return buf, p.read(buf, off)
}

func (c chunkBlocks) Decode(i int, dst, stored []byte) error {
	b := c.block(i)
	if c.a.toc.encrypted() {
		c.a.crypt.decrypt(stored, c.a.toc.iv(c.a.crypt.firstIV+c.x.first+i))
		stored = stored[:b.stored]
	}
	m := compress.None
	if b.method != 0 {
		m = c.a.methods[b.method-1]
	}
	err := compress.Decode(m, dst, stored)
	if err != nil {
		err = c.damaged(i, b, err)
	}
	return err
}

// damaged explains a block that does not decode. In an encrypted container a
// wrong key looks the same.
func (c chunkBlocks) damaged(i int, b block, err error) error {
	if c.a.toc.encrypted() && errors.Is(err, compress.ErrCorrupt) && !c.a.keyProven() {
		err = fmt.Errorf("%w: key %s, or the block is damaged: %w", codecs.ErrWrongKey, keyName(c.a.toc.keyID), err)
	}
	fe := &fieldError{field: fmt.Sprintf("blocks[%d]", c.x.first+i), off: b.off, err: err}
	if p, off, perr := c.a.partitions.place(b.off); perr == nil {
		fe.file, fe.off = p.name, off
	}
	return fe
}

// keyProven: the key decrypts the directory index to something that is one.
func (a *archive) keyProven() bool { return a.dir.dirs.n > 0 }

// hashers are kept: each takes several KiB.
var hashers = sync.Pool{New: func() any { return blake3.New() }}

// content reads a chunk and hashes it.
type content struct {
	a      *archive
	x      *chunk
	r      *spool.Ahead
	want   codecs.Sum
	blake3 *blake3.Hasher
	sha1   io.Writer // where the hash may be a SHA-1
	err    error
}

func newContent(ctx context.Context, a *archive, x *chunk) *content {
	c := &content{a: a, x: x, r: spool.NewAhead(ctx, chunkBlocks{a, x}), want: a.toc.sum(x.number, nil)}
	if c.want.Kind == codecs.NoSum {
		return c
	}
	c.blake3 = hashers.Get().(*blake3.Hasher)
	c.blake3.Reset()
	if c.want.Kind == codecs.HashDecoded {
		c.sha1 = sha1.New()
	}
	return c
}

func (c *content) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p)
	if c.blake3 != nil {
		_, _ = c.blake3.Write(p[:n])
		if c.sha1 != nil {
			_, _ = c.sha1.Write(p[:n])
		}
	}
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		c.err = c.verify()
	case isCancelled(err):
		c.err = err
	default:
		c.err = c.a.error(c.a.label(c.x.number), err)
	}
	return n, c.err
}

// verify returns io.EOF when the content has the hash that the TOC declares.
func (c *content) verify() error {
	if c.blake3 == nil {
		return io.EOF
	}
	want := c.want.Bytes
	if bytes.Equal(c.blake3.Sum(nil)[:len(want)], want) {
		return io.EOF
	}
	if h, ok := c.sha1.(interface{ Sum([]byte) []byte }); ok && bytes.Equal(h.Sum(nil), want) {
		return io.EOF
	}
	err := codecs.Errorf(codecs.ErrChecksum, "the content does not have the hash %x", want)
	if c.a.toc.encrypted() && !c.a.keyProven() {
		err = fmt.Errorf("%w: key %s, or the content is damaged: %w", codecs.ErrWrongKey, keyName(c.a.toc.keyID), err)
	}
	return c.a.error(c.a.label(c.x.number), at("hash", c.a.toc.metas.place(c.x.number), err))
}

func (c *content) Close() error {
	if c.blake3 != nil {
		hashers.Put(c.blake3)
		c.blake3 = nil
	}
	if c.err == nil {
		c.err = errClosed
	}
	return c.r.Close()
}

var errClosed = errors.New("read after Close")

// maxPartitions bounds what a TOC may declare; block offsets reach 1 TiB, and
// partitions are rarely below a GiB.
const maxPartitions = 1 << 16

// partition is a .ucas, opened with the first read.
type partition struct {
	mu     sync.Mutex
	name   string
	file   fs.File
	r      io.ReaderAt
	size   int64
	err    error
	opened bool
}

// partitions are the files of contents beside a .utoc.
type partitions struct {
	src  codecs.Source // the .utoc
	size uint64        // of each but the last
	list []partition
}

// name is the file of partition i: game.ucas, game_s1.ucas, ...
func (p *partitions) name(i int) string { return partitionName(p.src.Name, i) }

// close closes all that were opened, and returns the first error.
func (p *partitions) close() error {
	var first error
	for i := range p.list {
		if err := p.list[i].close(); first == nil {
			first = err
		}
	}
	return first
}

func partitionName(toc string, i int) string {
	base, _ := unreal.CutSuffixFold(toc, extTOC)
	if i == 0 {
		return base + extCAS
	}
	return fmt.Sprintf("%s_s%d%s", base, i, extCAS)
}

// place returns the partition that holds offset off of the container, and the
// offset within it.
func (p *partitions) place(off int64) (*partition, int64, error) {
	i := uint64(off) / p.size
	if i >= uint64(len(p.list)) {
		return nil, 0, codecs.Errorf(codecs.ErrCorrupt, "offset 0x%x lies in partition %d of %d", off, i, len(p.list))
	}
	found := &p.list[i]
	if err := found.open(p.src.Dir, p.name(int(i))); err != nil {
		return nil, 0, err
	}
	return found, int64(uint64(off) % p.size), nil
}

// open opens the file once. Its absence is an error that names it, of the class
// of truncated files: the content is not there.
func (p *partition) open(dir fs.FS, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened {
		return p.err
	}
	p.opened, p.name = true, name
	p.err = p.load(dir)
	return p.err
}

func (p *partition) load(dir fs.FS) error {
	if dir == nil {
		return fmt.Errorf("%w: %s, which holds the content, is beyond reach: %w", codecs.ErrTruncated, p.name, fs.ErrNotExist)
	}
	f, err := dir.Open(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s, which holds the content, is not beside the .utoc: %w", codecs.ErrTruncated, p.name, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	st, err := f.Stat()
	r, ok := f.(io.ReaderAt)
	switch {
	case err != nil:
	case st.IsDir():
		err = codecs.Errorf(codecs.ErrTruncated, "%s is a folder", p.name)
	case !ok:
		err = codecs.Errorf(errors.ErrUnsupported, "%s cannot be read at offsets", p.name)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	p.file, p.r, p.size = f, r, st.Size()
	return nil
}

func (p *partition) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.file
	p.opened, p.err, p.file = true, fs.ErrClosed, nil
	if f == nil {
		return nil
	}
	return f.Close()
}

// read fills buf from offset off.
func (p *partition) read(buf []byte, off int64) error {
	if err := bin.Range(off, int64(len(buf)), p.size); err != nil {
		return p.at(off, err)
	}
	if err := bin.Fill(p.r, buf, off); err != nil {
		return p.at(off, err)
	}
	return nil
}

func (p *partition) section(off, n int64) (*io.SectionReader, error) {
	if err := bin.Range(off, n, p.size); err != nil {
		return nil, p.at(off, err)
	}
	return io.NewSectionReader(p.r, off, n), nil
}

// at places err in the partition.
func (p *partition) at(off int64, err error) error {
	return &fieldError{file: p.name, field: "block", off: off, err: err}
}
