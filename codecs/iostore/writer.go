package iostore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
	"pakdb/codecs/unreal"
)

// What the engine's own packer writes.
const (
	defaultBlockSize = 64 << 10
	defaultAlign     = 2048 // a chunk does not cross a multiple of it that it could start at
	methodLen        = 32
)

// writer builds a container. Chunks lie in the .ucas in the order of the
// calls; the order of the table follows from the perfect hash.
type writer struct {
	toc     io.WriteSeeker
	cas     io.WriteSeeker
	opt     codecs.CreateOptions
	version version
	era     era
	like    template
	crypt   crypt
	methods []compress.Method
	chunks  []written
	ids     map[chunkID]bool
	names   map[string]bool // lower case
	blocks  []byte
	nblocks int
	pos     int64 // in the partition
	part    int
	coded   spool.Spool
	pending []block      // of the chunk being added; offsets are relative to it
	buf     []byte       // content that is read, see batchSize
	jobs    []*encodeJob // its blocks
	err     error        // sticky
}

// written is a chunk that has been added.
type written struct {
	id    chunkID
	name  string // "" when the directory index does not have it
	first int    // block
	size  int64
	hash  [longHashSize]byte
	flags uint8
}

func create(ws io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
	if err := Format().CheckOptions(o); err != nil {
		return nil, err
	}
	w := &writer{toc: ws, ids: map[chunkID]bool{}, names: map[string]bool{}}
	if o != nil {
		w.opt = *o
	}
	err := w.configure()
	if err == nil {
		w.cas, err = w.opt.Sibling(extCAS)
	}
	if err != nil {
		return nil, formatError("", "", err)
	}
	return w, nil
}

// configure checks the options against each other and fills in defaults.
func (w *writer) configure() error {
	o := &w.opt
	if o.Version == "" {
		o.Version = defaultVersion.String()
	}
	for v := initial; v <= defaultVersion; v++ {
		if v.String() == o.Version {
			w.version = v
		}
	}
	if w.version >= perfectHash {
		w.era = ue5
	}
	if o.BlockSize == 0 {
		o.BlockSize = defaultBlockSize
	}
	if o.Align == 0 {
		o.Align = defaultAlign
	}
	if o.Encrypt || o.EncryptIndex {
		o.Encrypt = true // a container is encrypted as a whole
	}
	if err := w.checkOptions(); err != nil {
		return err
	}
	return w.useTemplate()
}

func (w *writer) checkOptions() error {
	o := &w.opt
	refuse := func(format string, args ...any) error { return codecs.Errorf(errors.ErrUnsupported, format, args...) }
	option := func(option codecs.Option, format string, args ...any) error {
		return at(string(option), -1, codecs.Errorf(codecs.ErrOption, format, args...))
	}
	switch {
	case w.version == 0:
		return refuse("version %q is not written; these are: %s", o.Version, strings.Join(writable(), " "))
	case o.Sibling == nil:
		return refuse("a container is two files: CreateOptions.Sibling must open the .ucas")
	case o.BlockSize < 16 || o.BlockSize >= maxBlockSize || o.BlockSize%16 != 0:
		return option(codecs.OptionBlockSize, "%d; multiples of 16 below %d wanted", o.BlockSize, maxBlockSize)
	case o.Align < 0 || o.Align%16 != 0:
		return option(codecs.OptionAlign, "%d; multiples of 16 wanted", o.Align)
	case len(o.MountPoint) > maxMount:
		return option(codecs.OptionMount, "%d bytes; %d at most", len(o.MountPoint), maxMount)
	}
	w.buf = make([]byte, batchSize(o.BlockSize))
	if _, err := w.methodNumber(o.Method); err != nil {
		return option(codecs.OptionMethod, "%s; names of methods have %d bytes at most", o.Method, methodLen-1)
	}
	if o.Encrypt {
		return w.needKey()
	}
	return nil
}

func (w *writer) needKey() error {
	t := toc{header: &header{flags: flagEncrypted, keyID: w.opt.KeyID}}
	var err error
	if w.crypt, err = newCrypt(&t, w.opt.Keys); err == nil && w.crypt.block == nil {
		err = noKey(w.opt.KeyID, "cannot encrypt")
	}
	return err
}

// isStored: an entry says "none" where it must not take the default method.
func isStored(m compress.Method) bool { return m == compress.None || m == "none" }

// methodNumber is the number by which blocks name m, taken on first use.
func (w *writer) methodNumber(m compress.Method) (uint8, error) {
	if isStored(m) {
		return 0, nil
	}
	for i, known := range w.methods {
		if known == m {
			return uint8(i + 1), nil
		}
	}
	if len(unreal.MethodName(m)) >= methodLen || len(w.methods) == maxMethods {
		return 0, codecs.Errorf(errors.ErrUnsupported, "method %q", m)
	}
	w.methods = append(w.methods, m)
	return uint8(len(w.methods)), nil
}

// Add implements codecs.Writer. Of e, ID, Type, Name and Method are used. An
// entry without an ID gets that of its package, which then must follow from
// its path ([codecs.CreateOptions.MountPoint] and Name). A name that is made of
// type and id, as opened containers have for chunks without a path, goes into
// no directory. Method "none" stores what the options would compress; a block
// that does not shrink is stored.
func (w *writer) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	return w.add(e, func(c *written) error {
		method := e.Method
		if method == "" {
			method = w.opt.Method
		}
		return w.encode(ctx, c, method, r)
	})
}

