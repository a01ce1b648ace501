package unrealpak

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"io"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

// DefaultMount is the mount point of a new pak that names none: the game's
// root, seen from the folder of its executable.
const DefaultMount = "../../../"

// DefaultBlockSize is UnrealPak's.
const DefaultBlockSize = 64 << 10

// The bounds of block sizes that are written: smaller ones cost more than they
// save, larger ones cost their readers memory.
const (
	minBlockSize = 1 << 10
	maxBlockSize = 16 << 20
)

// writable are the versions that Create accepts, the default first.
func writable() []string {
	return []string{"11", "12", "10", "9", "8B", "8A", "7", "6", "5", "4", "3"}
}

// writer builds a pak. Entries keep the order of the calls, in the data and in
// the index, as UnrealPak has it.
type writer struct {
	out     *backpatchWriter
	version version
	opt     codecs.CreateOptions
	like    template
	crypt   crypt
	slots   []string
	entries []packed
	names   map[string]bool // lower case
	buf     []byte          // of chunk bytes, and room for padding
	queue   []*packing      // on their way to be written, see flush
	queued  int64           // bytes in the queue
	turns   chan struct{}   // of those in the queue, to be compressed
	free    []*blockContent // for their buffers
	kept    int64           // bytes of those
	err     error           // sticky
}

// packed is an entry that has been written.
type packed struct {
	name string
	rec  record
}

func create(ws io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
	if err := Format().CheckOptions(o); err != nil {
		return nil, err
	}
	w := &writer{names: map[string]bool{}}
	if o != nil {
		w.opt = *o
	}
	if err := w.configure(); err != nil {
		return nil, formatError("", "", err)
	}
	var err error
	if w.out, err = backpatchNew(ws); err != nil {
		return nil, formatError("", "", err)
	}
	return w, nil
}

// configure checks the options against each other and fills in defaults.
func (w *writer) configure() error {
	o := &w.opt
	if o.Version == "" {
		o.Version = writable()[0]
	}
	v, known := byText(o.Version)
	if !known || v < compressionEncryption || v > utf8PakDirectory {
		return codecs.Errorf(errors.ErrUnsupported, "version %q is not written; these are: %s", o.Version, strings.Join(writable(), " "))
	}
	w.version = v
	w.slots = make([]string, v.slots())
	if err := useTemplate(w); err != nil {
		return err
	}
	if o.MountPoint == "" {
		o.MountPoint = DefaultMount
	}
	if o.BlockSize == 0 {
		o.BlockSize = DefaultBlockSize
	}
	return w.checkOptions()
}

func (w *writer) checkOptions() error {
	o := &w.opt
	refuse := func(option codecs.Option, format string, args ...any) error {
		return at(string(option), -1, codecs.Errorf(codecs.ErrOption, format, args...))
	}
	switch {
	case o.BlockSize < minBlockSize || o.BlockSize > maxBlockSize:
		return refuse(codecs.OptionBlockSize, "%d; %d to %d wanted", o.BlockSize, minBlockSize, maxBlockSize)
	case len(o.MountPoint) > maxMount:
		return refuse(codecs.OptionMount, "%d bytes; %d at most", len(o.MountPoint), maxMount)
	case o.Align < 0:
		return refuse(codecs.OptionAlign, "%d", o.Align)
	}
	if _, err := w.methodField(o.Method); err != nil {
		return refuse(codecs.OptionMethod, "%s in version %v", o.Method, w.version)
	}
	if o.Encrypt || o.EncryptIndex {
		return w.needKey()
	}
	return nil
}

// needKey fetches the key once something has to be encrypted.
func (w *writer) needKey() error {
	if w.crypt.block != nil {
		return nil
	}
	f := footer{keyID: w.opt.KeyID, method: methodECB}
	if w.opt.Keys != nil {
		var err error
		if w.crypt, err = newCrypt(&f, w.opt.Keys); err != nil {
			return err
		}
	}
	if w.crypt.block == nil {
		return noKey(&f, "cannot encrypt")
	}
	return nil
}

