package unrealpak

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"hash"
	"io"
	"strconv"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

// unitSize is how much of a stored encrypted entry is decrypted at once.
const unitSize = 64 << 10

// Open implements codecs.Archive. The SHA-1 that the pak declares covers the
// stored bytes, all of which pass through here, so it is compared at EOF for
// every entry; from version 10 on it is in the record before the payload.
//
// An entry of several blocks is decoded ahead of the reader, in parallel,
// within a window of bounded size.
func (a *archive) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &content{a: a, ctx: ctx, ordinal: e.Ordinal}
	if err := a.find(e, &c.rec); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, a.error(a.label(e.Ordinal), err)
	}
	if err := c.start(); err != nil {
		c.release()
		return nil, c.fail(err)
	}
	return c.reader(), nil
}

// CheckSum implements codecs.SumChecker.
func (a *archive) CheckSum(ctx context.Context, e *codecs.Entry) error {
	c := content{a: a, ctx: ctx, ordinal: e.Ordinal}
	if err := a.find(e, &c.rec); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return a.error(a.label(e.Ordinal), err)
	}
	defer c.release()
	if err := c.start(); err != nil {
		return c.fail(err)
	}
	if c.want == [20]byte{} {
		return c.fail(at("SHA-1", c.rec.at, codecs.Errorf(codecs.ErrNotFound, "the pak states none")))
	}
	return c.fail(c.verify())
}

// content is an entry being read: its units (blocks) one after the other, and
// the SHA-1 over what was read.
type content struct {
	a       *archive
	ctx     context.Context
	rec     record
	ordinal int
	scratch *scratch // holds the record and head
	method  compress.Method
	units   int
	payload int64     // absolute offset of the payload
	pos     int64     // next stored byte, relative to payload
	head    []byte    // the start of the payload
	sum     hash.Hash // of scratch
	want    [20]byte
}

