package update

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/store"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// localFiles are what the files of a folder contain. Read takes files in; the zero value is not
// of use.
type localFiles struct {
	registry *codecs.Registry
	opt      *codecs.Options
	contents map[uint64]localContent
	chunks   map[uint64]localChunk
	files    []recipe
	spans    map[string][]span // of each file, in its order
	isRead   bool              // what differs from the build
	size     int64             // of the files that were read
	cache    blockCache
}

// source is a file of the folder, or what a recipe would make its skeleton.
type source struct {
	io.ReaderAt
	name string
}

// localContent is a group of a file.
type localContent struct {
	src *source
	g   *store.Group
}

// localChunk is a part of one.
type localChunk struct {
	localContent
	off int64
	n   int
}

// recipe is a file as a recipe would say it: each piece decoded, and as it is
// stored.
type recipe struct {
	decoded, stored []piece
}

type piece struct {
	gap    int64
	id     uint64
	method compress.Method
	head   store.HeadForm
	size   int64
	block  int64
}

// span is a content in a file: stored bytes, and what they are.
type span struct {
	off, n  int64
	decoded uint64 // id of the content
	stored  uint64 // id of the stored bytes
	known   bool   // both are known
}

// newLocal returns Files of none yet. A nil registry reads files as bytes.
func newLocal(registry *codecs.Registry, opt *codecs.Options) *localFiles {
	if registry == nil {
		registry = &codecs.Registry{}
	}
	return &localFiles{registry: registry, opt: opt, contents: map[uint64]localContent{}, chunks: map[uint64]localChunk{}, spans: map[string][]span{}}
}

// ReadOnce takes in what the inputs contain, the first time that it is called, and
// what that allows to be kept in memory.
func (l *localFiles) ReadOnce(ctx context.Context, inputs []delta.Input, mem *store.Budget) error {
	if l.isRead {
		return nil
	}
	l.isRead = true
	if err := l.Read(ctx, inputs); err != nil {
		return err
	}
	for _, f := range l.files {
		mem.Own += 4 * store.HeldPiece * int64(len(f.decoded)) // new files share pieces, and have others of the same kind
	}
	return nil
}

// Read takes in what the inputs contain.
func (l *localFiles) Read(ctx context.Context, inputs []delta.Input) error {
	all, err := store.Layouts(ctx, inputs, l.registry, l.opt)
	if err != nil {
		return err
	}
	stored.Step(ctx, store.StepReading, delta.SizeOfInputs(inputs))
	for i, in := range inputs {
		if err := l.file(ctx, in, store.Salvage(in, all[i])); err != nil {
			return err
		}
		l.size += in.Size
	}
	return nil
}

// hashed is what a group contains.
type hashed struct {
	localContent
	method compress.Method // of the recipe
	head   store.HeadForm
	before []byte // of the skeleton
	id     uint64
	ids    []uint64 // of its chunks
	sizes  []int
	broken bool // some of it is not what it should be, but chunks are
	err    error
}

// group is a group on its way: decoded, and as it is stored.
type group struct {
	g               *store.Group
	decoded, stored *hashed
	err             error
}

func (l *localFiles) file(ctx context.Context, in delta.Input, groups []store.Group) error {
	f, src := recipe{}, &source{in.ReaderAt, in.Name}
	l.spans[in.Name] = nil
	var skeleton []byte
	var places []int64
	pos := int64(0)
	items := func(yield func(*group, error) bool) {
		for k := range groups {
			if !yield(&group{g: &groups[k]}, nil) {
				return
			}
		}
	}
	work := func(_ context.Context, h *group) { h.hash(src) }
	workers := runtime.GOMAXPROCS(0)
	err := process.InOrder(ctx, items, workers, 4*workers, work, func(h *group) error {
		if h.err != nil {
			return h.err
		}
		stored.ProgressOf(ctx).Add(h.g.Gap + h.g.Length())
		pos = h.g.Off + h.g.Length()
		l.spans[in.Name] = append(l.spans[in.Name], span{h.g.Off, h.g.Length(), h.decoded.id, h.stored.id,
			h.decoded.err == nil && !h.decoded.broken && h.stored.err == nil})
		if b, ok := h.g.BlankBehind(in, places); ok {
			h.decoded = hashBlank(src.name, &b, h.decoded)
			pos = h.g.Off + b.Length()
		}
		skeleton = append(skeleton, h.decoded.before...)
		places = append(places, h.decoded.head.Places(h.g.Off-h.g.Gap, int64(len(h.decoded.before)))...)
		f.decoded = append(f.decoded, l.add(h.decoded))
		f.stored = append(f.stored, l.add(h.stored))
		return nil
	}, func(*group) {})
	if err != nil {
		return err
	}
	l.files = append(l.files, f)
	tail := make([]byte, in.Size-pos)
	if err := stored.ReadAt(in, tail, pos); err != nil {
		return err
	}
	l.add(hashBytes(src.name, append(skeleton, tail...)))
	return nil
}

