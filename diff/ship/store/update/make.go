package update

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/semaphore"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/table"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// maker makes files of contents.
type maker struct {
	disk     *disk
	contents *contents
	fetcher  *fetcher
	mended   map[Content]int // how often their deltas were wrong

	headsFirst bool       // files are made from front to end
	trusts     bool       // blocks of the folder are taken for those that a recipe would make
	reading    sync.Mutex // contents share caches
}

// readFull reads a part of a content.
func (m *maker) readFull(r io.Reader, b []byte) error {
	m.reading.Lock()
	defer m.reading.Unlock()
	_, err := io.ReadFull(r, b)
	return err
}

func newMaker(d *disk, c *contents, f *fetcher) *maker {
	return &maker{disk: d, contents: c, fetcher: f, mended: map[Content]int{}}
}

// fetch fetches what is missing for files up to a rank. Contents whose deltas nobody gives
// are made of chunks.
func (m *maker) fetch(ctx context.Context, rank int, fetched func(n int64)) error {
	absent, err := m.fetcher.all(ctx, rank, fetched)
	if err != nil || len(absent) == 0 {
		return err
	}
	return m.byChunks(ctx, absent)
}

// makeAll makes files.
func (m *maker) makeAll(ctx context.Context, files []*File) error {
	targets := map[string]*target{}
	for _, t := range m.contents.files {
		targets[t.Path] = t
	}
	for _, f := range files {
		t := targets[f.Path]
		if t == nil || t.Sum != f.Sum {
			return fmt.Errorf("%s: %w", f.Path, errForeignPlan)
		}
		if err := m.make(ctx, f, t); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

// make makes a file, unless an earlier try has. It is not on the disk yet: see
// placement.sync. Blocks that the folder has are taken as they are at first, which saves
// coding them: the hash of the file shows if they are right.
func (m *maker) make(ctx context.Context, f *File, t *target) error {
	if m.disk.isMade(ctx, f) {
		return nil
	}
	file, err := m.disk.out.OpenFile(workOf(f), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	m.trusts = true
	defer func() { m.trusts = false }()
	err = m.write(ctx, t, file)
	for again := true; err != nil && again; {
		if again, err = m.doubt(ctx, err); !again {
			break
		}
		if err = file.Truncate(0); err == nil {
			err = m.write(ctx, t, file)
		}
	}
	return errors.Join(err, file.Close())
}

// doubt changes what a file is made of after an error, and reports whether that may help.
// Blocks of the folder may be of another packer; a delta that is wrong is fetched again.
func (m *maker) doubt(ctx context.Context, err error) (again bool, _ error) {
	var wrong *wrongDelta
	switch {
	case errors.As(err, &wrong) && m.mended[wrong.of] < 2:
		err = m.mend(ctx, wrong.of)
		return err == nil, err
	case wrong == nil && m.trusts && errors.Is(err, store.ErrCorrupt):
		m.trusts = false
		return true, nil
	}
	return false, err
}

// mend fetches a delta again that is wrong, and the second time the content's
// chunks in place of it.
func (m *maker) mend(ctx context.Context, id Content) error {
	if m.mended[id]++; m.mended[id] == 1 {
		var wrong *wrongError
		if err := m.fetcher.again(ctx, m.fetcher.deltas[id].in, nil); !errors.As(err, &wrong) {
			return err
		}
		m.mended[id]++
	}
	return m.byChunks(ctx, []Content{id})
}

// byChunks fetches the chunks of contents for which a delta was planned.
func (m *maker) byChunks(ctx context.Context, list []Content) error {
	var deep []*wanted
	for _, id := range list {
		delete(m.fetcher.deltas, id)
		w := m.contents.wanted[id]
		if w == nil {
			return errForeignPlan
		}
		if w.Depth == 0 {
			w.isChunk()
		} else if !w.listed {
			deep = append(deep, w)
		}
	}
	if err := m.contents.frames.listsOf(ctx, deep); err != nil {
		return err
	}
	need := map[store.FrameID]bool{}
	for _, id := range list {
		m.contents.local.Missing(m.contents.wanted[id].chunks, func(c store.ChunkRef) { need[c.Place.ID()] = true })
	}
	return m.fetcher.need(ctx, need)
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// content reads a content of a file that is made.
func (m *maker) content(ctx context.Context, c store.ContentRef) (io.Reader, error) {
	if c.Size == 0 {
		return eof{}, nil
	}
	local := m.contents.local
	if have, ok := local.Find(c.ID, c.Size); ok {
		return have.Open(), nil
	}
	id := Content{c.ID, c.Size}
	w := m.contents.wanted[id]
	if w == nil {
		return nil, fmt.Errorf("%w: a content that was not planned", store.ErrCorrupt)
	}
	at, coded := m.fetcher.deltas[id]
	if !coded {
		return &chunkReader{next: func(c store.ChunkRef) ([]byte, error) { return m.chunk(ctx, c) }, chunks: w.chunks}, nil
	}
	old, ok := local.Find(w.delta.Old, w.delta.OldSize)
	if !ok {
		return nil, ErrChanged
	}
	b, err := at.read()
	if err != nil {
		return nil, err
	}
	return &codedReader{store.NewDeltaReader(&coder.Decoder{}, b, local.Old(old), c.Size), w, blake3.New(), c.Size}, nil
}

// chunk returns a chunk, from the folder or from what was fetched.
func (m *maker) chunk(ctx context.Context, c store.ChunkRef) ([]byte, error) {
	if have, ok := m.contents.local.Chunk(c); ok {
		return m.contents.local.ReadChunk(have, c.ID)
	}
	return m.fetcher.chunk(ctx, c)
}

// codedReader reads what a delta makes, and compares it with the content's id
// before it gives the last of it.
type codedReader struct {
	*store.DeltaReader
	of   *wanted
	hash *blake3.Hasher
	left int64
}

func (r *codedReader) Read(p []byte) (int, error) {
	n, err := r.DeltaReader.Read(p)
	_, _ = r.hash.Write(p[:n])
	r.left -= int64(n)
	if n > 0 && r.left == 0 && store.Key(r.hash.Sum(nil)[:16]).Short() != r.of.ID {
		n, err = 0, fmt.Errorf("%w: it makes another content", store.ErrCorrupt)
	}
	if errors.Is(err, store.ErrCorrupt) {
		err = &wrongDelta{Content{r.of.ID, r.of.Size}, r.of.from.Name(), err}
	}
	return n, err
}

// wrongDelta means that a delta does not make its content.
type wrongDelta struct {
	of   Content
	file string
	err  error
}

func (e *wrongDelta) Error() string { return fmt.Sprintf("a delta of %s: %v", e.file, e.err) }
func (e *wrongDelta) Unwrap() error { return e.err }

// block is a part of a file on its way into it.
type block struct {
	form   store.Form
	of     *store.Piece // that begins with it, or nil
	in     *store.Piece // that it is of, nil: the skeleton's
	facts  *store.Facts // of a large piece that begins with it, where its head is written first
	fields []byte       // of its head
	last   bool         // of its piece
	plain  []byte
	stored []byte
	given  int // bytes of stored that came in place of plain
	err    error
}

// blocksHeld bounds the bytes of the blocks that are on their way into a file,
// before they are coded: most have 64 KiB, but a store may say 16 MiB.
const blocksHeld = 16 << 20

// weight is what a block takes of that.
func (b *block) weight() int64 { return min(int64(len(b.plain)+b.given), blocksHeld) }

// write makes a file: one goroutine reads contents, all processors code their
// blocks, and one writes them in order.
func (m *maker) write(ctx context.Context, t *target, file *atomicfile.File) error {
	a := assembler{out: output{file: file, left: t.Size}, sha: sha1.New()}
	if err := m.assemble(ctx, t, &a); err != nil {
		return err
	}
	sum, err := store.SumOf(stored.WatchProgress(ctx, nil), file, t.Size-a.out.left)
	if err == nil {
		err = a.judge(t, sum)
	}
	return err
}

// judge fails unless what was made is the file.
func (m *assembler) judge(t *target, sum string) error {
	if m.out.left != 0 || sum != t.Sum {
		return fmt.Errorf("%w: the made file is another: %d bytes short, BLAKE3 %s", store.ErrCorrupt, m.out.left, sum)
	}
	return nil
}

// assemble is write, whatever the file is.
func (m *maker) assemble(ctx context.Context, t *target, a *assembler) error {
	coders := sync.Pool{New: func() any { return &delta.Coder{} }}
	work := func(_ context.Context, b *block) {
		if b.stored != nil {
			return
		}
		if b.stored = b.plain; b.form.InBlocks() {
			coder := coders.Get().(*delta.Coder)
			b.stored, b.err = coder.Encode(nil, b.plain, b.form.Recipe)
			coders.Put(coder)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	room := semaphore.NewWeighted(blocksHeld)
	blocks := func(yield func(*block, error) bool) {
		for b, err := range m.blocks(ctx, t) {
			if err == nil {
				err = room.Acquire(ctx, b.weight())
			}
			if !yield(b, err) {
				return
			}
		}
	}
	err := process.InOrder(ctx, blocks, workers, 4*workers, work, func(b *block) error {
		before := a.out.left
		err := errors.Join(b.err, a.put(b))
		room.Release(b.weight())
		stored.ProgressOf(ctx).Add(before - a.out.left)
		return err
	}, func(*block) {})
	if err != nil {
		return err
	}
	return a.out.flush()
}

// plainBlock is how much is handed on at once of what no recipe codes.
const plainBlock = 256 << 10

// blocks are what a file is made of, in its order.
func (m *maker) blocks(ctx context.Context, t *target) func(yield func(*block, error) bool) {
	return func(yield func(*block, error) bool) {
		err := m.eachBlock(ctx, t, func(b *block) bool { return yield(b, nil) })
		if err != nil && err != errEnded {
			yield(nil, err)
		}
	}
}

var errEnded = errors.New("ended")

// eachBlock gives the blocks of a file as long as they are taken.
func (m *maker) eachBlock(ctx context.Context, t *target, take func(*block) bool) error {
	skeleton, err := m.content(ctx, t.recipe.Skeleton)
	if err != nil {
		return err
	}
	give := func(r io.Reader, n, size int64, first block) error {
		for ; n > 0; first.of = nil {
			b := first
			b.plain = make([]byte, min(n, size))
			if err := m.readFull(r, b.plain); err != nil {
				return fmt.Errorf("%w: a content ends early: %w", store.ErrCorrupt, err)
			}
			n -= int64(len(b.plain))
			if b.last = n == 0; !take(&b) {
				return errEnded
			}
		}
		return nil
	}
	left := t.recipe.Skeleton.Size
	for i := range t.pieces {
		p := &t.pieces[i]
		left -= p.Gap
		first := block{form: t.recipe.Recipes[p.Recipe], of: p, in: p}
		first.fields = make([]byte, first.form.Head.Literal(p.Gap))
		if err := give(skeleton, p.Gap-int64(len(first.fields)), plainBlock, block{}); err != nil {
			return err
		}
		if err := m.readFull(skeleton, first.fields); err != nil {
			return fmt.Errorf("%w: a skeleton ends early: %w", store.ErrCorrupt, err)
		}
		if m.headsFirst && first.form.Head != 0 && p.Size > heldPiece {
			if first.facts, err = m.factsOf(ctx, t, p, m.trusts); err != nil {
				return err
			}
		}
		if have, ok := m.asStored(t, p, m.trusts); ok {
			if err := have.eachStored(func(i int, stored []byte) error {
				b := first
				if i > 0 {
					b.of = nil
				}
				b.stored, b.given, b.last = stored, len(stored), i == len(have.g.Stored)-1
				if !take(&b) {
					return errEnded
				}
				return nil
			}); err != nil {
				return err
			}
			continue
		}
		r, err := m.content(ctx, p.ContentRef)
		if err != nil {
			return err
		}
		size := p.Block
		if size == 0 {
			size = plainBlock
		}
		if first.form.Method == store.MethodTables {
			size = min(p.Size, table.MaxSize)
		}
		if err := give(r, p.Size, size, first); err != nil {
			return err
		}
	}
	return give(skeleton, left, plainBlock, block{})
}

// assembler writes a file.
type assembler struct {
	out    output
	places []int64 // where heads of entries begin
	known  int     // of these are before the piece at hand
	tables bool    // have been written

	head   int64 // where that of the piece at hand is to be
	isSet  bool  // it is written
	fields []byte
	facts  store.Facts
	sha    hash.Hash

	virtual *virtualFile // that notes where contents are; nil: a file on the disk
}

// put writes a block.
func (m *assembler) put(b *block) (err error) {
	if b.of != nil {
		if err := m.begin(b); err != nil {
			return err
		}
	}
	if b.form.Method == store.MethodTables {
		if b.stored, err = m.fill(b); err != nil {
			return err
		}
	}
	if m.virtual != nil {
		m.virtual.note(b, m.out.pos())
	}
	if err := m.out.write(b.stored); err != nil || b.form.Head == 0 || m.isSet {
		return err
	}
	_, _ = m.sha.Write(b.stored)
	m.facts.Stored += int64(len(b.stored))
	if b.form.InBlocks() {
		m.facts.Blocks = append(m.facts.Blocks, int64(len(b.stored)))
	}
	if !b.last {
		return nil
	}
	m.facts.Sum = [store.SumSize]byte(m.sha.Sum(nil))
	return m.out.set(m.head, b.form.Head.Record(m.fields, &m.facts, m.head))
}

// begin makes room for the head of a piece.
func (m *assembler) begin(b *block) error {
	p, h := b.of, b.form.Head
	m.fields, m.head = b.fields, m.out.pos()
	m.known, m.isSet = len(m.places), false
	m.places = append(m.places, h.Places(m.head-p.Gap+int64(len(b.fields)), p.Gap)...)
	if h == 0 {
		return nil
	}
	m.sha.Reset()
	m.facts = store.Facts{Blocks: m.facts.Blocks[:0], Size: p.Size, Block: p.Block}
	blocks := int64(0)
	if b.form.InBlocks() {
		blocks = (p.Size + p.Block - 1) / p.Block
	}
	if b.facts != nil {
		m.isSet = true
		return m.out.write(h.Record(m.fields, b.facts, m.head))
	}
	return m.out.skip(h.Size(int64(len(b.fields)), blocks))
}

// heldPiece is how large a piece may be that waits in memory for its head.
const heldPiece = 32 << 20

// fill makes the tables of the file so far.
func (m *assembler) fill(b *block) ([]byte, error) {
	if m.tables || !b.last {
		return nil, fmt.Errorf("%w: tables of more than one content, or of a large one", store.ErrCorrupt)
	}
	m.tables = true
	if err := m.out.flush(); err != nil {
		return nil, err
	}
	return store.FillTables(b.plain, m.out.pos(), m.places[:m.known], m.out.file)
}

// output writes a file from front to back, no more than it may have, and sets
// bytes that were skipped.
type output struct {
	file   madeFile
	ends   bool   // bytes are written once, from the front to the end
	held   bool   // bytes that were skipped are in the buffer, and not set
	at     int64  // where the buffer begins
	buffer []byte // not written yet
	left   int64
}

// madeFile is what a file is written to, and read back from.
type madeFile interface {
	io.WriterAt
	io.ReaderAt
}

const mostOutput = 1 << 20 // bytes of the buffer

// pos is where the file goes on.
func (o *output) pos() int64 { return o.at + int64(len(o.buffer)) }

func (o *output) reserve(n int64) error {
	if n > o.left {
		return fmt.Errorf("%w: a recipe makes more than its file", store.ErrCorrupt)
	}
	o.left -= n
	return nil
}

func (o *output) write(p []byte) error {
	if err := o.reserve(int64(len(p))); err != nil {
		return err
	}
	if o.buffer = append(o.buffer, p...); len(o.buffer) < mostOutput || o.held {
		return nil
	}
	return o.flush()
}

// skip leaves n bytes to be set.
func (o *output) skip(n int64) error {
	if err := o.reserve(n); err != nil {
		return err
	}
	if o.held = o.ends; n > mostOutput && !o.held {
		err := o.flush()
		o.at += n
		return err
	}
	o.buffer = append(o.buffer, make([]byte, n)...)
	return nil
}

// set sets bytes that were skipped.
func (o *output) set(at int64, p []byte) error {
	o.held = false
	if at >= o.at {
		copy(o.buffer[at-o.at:], p)
		return nil
	}
	_, err := o.file.WriteAt(p, at)
	return err
}

func (o *output) flush() error {
	_, err := o.file.WriteAt(o.buffer, o.at)
	o.at += int64(len(o.buffer))
	o.buffer = o.buffer[:0]
	return err
}