// check refuses what cannot be read, and fills in what follows from the record.
func (c *content) check() error {
	a, rec := c.a, &c.rec
	method, err := a.footer.methodOf(rec.method)
	switch {
	case err != nil:
		return at("method", rec.at, err)
	case rec.deleted():
		return at("", -1, codecs.Errorf(codecs.ErrNotFound, "a delete record has no content"))
	case rec.encrypted() && a.crypt.block == nil:
		return at("", -1, noKey(a.footer, "the content is encrypted"))
	case rec.usize > a.limits.Entry:
		return at("decoded size", rec.at, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", rec.usize, a.limits.Entry))
	}
	if err := checkUnits(a, rec, method); err != nil {
		return err
	}
	c.method, c.want = method, rec.sum
	c.payload = rec.offset + rec.headerSize(a.footer.version)
	c.units = len(rec.blocks)
	if rec.method == 0 {
		c.units = int((rec.usize + unitSize - 1) / unitSize)
	}
	return nil
}

// start reads the record before the payload.
func (c *content) start() error {
	c.scratch = scratches.Get().(*scratch)
	c.sum = c.scratch.sum
	c.sum.Reset()
	if err := c.readHeader(); err != nil {
		return err
	}
	if c.method != custom && !compress.CanDecode(c.method) {
		return at("method", c.rec.at, codecs.Errorf(errors.ErrUnsupported, "no decoder for %s; the stored bytes can be read", c.method))
	}
	return c.checkKey()
}

// release gives the buffers back; nothing may be read after it.
func (c *content) release() {
	if c.scratch != nil && cap(c.scratch.head) <= maxHead {
		scratches.Put(c.scratch)
	}
	c.scratch, c.head, c.sum = nil, nil, nil
}

// checkUnits refuses blocks that are too large to decode in memory, and those
// that cannot decode to what they declare.
func checkUnits(a *archive, rec *record, m compress.Method) error {
	if rec.method == 0 {
		return nil
	}
	for i, b := range rec.blocks {
		n := rec.blockLen(i)
		if n > a.maxBlock() {
			return at("block size", rec.at, codecs.Errorf(codecs.ErrLimit, "block %d decodes to %d > %d bytes", i, n, a.maxBlock()))
		}
		if ratio := compress.MaxRatio(m); ratio > 0 && n/ratio > b.end-b.start {
			return at("block size", rec.at, codecs.Errorf(codecs.ErrCorrupt, "block %d: no %d bytes of %s decode to %d", i, b.end-b.start, m, n))
		}
	}
	return nil
}

// firstRead is read together with the record in front of a payload, so that a
// small entry costs one read of the file.
const firstRead = 16 << 10

func (c *content) readHeader() error {
	v := c.a.footer.version
	n := c.payload - c.rec.offset
	c.scratch.head = grow(c.scratch.head, int(n+min(c.rec.stored(), firstRead)))
	buf := c.scratch.head
	if err := bin.Fill(c.a.src, buf, c.rec.offset); err != nil {
		return at("record before the payload", c.rec.offset, err)
	}
	c.head = buf[n:]
	if v >= pathHashIndex {
		copy(c.want[:], buf[v.shaAt():])
	}
	return nil
}

// span returns where unit i is stored, relative to the payload. end leaves the
// padding out.
func (c *content) blockRange(i int) blockRange {
	if c.rec.method != 0 {
		h := c.payload - c.rec.offset
		return blockRange{c.rec.blocks[i].start - h, c.rec.blocks[i].end - h}
	}
	start := int64(i) * unitSize
	return blockRange{start, min(start+unitSize, c.rec.size)}
}

// Len implements ahead.Blocks.
func (c *content) Len() int { return c.units }

// Size implements ahead.Blocks: the decoded size of unit i.
func (c *content) Size(i int) int {
	if c.rec.method != 0 {
		return int(c.rec.blockLen(i))
	}
	s := c.blockRange(i)
	return int(s.end - s.start)
}

// Load implements ahead.Blocks: it reads the stored bytes of unit i, with the
// padding when they are encrypted, into dst, which it replaces when it is too
// small. Everything up to there goes into the SHA-1.
func (c *content) Load(i int, dst []byte) ([]byte, error) {
	s := c.blockRange(i)
	end := s.end
	if c.rec.encrypted() {
		end = min(s.start+aes256.Align(s.end-s.start), c.rec.stored())
	}
	if err := c.skip(s.start); err != nil {
		return dst, err
	}
	dst = grow(dst, int(end-s.start))
	if err := c.read(dst); err != nil {
		return dst, err
	}
	return dst, nil
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// read fills p with the next stored bytes.
func (c *content) read(p []byte) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	n := 0
	if c.pos < int64(len(c.head)) {
		n = copy(p, c.head[c.pos:])
	}
	if n < len(p) {
		if err := bin.Fill(c.a.src, p[n:], c.payload+c.pos+int64(n)); err != nil {
			return at("payload", c.payload+c.pos, err)
		}
	}
	// Stored encrypted entries are hashed without their padding.
	c.sum.Write(p[:min(int64(len(p)), max(c.rec.size-c.pos, 0))])
	c.pos += int64(len(p))
	return nil
}

// skip hashes stored bytes that belong to no unit.
func (c *content) skip(to int64) error {
	if c.pos >= to {
		return nil
	}
	buf := skipped.Get().(*[unitSize]byte)
	defer skipped.Put(buf)
	for c.pos < to {
		if err := c.read(buf[:min(to-c.pos, unitSize)]); err != nil {
			return err
		}
	}
	return nil
}

var skipped = sync.Pool{New: func() any { return new([unitSize]byte) }}

// verify hashes what is left of the payload and compares the SHA-1. A zero sum
// is none.
func (c *content) verify() error {
	if err := c.skip(c.rec.stored()); err != nil {
		return err
	}
	if c.want != [20]byte{} && !bytes.Equal(c.sum.Sum(c.scratch.sha1[:0]), c.want[:]) {
		return at("SHA-1", c.payload, codecs.Errorf(codecs.ErrChecksum, "the %d stored bytes do not have the SHA-1 %x", c.rec.size, c.want))
	}
	return nil
}

// Decode implements ahead.Blocks: it decrypts and decodes the stored bytes of
// unit i, which it changes, into dst.
func (c *content) Decode(i int, dst, stored []byte) error {
	s := c.blockRange(i)
	if c.rec.encrypted() {
		whole := len(stored) &^ (aes256.Block - 1)
		c.a.crypt.decrypt(stored[:whole], c.rec.iv, s.start)
	}
	block := stored[:s.end-s.start]
	if c.rec.method == 0 {
		copy(dst, block)
		return nil
	}
	err := compress.Decode(resolveCustom(c.method, block), dst, block)
	if err != nil && c.rec.encrypted() && isCorrupt(err) && !c.a.keyKnown() {
		err = codecs.Errorf(codecs.ErrWrongKey, "it decrypts to no %s; key %s seems wrong, or the block is damaged", c.method, keyName(c.a.footer.keyID))
	}
	return at(blockField(i), c.payload+s.start, err)
}

func (c *content) reader() io.ReadCloser {
	if c.rec.method == 0 && !c.rec.encrypted() {
		return &storedReader{c: c}
	}
	return &unitReader{c: c, r: spool.NewAhead(c.ctx, c)}
}

// fail names the entry in err; errors of a context stay as they are.
func (c *content) fail(err error) error {
	if err == nil || isCancelled(err) {
		return err
	}
	return c.a.error(c.a.label(c.ordinal), err)
}

// end is what a reader ends with after the last unit: io.EOF if the payload has
// its SHA-1.
func (c *content) end() error {
	if err := c.verify(); err != nil {
		return c.fail(err)
	}
	return io.EOF
}

// storedReader reads plain stored entries straight into the caller's buffer.
type storedReader struct {
	c   *content
	err error
}

func (r *storedReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n := min(int64(len(p)), r.c.rec.size-r.c.pos)
	if err := r.c.read(p[:n]); err != nil {
		r.err = r.c.fail(err)
		return 0, r.err
	}
	if r.c.pos == r.c.rec.size {
		r.err = r.c.end()
	}
	if n > 0 {
		return int(n), nil // the verdict comes with the next Read
	}
	return 0, r.err
}

func (r *storedReader) Close() error {
	if r.err == nil {
		r.err = errClosed
	}
	r.c.release()
	return nil
}

// unitReader reads what is compressed or encrypted.
type unitReader struct {
	c   *content
	r   *spool.Ahead
	err error
}

func (r *unitReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		r.err = r.c.end()
	case err != nil:
		r.err = r.c.fail(err)
	}
	return n, r.err
}

func (r *unitReader) Close() error {
	if r.err == nil {
		r.err = errClosed
	}
	err := r.r.Close() // waits for readers of what is released next
	r.c.release()
	return err
}

var errClosed = errors.New("read after Close")

// scratch is what an open entry needs and the next one can use again, so that
// reading many small entries does not allocate for each.
type scratch struct {
	head []byte // the record, and what follows it
	sum  hash.Hash
	sha1 [sha1.Size]byte
}

var scratches = sync.Pool{New: func() any { return &scratch{sum: sha1.New()} }}

const maxHead = 256 << 10 // larger buffers are not kept

func isCorrupt(err error) bool { return errors.Is(err, compress.ErrCorrupt) }

func blockField(i int) string { return "blocks[" + strconv.Itoa(i) + "]" }