// methodField is the number by which records name m: a slot, taken on first
// use, or a mask below version 8.
func (w *writer) methodField(m compress.Method) (uint32, error) {
	if isStored(m) {
		return 0, nil
	}
	if w.version < fnameCompressionA {
		switch m {
		case compress.Zlib:
			return maskZlib, nil
		case compress.Gzip:
			return maskGzip, nil
		case compress.Oodle, custom:
			return maskCustom, nil
		}
		return 0, codecs.Errorf(errors.ErrUnsupported, "%s needs version 8A; this is %v", m, w.version)
	}
	name := unreal.MethodName(m)
	if len(name) >= slotSize {
		return 0, codecs.Errorf(errors.ErrUnsupported, "method name %q is longer than %d bytes", name, slotSize-1)
	}
	for i, slot := range w.slots {
		if slot == "" {
			w.slots[i] = name
		}
		if strings.EqualFold(w.slots[i], name) {
			return uint32(i + 1), nil
		}
	}
	return 0, codecs.Errorf(errors.ErrUnsupported, "no room for a method beside %s", strings.Join(w.slots, " "))
}

// isStored: an entry says "none" where it must not take the default method.
func isStored(m compress.Method) bool { return m == compress.None || m == "none" }

// Add implements codecs.Writer. Of e, Name, Method and Flags are used: Method
// "none" stores what the options would compress, Encrypted encrypts, and
// Deleted writes a delete record without reading r. Content that compression
// does not shrink enough, by UnrealPak's own rule, is stored.
func (w *writer) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	return w.add(e, func() error {
		if e.Flags&codecs.Deleted != 0 {
			return w.delete(ctx, e.Name)
		}
		rec := &record{}
		if w.opt.Encrypt || e.Flags&codecs.Encrypted != 0 {
			rec.flags = flagEncrypted
			if err := w.needKey(); err != nil {
				return err
			}
		}
		method := e.Method
		if method == "" {
			method = w.opt.Method
		}
		if isStored(method) {
			if err := w.flush(ctx, 0); err != nil {
				return err
			}
			return w.place(e.Name, rec, func() error { return w.store(ctx, rec, r) })
		}
		return w.pack(ctx, e.Name, rec, method, r)
	})
}

// AddRaw implements codecs.Writer. The record before the payload, the offsets
// of blocks, and the number of the method are made anew, so that stored bytes
// pass from any version to any other, encrypted ones without their key. They
// must have the SHA-1 in e.Sum, if there is one.
func (w *writer) AddRaw(ctx context.Context, e *codecs.Entry, stored io.Reader) error {
	return w.add(e, func() error {
		if e.Flags&codecs.Deleted != 0 {
			return w.delete(ctx, e.Name)
		}
		if err := w.flush(ctx, 0); err != nil {
			return err
		}
		rec, err := w.rawRecord(e)
		if err != nil {
			return err
		}
		if err := w.place(e.Name, rec, func() error { return w.copy(ctx, rec, e.Stored, stored) }); err != nil {
			return err
		}
		if e.Sum.Kind == codecs.SHA1Stored && !bytes.Equal(e.Sum.Bytes, rec.sum[:]) {
			return at("SHA-1", -1, codecs.Errorf(codecs.ErrChecksum, "stored bytes have %x, %x expected", rec.sum, e.Sum.Bytes))
		}
		return nil
	})
}

// add runs fn, which writes e, and remembers a failure: what follows it would
// be worthless.
func (w *writer) add(e *codecs.Entry, fn func() error) error {
	if w.err != nil {
		return w.err
	}
	err := w.claim(e.Name)
	if err == nil {
		err = fn()
	}
	var named *codecs.FormatError // of an entry that was queued before
	switch {
	case err == nil:
		return nil
	case isCancelled(err), errors.As(err, &named):
		w.err = err
	default:
		w.err = formatError("", e.Name, err)
	}
	return w.err
}

// claim refuses names that an index cannot hold, or holds already.
func (w *writer) claim(name string) error {
	switch key := strings.ToLower(name); {
	case name == "" || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/"):
		return codecs.Errorf(codecs.ErrName, "a pak needs a path relative to its mount point")
	case strings.ContainsAny(name, "\x00\\") || len(name) > maxMount:
		return codecs.Errorf(codecs.ErrName, "NUL, backslash, or longer than %d bytes", maxMount)
	case w.names[key]:
		return codecs.Errorf(codecs.ErrName, "the pak holds it already; case does not count")
	default:
		w.names[key] = true
		return nil
	}
}

func (w *writer) delete(ctx context.Context, name string) error {
	if err := w.flush(ctx, 0); err != nil {
		return err
	}
	if w.version < deleteRecords {
		return codecs.Errorf(errors.ErrUnsupported, "delete records need version 6; this is %v", w.version)
	}
	w.entries = append(w.entries, packed{name, record{offset: -1, flags: flagDeleted}})
	return nil
}