// hash reads a group.
func (h *group) hash(in *source) {
	sum := h.g.StoredSum(in)
	h.decoded, h.err = hashGroup(in, h.g, sum)
	if h.stored = h.decoded; h.g.Method != compress.None && h.err == nil {
		g := h.g.AsStored()
		h.stored, h.err = hashGroup(in, &g, sum)
	}
}

// hashGroup reads a group. One that cannot be decoded is of no use, and no error:
// its stored bytes may be.
func hashGroup(in *source, g *store.Group, sum func() ([store.SumSize]byte, error)) (*hashed, error) {
	h := &hashed{localContent: localContent{in, g}, method: g.Method}
	h.read()
	var err error
	h.head, h.before, err = g.FindHead(in, sum)
	return h, err
}

// hashBytes takes bytes as a content that is stored as it is.
func hashBytes(name string, b []byte) *hashed {
	n := int64(len(b))
	h := &hashed{localContent: localContent{&source{bytes.NewReader(b), name}, &store.Group{Size: n, Block: n, Stored: []int64{n}}}}
	h.read()
	return h
}

// hashBlank hashes tables as blank ones.
func hashBlank(name string, b *store.BlankGroup, plain *hashed) *hashed {
	h := hashBytes(name, b.Content)
	h.method, h.before = store.MethodTables, plain.before
	return h
}

func (h *hashed) read() {
	sum := blake3.New()
	r, broken := h.g.OpenDamaged(h.src)
	h.err = store.EachChunk(r, h.g.Size, func(b []byte) error {
		_, _ = sum.Write(b)
		h.sizes = append(h.sizes, len(b))
		h.ids = append(h.ids, store.KeyOf(b).Short())
		return nil
	})
	h.id = store.Key(sum.Sum(nil)[:16]).Short()
	if h.broken = broken() > 0; broken() == len(h.g.Stored) && h.err == nil {
		h.err = store.ErrCorrupt
	}
}

// add takes a group in.
func (l *localFiles) add(h *hashed) piece {
	if h.err != nil {
		return piece{size: -1}
	}
	off := int64(0)
	for i, id := range h.ids {
		if _, there := l.chunks[id]; !there {
			l.chunks[id] = localChunk{h.localContent, off, h.sizes[i]}
		}
		off += int64(h.sizes[i])
	}
	if h.broken {
		return piece{size: -1}
	}
	if _, there := l.contents[h.id]; !there {
		l.contents[h.id] = h.localContent
	}
	return piece{int64(len(h.before)), h.id, h.method, h.head, h.g.Size, h.g.Coded()}
}

// Parts are the parts of trees that the files have, in the terms of a recipe: with
// contents decoded, as they are stored, and decoded as if the recipe's packer had
// written what is before them, for it may not have written the mod.
func (l *localFiles) Parts(r *store.FileRecipe) map[uint64][]store.Piece {
	found := map[uint64][]store.Piece{}
	take := func(list []piece, as func(piece) (form int, gap int64)) {
		pieces := make([]store.Piece, len(list))
		for i, p := range list {
			pieces[i] = store.Piece{ContentRef: store.ContentRef{ID: p.id, Size: p.size}, Block: p.block}
			pieces[i].Recipe, pieces[i].Gap = as(p)
		}
		_, _, _ = store.PartsOf(pieces, func(id store.Key, _ int, _, below []store.Piece, _ []store.Part) (store.Place, error) {
			if _, there := found[id.Short()]; !there {
				found[id.Short()] = below
			}
			return store.Place{}, nil
		})
	}
	own := func(p piece) (int, int64) { return r.NumberFor(p.method, p.head), p.gap }
	theirs := func(p piece) (int, int64) {
		n := r.LikelyFor(p.method, p.size > p.block)
		if n < 0 || p.head == 0 {
			return own(p)
		}
		return n, r.Recipes[n].Head.Literal(p.gap)
	}
	for _, f := range l.files {
		take(f.decoded, own)
		take(f.stored, own)
		take(f.decoded, theirs)
	}
	return found
}