// AddRaw implements codecs.Writer. Blocks are padded and placed anew; a block
// as long as what it decodes to is stored without a method. Blocks must be of
// the container's size. Encrypted ones pass into a container that is encrypted
// by the same key, and need a hash in e.Sum.
func (w *writer) AddRaw(ctx context.Context, e *codecs.Entry, stored io.Reader) error {
	return w.add(e, func(c *written) error {
		encrypted := e.Flags&codecs.Encrypted != 0
		switch {
		case encrypted != w.opt.Encrypt:
			return codecs.Errorf(errors.ErrUnsupported, "encrypted: %v, but the container: %v; add the content instead", encrypted, w.opt.Encrypt)
		case isStored(e.Method) && !encrypted && len(e.Blocks) == 0:
			return w.encode(ctx, c, compress.None, io.LimitReader(stored, e.Size))
		}
		return w.copy(ctx, c, e, stored)
	})
}

// add runs fn, which fills w.coded and w.pending, places the result, and
// remembers a failure: what follows it would be worthless.
func (w *writer) add(e *codecs.Entry, fn func(*written) error) error {
	if w.err != nil {
		return w.err
	}
	err := w.addChunk(e, fn)
	switch {
	case err == nil:
		return nil
	case isCancelled(err):
		w.err = err
	default:
		w.err = formatError("", e.Name, err)
	}
	return errors.Join(w.err, w.coded.Reset())
}

func (w *writer) addChunk(e *codecs.Entry, fn func(*written) error) error {
	if e.Flags&codecs.Deleted != 0 {
		return codecs.Errorf(errors.ErrUnsupported, "containers have no delete records")
	}
	c, err := w.claim(e)
	if err != nil {
		return err
	}
	c.first = w.nblocks
	w.pending = w.pending[:0]
	if err := fn(c); err != nil {
		return err
	}
	if err := w.place(); err != nil {
		return err
	}
	w.chunks = append(w.chunks, *c)
	return nil
}

// claim gives an entry its id and path, both of which must be its own.
func (w *writer) claim(e *codecs.Entry) (*written, error) {
	id, err := w.idOf(e)
	if err != nil {
		return nil, err
	}
	if w.ids[id] {
		return nil, codecs.Errorf(codecs.ErrName, "the container holds chunk %s already", id.ID())
	}
	w.ids[id] = true
	c := &written{id: id, name: e.Name}
	if e.Name == bareName(w.era.typeName(kind(id[idSize-1])), id) || w.version < directoryIndex {
		c.name = ""
		return c, nil
	}
	key := strings.ToLower(e.Name)
	switch {
	case key == "":
	case strings.HasPrefix(key, "/") || strings.HasSuffix(key, "/") || strings.ContainsAny(key, "\x00\\") || len(key) > maxMount:
		return nil, codecs.Errorf(codecs.ErrName, "a container needs a path relative to its mount point")
	case strings.Count(key, "/") > maxDepth:
		return nil, codecs.Errorf(codecs.ErrName, "more than %d folders", maxDepth)
	case w.names[key]:
		return nil, codecs.Errorf(codecs.ErrName, "the container holds it already; case does not count")
	}
	w.names[key] = true
	return c, nil
}

func (w *writer) idOf(e *codecs.Entry) (chunkID, error) {
	if e.ID.IsZero() {
		return w.derive(e)
	}
	id, ok := chunkOf(e.ID)
	if !ok {
		return id, codecs.Errorf(errors.ErrUnsupported, "an id of %d bits; chunks have 96", e.ID.Bits)
	}
	if e.Type == "" {
		return id, nil
	}
	k, err := w.era.kindOf(e.Type)
	if err == nil && k != kind(id[idSize-1]) {
		// The same chunk in a container of the other numbering.
		id[idSize-1] = byte(k)
	}
	return id, err
}

// derive makes the id of a package's chunk from its path.
func (w *writer) derive(e *codecs.Entry) (chunkID, error) {
	name, typeName, ok := packageOfPath(w.opt.MountPoint + e.Name)
	if !ok {
		return chunkID{}, codecs.Errorf(codecs.ErrName, "no chunk id, and none follows from the path")
	}
	k, err := w.era.kindOf(typeName)
	return newChunkID(unreal.NameHash(name), 0, k), err
}

// place writes the chunk that is in w.coded where the engine's packer would: at
// the next multiple of the alignment when it would cross one, in the next
// partition when it does not fit.
func (w *writer) place() error {
	n := w.coded.Size()
	if a := w.opt.Align; a > 0 && n > 0 && w.pos/a != (w.pos+n-1)/a {
		if err := w.zeros((a - w.pos%a) % a); err != nil {
			return err
		}
	}
	if size := w.like.partitionSize; n > 0 && uint64(w.pos+n) > size {
		if uint64(n) > size {
			return codecs.Errorf(errors.ErrUnsupported, "%d bytes do not fit a partition of %d", n, size)
		}
		if err := w.nextPartition(); err != nil {
			return err
		}
	}
	base := w.pos
	if w.part > 0 {
		base += int64(w.like.partitionSize) * int64(w.part)
	}
	if base+n > 1<<40 {
		return codecs.Errorf(errors.ErrUnsupported, "a container of more than 1 TiB")
	}
	for _, b := range w.pending {
		b.off += base
		w.blocks = b.append(w.blocks)
	}
	w.nblocks += len(w.pending)
	w.pos += n
	_, err := w.coded.WriteTo(w.cas)
	return err
}

func (w *writer) zeros(n int64) error {
	var page [4096]byte
	w.pos += n
	for n > 0 {
		k := min(n, int64(len(page)))
		if _, err := w.cas.Write(page[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func (w *writer) nextPartition() (err error) {
	w.part++
	w.pos = 0
	w.cas, err = w.opt.Sibling(fmt.Sprintf("_s%d%s", w.part, extCAS))
	return err
}

// Abort implements codecs.Aborter.
func (w *writer) Abort() error { return w.coded.Reset() }
