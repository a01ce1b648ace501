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

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/table"
	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/ordered"
	"pakdb/internal/progress"
	"pakdb/internal/rescue"
)

// make makes a file, unless an earlier try has. It is not on the disk yet: see
// sync.
func (u *Update) make(ctx context.Context, f *fileUpdate) error {
	if u.isMade(ctx, f) {
		return nil
	}
	file, err := u.out.OpenFile(f.work(), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	err = u.write(ctx, f, file)
	var wrong *wrongDelta
	for errors.As(err, &wrong) && wrong.of.mended < 2 {
		if err = u.mend(ctx, wrong.of); err != nil {
			break
		}
		if err = file.Truncate(0); err == nil {
			err = u.write(ctx, f, file)
		}
	}
	return errors.Join(err, file.Close())
}

// makeAll makes the files that no patch makes.
func (u *Update) makeAll(ctx context.Context) error {
	for _, f := range u.todo {
		if f.byDelta {
			continue
		}
		if err := u.make(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

// makeAnew plans and makes files whose patch was not to be had, of contents.
func (u *Update) makeAnew(ctx context.Context, files []*fileUpdate) error {
	if len(files) == 0 {
		return nil
	}
	all, bill := u.todo, u.Bill
	defer func() { u.todo, u.Bill = all, bill }()
	for _, f := range files {
		f.byDelta = false
	}
	u.todo = files
	if err := u.closeRanges(); err != nil {
		return err
	}
	if err := u.resolve(ctx, nil); err != nil {
		return err
	}
	if err := u.fetch(ctx, nil); err != nil {
		return err
	}
	return u.makeAll(ctx)
}

// syncers is how many files are synced at a time: the system then writes what
// belongs to several at once.
const syncers = 16

// sync waits until what was made is on the disk.
func (u *Update) sync(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(syncers)
	for _, f := range u.todo {
		g.Go(rescue.Func(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			file, err := u.out.OpenFile(f.work(), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return errors.Join(file.Sync(), file.Close())
		}))
	}
	return g.Wait()
}

// block is a part of a file on its way into it.
type block struct {
	form   store.Form
	of     *store.Piece // that begins with it, or nil
	fields []byte       // of its head
	last   bool         // of its piece
	plain  []byte
	stored []byte
	err    error
}

// blocksHeld bounds the bytes of the blocks that are on their way into a file,
// before they are coded: most have 64 KiB, but a store may say 16 MiB.
const blocksHeld = 16 << 20

// weight is what a block takes of that.
func (b *block) weight() int64 { return min(int64(len(b.plain)), blocksHeld) }

// write makes a file: one goroutine reads contents, all processors code their
// blocks, and one writes them in order.
func (u *Update) write(ctx context.Context, f *fileUpdate, file *atomicfile.File) error {
	m := assembler{out: output{file: file, left: f.Size}, sha: sha1.New()}
	coders := sync.Pool{New: func() any { return &pkdelta.Coder{} }}
	work := func(_ context.Context, b *block) {
		if b.stored = b.plain; b.form.InBlocks() {
			coder := coders.Get().(*pkdelta.Coder)
			b.stored, b.err = coder.Encode(nil, b.plain, b.form.Recipe)
			coders.Put(coder)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	room := semaphore.NewWeighted(blocksHeld)
	blocks := func(yield func(*block, error) bool) {
		for b, err := range u.blocks(ctx, f) {
			if err == nil {
				err = room.Acquire(ctx, b.weight())
			}
			if !yield(b, err) {
				return
			}
		}
	}
	err := ordered.Do(ctx, blocks, workers, 4*workers, work, func(b *block) error {
		before := m.out.left
		err := errors.Join(b.err, m.put(b))
		room.Release(b.weight())
		progress.Of(ctx).Add(before - m.out.left)
		return err
	}, func(*block) {})
	if err != nil {
		return err
	}
	if err := m.out.flush(); err != nil {
		return err
	}
	sum, err := store.SumOf(progress.Watch(ctx, nil), file, f.Size-m.out.left)
	if err == nil && (m.out.left != 0 || sum != f.Sum) {
		err = fmt.Errorf("%w: what was made is not the file: %d bytes short, BLAKE3 %s", store.ErrCorrupt, m.out.left, sum)
	}
	return err
}

// plainBlock is how much is handed on at once of what no recipe codes.
const plainBlock = 256 << 10

// blocks are what a file is made of, in its order.
func (u *Update) blocks(ctx context.Context, f *fileUpdate) func(yield func(*block, error) bool) {
	return func(yield func(*block, error) bool) {
		err := u.eachBlock(ctx, f, func(b *block) bool { return yield(b, nil) })
		if err != nil && err != errEnded {
			yield(nil, err)
		}
	}
}

var errEnded = errors.New("ended")

// eachBlock gives the blocks of a file as long as they are taken.
func (u *Update) eachBlock(ctx context.Context, f *fileUpdate, take func(*block) bool) error {
	skeleton, err := u.content(ctx, f.recipe.Skeleton)
	if err != nil {
		return err
	}
	give := func(r io.Reader, n, size int64, first block) error {
		for ; n > 0; first.of = nil {
			b := first
			b.plain = make([]byte, min(n, size))
			if _, err := io.ReadFull(r, b.plain); err != nil {
				return fmt.Errorf("%w: a content ends early: %w", store.ErrCorrupt, err)
			}
			n -= int64(len(b.plain))
			if b.last = n == 0; !take(&b) {
				return errEnded
			}
		}
		return nil
	}
	left := f.recipe.Skeleton.Size
	for i := range f.pieces {
		p := &f.pieces[i]
		left -= p.Gap
		first := block{form: f.recipe.Recipes[p.Recipe], of: p}
		first.fields = make([]byte, first.form.Head.Literal(p.Gap))
		if err := give(skeleton, p.Gap-int64(len(first.fields)), plainBlock, block{}); err != nil {
			return err
		}
		if _, err := io.ReadFull(skeleton, first.fields); err != nil {
			return fmt.Errorf("%w: a skeleton ends early: %w", store.ErrCorrupt, err)
		}
		r, err := u.content(ctx, p.ContentRef)
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

	head   int64 // where that of the piece at hand is to stand
	fields []byte
	facts  store.Facts
	sha    hash.Hash
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
	if err := m.out.write(b.stored); err != nil || b.form.Head == 0 {
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
	m.known = len(m.places)
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
	return m.out.skip(h.Size(int64(len(b.fields)), blocks))
}

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
