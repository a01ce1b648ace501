package update

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/stored"
)

// virtualFile is a file of a build that is read and not written. It was made once, from
// the front to the end, to compare its hash: since then it is known where its contents
// are. These are made again where they are read; what lies between them is in memory.
type virtualFile struct {
	maker  *maker
	target *target
	ctx    context.Context
	trusts bool // as the maker did

	hash   *blake3.Hasher
	size   int64       // of what was made
	pieces []madePiece // in their order
	kept   []keptBytes // what is between them
	next   int         // of the pieces, the first that is not made to its end
	mu     sync.Mutex  // locked while a piece is read
	cursor pieceCursor
}

// madePiece is where a piece is stored.
type madePiece struct {
	*store.Piece
	off, n int64
}

type keptBytes struct {
	off int64
	b   []byte
}

// pieceCursor reads a piece.
type pieceCursor struct {
	of  *store.Piece
	at  int64 // in the piece
	src io.Reader
}

// virtual makes a file without writing it. Contents whose deltas are wrong are fetched again.
// Blocks that the folder has are taken as they are at first, which costs no CPU: the hash
// of the file shows if they are right.
func (m *maker) virtual(ctx context.Context, t *target) (*virtualFile, error) {
	defer func() { m.headsFirst, m.trusts = false, false }()
	m.headsFirst, m.trusts = true, true
	for {
		f := &virtualFile{maker: m, target: t, ctx: ctx, trusts: m.trusts, hash: blake3.New()}
		a := &assembler{out: output{file: f, ends: true, left: t.Size}, sha: sha1.New(), virtual: f}
		err := m.assemble(ctx, t, a)
		if err == nil {
			err = a.judge(t, hex.EncodeToString(f.hash.Sum(nil)))
		}
		if err == nil {
			return f, nil
		}
		if again, err := m.doubt(ctx, err); !again {
			return nil, err
		}
	}
}

// factsOf returns what the head of a piece says.
func (m *maker) factsOf(ctx context.Context, t *target, p *store.Piece, trusts bool) (*store.Facts, error) {
	r, err := m.pieceReader(ctx, t, p, trusts)
	if err != nil {
		return nil, err
	}
	facts, sum := &store.Facts{Size: p.Size, Block: p.Block}, sha1.New()
	for {
		b, err := r.next()
		if err == io.EOF {
			facts.Sum = [store.SumSize]byte(sum.Sum(nil))
			return facts, nil
		}
		if err != nil {
			return nil, err
		}
		_, _ = sum.Write(b)
		facts.Stored += int64(len(b))
		if r.form.InBlocks() {
			facts.Blocks = append(facts.Blocks, int64(len(b)))
		}
	}
}

// pieceReader reads the stored bytes of a piece.
type pieceReader struct {
	m     *maker
	form  store.Form
	src   io.Reader
	left  int64 // of the content
	block int64
	coder delta.Coder
	have  *localContent // whose blocks are taken as they are
	i     int           // of these
	off   int64
	plain []byte
	rest  []byte
}

// asStored returns a content of the folder that is stored as a piece is, if it is trusted.
func (m *maker) asStored(t *target, p *store.Piece, trusts bool) (localContent, bool) {
	form := t.recipe.Recipes[p.Recipe]
	if !trusts || !form.InBlocks() {
		return localContent{}, false
	}
	have, ok := m.contents.local.Find(p.ID, p.Size)
	return have, ok && have.g.Method == form.Method && have.g.Block == p.Block
}

// eachStored calls use for the stored blocks of a content.
func (c localContent) eachStored(use func(i int, b []byte) error) error {
	off := c.g.Off
	for i, n := range c.g.Stored {
		b := make([]byte, n)
		if err := stored.ReadAt(c.src, b, off); err != nil {
			return err
		}
		if err := use(i, b); err != nil {
			return err
		}
		off += n
	}
	return nil
}

func (m *maker) pieceReader(ctx context.Context, t *target, p *store.Piece, trusts bool) (*pieceReader, error) {
	if have, ok := m.asStored(t, p, trusts); ok {
		return &pieceReader{m: m, form: t.recipe.Recipes[p.Recipe], have: &have, off: have.g.Off}, nil
	}
	src, err := m.content(ctx, p.ContentRef)
	if err != nil {
		return nil, err
	}
	block := p.Block
	if block == 0 {
		block = plainBlock
	}
	return &pieceReader{m: m, form: t.recipe.Recipes[p.Recipe], src: src, left: p.Size, block: block}, nil
}

// next returns the next block. It counts until the block after it is read.
func (r *pieceReader) next() ([]byte, error) {
	if r.have != nil {
		if r.i == len(r.have.g.Stored) {
			return nil, io.EOF
		}
		b := make([]byte, r.have.g.Stored[r.i])
		err := stored.ReadAt(r.have.src, b, r.off)
		r.off += int64(len(b))
		r.i++
		return b, err
	}
	if r.left == 0 {
		return nil, io.EOF
	}
	if int64(cap(r.plain)) < min(r.left, r.block) {
		r.plain = make([]byte, min(r.left, r.block))
	}
	r.plain = r.plain[:min(r.left, r.block)]
	if err := r.m.readFull(r.src, r.plain); err != nil {
		return nil, fmt.Errorf("%w: a content ends early: %w", store.ErrCorrupt, err)
	}
	r.left -= int64(len(r.plain))
	if !r.form.InBlocks() {
		return r.plain, nil
	}
	return r.coder.Encode(nil, r.plain, r.form.Recipe)
}