// rawRecord is the record of an entry whose stored bytes are passed through.
func (w *writer) rawRecord(e *codecs.Entry) (*record, error) {
	if e.Flags&codecs.Sealed != 0 {
		return nil, codecs.Errorf(errors.ErrUnsupported, "stored bytes of AES-CTR cannot be taken over: their IV is in the index they come from")
	}
	method, err := w.methodField(e.Method)
	if err != nil {
		return nil, err
	}
	rec := &record{method: method, size: e.Stored, usize: e.Size}
	if e.Flags&codecs.Encrypted != 0 {
		rec.flags = flagEncrypted
	}
	if method == 0 {
		rec.size = e.Size
		if rec.stored() != e.Stored {
			return nil, codecs.Errorf(codecs.ErrCorrupt, "%d stored bytes for %d", e.Stored, e.Size)
		}
		return rec, nil
	}
	return rec, rec.takeBlocks(w.version, e)
}

// takeBlocks lays out e's blocks after the record that this version writes.
func (rec *record) takeBlocks(v version, e *codecs.Entry) error {
	blocks := e.Blocks
	if blocks == nil {
		blocks = []codecs.Block{{Offset: e.Offset, Stored: e.Stored, Size: e.Size}}
	}
	rec.blockSize = uint32(min(blocks[0].Size, 1<<32-1))
	header := v.recordSize(true, len(blocks))
	for _, b := range blocks {
		start := header + b.Offset - e.Offset
		rec.blocks = append(rec.blocks, blockRange{start, start + b.Stored})
	}
	for i, b := range blocks {
		if b.Size != rec.blockLen(i) {
			return codecs.Errorf(errors.ErrUnsupported, "block %d decodes to %d bytes; a pak has blocks of one size", i, b.Size)
		}
	}
	return rec.check(v, 1<<62)
}

// place writes a record, aligned, and its payload, and completes the record
// once the payload is known.
func (w *writer) place(name string, rec *record, payload func() error) error {
	if a := w.opt.Align; a > 1 {
		if over := w.out.Pos() % a; over > 0 {
			if err := w.out.Zeros(a - over); err != nil {
				return err
			}
		}
	}
	rec.offset = w.out.Pos()
	if err := w.out.Zeros(rec.headerSize(w.version)); err != nil {
		return err
	}
	if err := payload(); err != nil {
		return err
	}
	dup := *rec.absolute(w.version)
	dup.offset = 0
	w.entries = append(w.entries, packed{name, *rec})
	return w.out.Patch(rec.offset, dup.append(nil, w.version))
}

// chunkSize is how much of a payload is in memory at once; whole AES blocks.
const chunkSize = 256 << 10

func (w *writer) chunk() []byte {
	if w.buf == nil {
		w.buf = make([]byte, chunkSize, chunkSize+aes256.Block)
	}
	return w.buf
}

// store writes content as it is, encrypted if asked for.
func (w *writer) store(ctx context.Context, rec *record, r io.Reader) error {
	buf := w.chunk()
	var head []byte
	sum := sha1.New()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(r, buf)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if head == nil {
			head = bytes.Clone(buf[:min(n, aes256.Block)])
		}
		p := buf[:n]
		rec.size += int64(n)
		if rec.encrypted() {
			p = aes256.AppendPadding(p, head, rec.size)
			aes256.EncryptECB(w.crypt.block, p)
		}
		sum.Write(p[:n])
		if _, err := w.out.Write(p); err != nil {
			return err
		}
		if n < len(buf) {
			break
		}
	}
	rec.usize = rec.size
	sum.Sum(rec.sum[:0])
	return nil
}

// copy passes stored bytes through, n of which there must be.
func (w *writer) copy(ctx context.Context, rec *record, n int64, stored io.Reader) error {
	buf := w.chunk()
	sum := sha1.New()
	for pos := int64(0); pos < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(int64(len(buf)), n-pos)]
		if _, err := io.ReadFull(stored, p); err != nil {
			return codecs.Errorf(codecs.ErrTruncated, "stored bytes end within [%d, %d) of %d: %v", pos, pos+int64(len(p)), n, err)
		}
		sum.Write(p[:min(int64(len(p)), max(rec.size-pos, 0))])
		if _, err := w.out.Write(p); err != nil {
			return err
		}
		pos += int64(len(p))
	}
	sum.Sum(rec.sum[:0])
	return nil
}