// Find returns a content of that size, if the files have it.
func (l *localFiles) Find(id uint64, size int64) (localContent, bool) {
	c, ok := l.contents[id]
	return c, ok && c.g.Size == size
}

// localChunk returns a chunk of that size, if the files have it.
func (l *localFiles) Chunk(c store.ChunkRef) (localChunk, bool) {
	have, ok := l.chunks[c.ID]
	return have, ok && have.n == c.Size
}

// Missing calls use for the chunks that the files have not.
func (l *localFiles) Missing(chunks []store.ChunkRef, use func(store.ChunkRef)) {
	for _, c := range chunks {
		if _, ok := l.Chunk(c); !ok {
			use(c)
		}
	}
}

// Sources adds the names of the files that have some of the chunks.
func (l *localFiles) Sources(chunks []store.ChunkRef, names map[string]bool) {
	for _, c := range chunks {
		if have, ok := l.Chunk(c); ok {
			names[have.src.name] = true
		}
	}
}

// ReadChunk reads a chunk of a file and makes sure that it still is what it was.
func (l *localFiles) ReadChunk(c localChunk, id uint64) ([]byte, error) {
	b := make([]byte, c.n)
	if err := l.readAt(c.localContent, b, c.off); err != nil {
		return nil, err
	}
	if store.KeyOf(b).Short() != id {
		return nil, ErrChanged
	}
	return b, nil
}

// readAt fills b from a content.
func (l *localFiles) readAt(c localContent, b []byte, off int64) error {
	if c.g.Method == compress.None {
		return stored.ReadAt(c.src, b, c.g.Off+off)
	}
	for n := 0; n < len(b); {
		at := off + int64(n)
		plain, err := l.cache.block(c, int(at/c.g.Block))
		if err != nil {
			return err
		}
		n += copy(b[n:], plain[at%c.g.Block:])
	}
	return nil
}

// Empty reports whether no file was read.
func (l *localFiles) Empty() bool { return len(l.files) == 0 }

// Old returns a content as a delta starts from it.
func (l *localFiles) Old(c localContent) coder.Old { return &old{l, c} }

// Open returns a reader of the content.
func (c localContent) Open() io.Reader { return c.g.Open(c.src) }

// From returns the name of the file that has the content.
func (c localContent) From() string { return c.src.name }

// old is a content that a delta starts from.
type old struct {
	l *localFiles
	localContent
}

// Size implements delta.Old.
func (o *old) Size() int64 { return o.g.Size }

// ReadAt implements delta.Old.
func (o *old) ReadAt(b []byte, off int64) (int, error) {
	n := max(min(int64(len(b)), o.g.Size-off), 0)
	if err := o.l.readAt(o.localContent, b[:n], off); err != nil {
		return 0, err
	}
	if int(n) < len(b) {
		return int(n), io.EOF
	}
	return len(b), nil
}

// ErrChanged means that a file was not the same when it was read again.
var ErrChanged = errors.New("a file in the folder changed while it was read")

// blockCache holds the blocks of one content that were decoded last: chunks come
// in order, and deltas refer to what is near.
type blockCache struct {
	of     localContent
	blocks []cachedBlock
	starts []int64 // of the blocks of the content
	stored []byte
}

type cachedBlock struct {
	i     int
	plain []byte
}

const keptBlocks = 64

func (c *blockCache) block(of localContent, i int) ([]byte, error) {
	if c.of != of {
		c.of, c.starts = of, c.starts[:0]
		off := of.g.Off
		for _, n := range of.g.Stored {
			c.starts = append(c.starts, off)
			off += n
		}
		for k := range c.blocks {
			c.blocks[k].i = -1
		}
	}
	for k := len(c.blocks) - 1; k >= 0; k-- {
		if c.blocks[k].i == i {
			return c.blocks[k].plain, nil
		}
	}
	var b cachedBlock
	if kept := int64(len(c.blocks)) * of.g.Block; len(c.blocks) == keptBlocks || kept > store.MaxHeld {
		b = c.blocks[0]
		c.blocks = slices.Delete(c.blocks, 0, 1)
	}
	var err error
	b.i = i
	// Of a damaged block some chunks are right, and their readers compare the hash.
	if b.plain, c.stored, _, err = of.g.DecodeRest(of.src, i, c.starts[i], b.plain, c.stored); err != nil {
		return nil, err
	}
	c.blocks = append(c.blocks, b)
	return b.plain, nil
}
