package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"pakdb/diff/pkdelta"
	"pakdb/diff/store"
)

// contentID tells contents apart.
type contentID struct {
	id   uint64
	size int64
}

// wanted is a content that the folder has not.
type wanted struct {
	store.ContentRef
	delta  *store.ContentDelta // that makes it from a content of the folder, or nil
	from   store.DeltaFile     // that has the delta
	listed bool                // chunks are known
	chunks []store.ChunkRef
	coded  bool    // the delta is what is fetched
	stream located // of the delta
	mended int     // how often the delta was wrong
}

// resolve finds, for each content of each file to be made, whether the folder
// has it, and where it does not, which is the cheapest of a delta and of chunks.
func (u *Update) resolve(ctx context.Context, usable []*deltaUse) error {
	if err := u.readOthers(ctx); err != nil {
		return err
	}
	if err := u.recipes(ctx); err != nil {
		return err
	}
	if err := u.want(); err != nil {
		return err
	}
	if err := u.contentDeltas(ctx); err != nil {
		return err
	}
	if err := u.lookFurther(ctx); err != nil {
		return err
	}
	if err := u.lists(ctx); err != nil {
		return err
	}
	if err := u.cheaper(ctx, usable); err != nil {
		return err
	}
	return u.plan(ctx)
}

// contentsOf calls use for the contents of a file.
func (f *fileUpdate) contentsOf(use func(store.ContentRef)) {
	for _, p := range f.pieces {
		use(p.ContentRef)
	}
	use(f.recipe.Skeleton)
}

// want collects the contents that the folder has not.
func (u *Update) want() error {
	u.wanted = map[contentID]*wanted{}
	var err error
	for _, f := range u.todo {
		if f.byDelta {
			continue
		}
		f.contentsOf(func(c store.ContentRef) {
			id := contentID{c.ID, c.Size}
			if _, here := u.local.find(c.ID, c.Size); here || c.Size == 0 || u.wanted[id] != nil || err != nil {
				return
			}
			u.wanted[id] = &wanted{ContentRef: c}
			err = u.mem.Take(store.HeldWanted)
		})
	}
	return err
}

// readOthers reads the folder's files that are not right, once.
func (u *Update) readOthers(ctx context.Context) error {
	if u.isRead {
		return nil
	}
	u.isRead = true
	if err := u.local.read(ctx, u.others); err != nil {
		return err
	}
	for _, f := range u.local.files {
		u.mem.Own += 4 * store.HeldPiece * int64(len(f.decoded)) // new files share pieces, and have others of the same kind
	}
	return nil
}

// perMissing is how many bytes of unchanged files are read at most for each that
// would have to be fetched otherwise.
const perMissing = 8

// lookFurther reads files that are as they should be, since what is missing
// elsewhere may have moved out of one of them: the smaller ones first.
func (u *Update) lookFurther(ctx context.Context) error {
	left := int64(math.MaxInt64)
	if n := u.undiffed(); n < left/perMissing {
		left = n * perMissing
	}
	files := slices.Clone(u.right)
	slices.SortStableFunc(files, func(a, b pkdelta.Input) int { return cmp.Compare(a.Size, b.Size) })
	n := 0
	for n < len(files) && files[n].Size <= left {
		left -= files[n].Size
		u.Bill.Looked += files[n].Size
		n++
	}
	if err := u.local.read(ctx, files[:n]); err != nil {
		return err
	}
	for id := range u.wanted {
		if _, here := u.local.find(id.id, id.size); here {
			delete(u.wanted, id)
		}
	}
	return nil
}

// undiffed is how much of the missing contents no delta makes.
func (u *Update) undiffed() (n int64) {
	for _, w := range u.wanted {
		if w.delta == nil {
			n = store.SumSizes(n, w.Size)
		}
	}
	return n
}