// Read implements io.Reader.
func (r *pieceReader) Read(p []byte) (n int, err error) {
	if len(r.rest) == 0 {
		if r.rest, err = r.next(); err != nil {
			return 0, err
		}
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// note notes where a block is that comes next.
func (f *virtualFile) note(b *block, at int64) {
	if b.in == nil || b.form.Method == store.MethodTables {
		return
	}
	if b.of != nil {
		f.pieces = append(f.pieces, madePiece{b.of, at, 0})
	}
	f.pieces[len(f.pieces)-1].n += int64(len(b.stored))
}

// WriteAt takes what comes next, and keeps what is of no piece.
func (f *virtualFile) WriteAt(p []byte, off int64) (int, error) {
	if off != f.size {
		return 0, fmt.Errorf("%w: a file is made at %d, after %d bytes", store.ErrCorrupt, off, f.size)
	}
	_, _ = f.hash.Write(p)
	f.size += int64(len(p))
	for at, end := off, f.size; at < end; {
		for f.next < len(f.pieces)-1 && f.pieces[f.next].off+f.pieces[f.next].n <= at {
			f.next++
		}
		to := end
		if f.next < len(f.pieces) {
			if one := f.pieces[f.next]; at >= one.off && at < one.off+one.n {
				at = min(one.off+one.n, end)
				continue
			} else if at < one.off {
				to = min(one.off, end)
			}
		}
		f.keep(at, p[at-off:to-off])
		at = to
	}
	return len(p), nil
}

func (f *virtualFile) keep(at int64, b []byte) {
	if n := len(f.kept); n > 0 && f.kept[n-1].off+int64(len(f.kept[n-1].b)) == at {
		f.kept[n-1].b = append(f.kept[n-1].b, b...)
		return
	}
	f.kept = append(f.kept, keptBytes{at, slices.Clone(b)})
}

// ReadAt implements io.ReaderAt.
func (f *virtualFile) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < f.size {
		got, err := f.read(p[n:], off)
		if n += got; err != nil {
			return n, err
		}
		off += int64(got)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// read reads from one piece, or from one run of bytes between them.
func (f *virtualFile) read(p []byte, off int64) (int, error) {
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].off+f.pieces[i].n > off })
	if i < len(f.pieces) && off >= f.pieces[i].off {
		one := f.pieces[i]
		return f.readPiece(p[:min(int64(len(p)), one.off+one.n-off)], &one, off-one.off)
	}
	i = sort.Search(len(f.kept), func(i int) bool { return f.kept[i].off+int64(len(f.kept[i].b)) > off })
	if i == len(f.kept) || off < f.kept[i].off {
		return 0, fmt.Errorf("%w: %s has nothing at %d", store.ErrCorrupt, f.target.Path, off)
	}
	return copy(p, f.kept[i].b[off-f.kept[i].off:]), nil
}

func (f *virtualFile) readPiece(p []byte, of *madePiece, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.target.recipe.Recipes[of.Recipe].InBlocks() {
		return f.readOn(p, of, off)
	}
	if have, ok := f.maker.contents.local.Find(of.ID, of.Size); ok {
		f.maker.reading.Lock()
		defer f.maker.reading.Unlock()
		return len(p), f.maker.contents.local.readAt(have, p, off)
	}
	return f.readOn(p, of, off)
}

// readOn reads a piece where it was read last, or from its begin.
func (f *virtualFile) readOn(p []byte, of *madePiece, off int64) (int, error) {
	c := &f.cursor
	if c.of != of.Piece || c.at > off {
		r, err := f.maker.pieceReader(f.ctx, f.target, of.Piece, f.trusts)
		if err != nil {
			return 0, err
		}
		*c = pieceCursor{of: of.Piece, src: r}
	}
	if _, err := io.CopyN(io.Discard, c.src, off-c.at); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(c.src, p)
	if c.at = off + int64(n); err != nil {
		c.of = nil
	}
	return n, err
}

// spans are the contents that the file has.
func (f *virtualFile) spans() []span {
	list := make([]span, len(f.pieces))
	for i, p := range f.pieces {
		list[i] = span{off: p.off, n: p.n, decoded: p.ID, known: true}
		if !f.target.recipe.Recipes[p.Recipe].InBlocks() {
			list[i].stored = p.ID
		}
	}
	return list
}

// Stat implements fs.File.
func (f *virtualFile) Stat() (fs.FileInfo, error) { return virtualInfo{f.target}, nil }

// Read implements fs.File; nobody reads an archive from its begin to its end.
func (f *virtualFile) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close implements fs.File.
func (f *virtualFile) Close() error { return nil }

type virtualInfo struct{ of *target }

func (v virtualInfo) Name() string       { return path.Base(v.of.Path) }
func (v virtualInfo) Size() int64        { return v.of.Size }
func (v virtualInfo) Mode() fs.FileMode  { return 0o444 }
func (v virtualInfo) ModTime() time.Time { return time.Time{} }
func (v virtualInfo) IsDir() bool        { return false }
func (v virtualInfo) Sys() any           { return nil }

// virtualFolder has the files of a build in one folder: those that are not on the disk,
// and those that are.
type virtualFolder struct {
	dir   string
	files map[string]*virtualFile // by path
	disk  fs.FS
}

// Open implements fs.FS.
func (d virtualFolder) Open(name string) (fs.File, error) {
	at := path.Join(d.dir, name)
	if f := d.files[at]; f != nil {
		return f, nil
	}
	return d.disk.Open(at)
}

// input returns a file as one of those that are read.
func (f *virtualFile) input(files map[string]*virtualFile, disk fs.FS) delta.Input {
	return delta.Input{Name: f.target.Path, Source: codecs.Source{ReaderAt: f, Name: path.Base(f.target.Path), Size: f.target.Size,
		Dir: virtualFolder{path.Dir(f.target.Path), files, disk}}}
}