// contentDeltas finds deltas for what is missing, as long as a list of them costs
// less than what they may save.
func (u *Update) contentDeltas(ctx context.Context) error {
	if len(u.local.files) == 0 {
		return nil
	}
	for _, ref := range u.Build.Contents {
		if ref.Size > u.undiffed()/4 {
			continue
		}
		if err := u.deltasFrom(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// deltasFrom chooses among the deltas of a list, of which it holds what is chosen.
func (u *Update) deltasFrom(ctx context.Context, ref store.DeltaRef) error {
	b, err := u.r.object(ctx, ref.Object, store.MaxDeltaList)
	if err != nil {
		return err
	}
	list, err := store.ParseDeltaList(b)
	if err != nil {
		return fmt.Errorf("%s: %w", store.ObjectName(ref.Object), err)
	}
	for _, d := range list.Deltas {
		w := u.wanted[contentID{d.New, d.NewSize}]
		if w == nil || w.delta != nil && w.delta.N <= d.N || d.N > store.MaxStream {
			continue
		}
		if _, here := u.local.find(d.Old, d.OldSize); here {
			w.delta, w.from = &d, list.Files[d.File]
		}
	}
	return nil
}

// evident reports that a delta is so small that to know the chunks would not pay.
func (w *wanted) evident() bool { return w.delta != nil && w.delta.N < w.Size/16 }

// lists reads which chunks the missing contents have.
func (u *Update) lists(ctx context.Context) error {
	var deep []*wanted
	for _, id := range u.sorted() {
		w := u.wanted[id]
		switch {
		case w.Depth == 0:
			w.listed, w.chunks = true, []store.ChunkRef{{ID: w.ID, Place: w.Place}}
		case !w.evident():
			deep = append(deep, w)
		}
	}
	return u.listsOf(ctx, deep)
}

// partList is one of the lists of a content's chunks.
type partList struct {
	of     *wanted
	ref    store.ListRef
	chunks []store.ChunkRef
}

// listsOf reads the chunks of contents: of each its list, and of those that have a
// list of lists all of these.
func (u *Update) listsOf(ctx context.Context, deep []*wanted) error {
	for some := range slices.Chunk(deep, store.Wave) {
		var parts []*partList
		places := make([]store.Place, len(some))
		for i, w := range some {
			places[i] = w.Place
		}
		err := u.eachList(ctx, places, nil, func(i int, b []byte) (err error) {
			w := some[i]
			w.listed = true
			if w.Depth == 1 {
				w.chunks, err = u.chunksIn(b, w.Size)
				return err
			}
			lists, err := store.ParseLists(b, w.Size)
			for _, l := range lists {
				parts = append(parts, &partList{of: w, ref: l})
			}
			return errors.Join(err, u.mem.Take(store.HeldSlot*int64(len(lists))))
		})
		if err != nil {
			return err
		}
		if err := u.listsIn(ctx, parts); err != nil {
			return err
		}
	}
	return nil
}

// listsIn reads the lists that lists name.
func (u *Update) listsIn(ctx context.Context, parts []*partList) error {
	for some := range slices.Chunk(parts, store.Wave) {
		places := make([]store.Place, len(some))
		for i, p := range some {
			places[i] = p.ref.Place
		}
		err := u.eachList(ctx, places, nil, func(i int, b []byte) (err error) {
			some[i].chunks, err = u.chunksIn(b, some[i].ref.Content)
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range some {
			p.of.chunks, p.chunks = append(p.of.chunks, p.chunks...), nil
		}
	}
	u.mem.Give(store.HeldSlot * int64(len(parts)))
	return nil
}

// chunksIn reads a list of chunks.
func (u *Update) chunksIn(b []byte, size int64) ([]store.ChunkRef, error) {
	chunks, err := store.ParseList(b, size)
	return chunks, errors.Join(err, u.mem.Take(store.HeldChunk*int64(len(chunks))))
}

// sorted returns the contents that are wanted, in one order.
func (u *Update) sorted() []contentID {
	ids := make([]contentID, 0, len(u.wanted))
	for _, f := range u.todo {
		if f.byDelta || f.recipe == nil {
			continue
		}
		f.contentsOf(func(c store.ContentRef) { ids = append(ids, contentID{c.ID, c.Size}) })
	}
	seen := map[contentID]bool{}
	return slices.DeleteFunc(ids, func(id contentID) bool {
		was := seen[id]
		seen[id] = true
		return was || u.wanted[id] == nil
	})
}
