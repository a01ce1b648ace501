package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
)

// wanted is a content that the folder has not.
type wanted struct {
	store.ContentRef
	delta  *store.ContentDelta // that makes it from a content of the folder, or nil
	from   store.DeltaFile     // that has the delta
	listed bool                // chunks are known
	chunks []store.ChunkRef
}

// contents are what files to be made consist of, and where what the folder has not
// of it can be had.
type contents struct {
	build  *store.Build
	frames *frameReader
	local  *localFiles
	others []delta.Input // files of the folder that are not right: they are read first
	right  []delta.Input // files that are
	files  []*target
	wanted map[Content]*wanted
	coded  map[Content]bool // of these, those that deltas make
	ranks  ranks
	looked int64 // bytes of files that are right and were read all the same
}

// newContents is for files that are made of contents.
func newContents(f *Folder, files []*target) *contents {
	return &contents{build: f.build, frames: f.frames, local: f.local, ranks: f.parts.ranks, others: f.diff.others, right: f.diff.right, files: files,
		wanted: map[Content]*wanted{}, coded: map[Content]bool{}}
}

// resolve finds, for each content of each file, whether the folder has it, and where
// it does not, a delta and its chunks. It returns those of the patches that are
// cheaper than that; their files are none of the contents' any more.
func (c *contents) resolve(ctx context.Context, patches []*patchUse) (cheaper []*patchUse, err error) {
	if err := c.local.ReadOnce(ctx, c.others, &c.frames.mem); err != nil {
		return nil, err
	}
	if err := readRecipes(ctx, c.frames, c.local, c.files); err != nil {
		return nil, err
	}
	if err := c.want(); err != nil {
		return nil, err
	}
	if err := c.findDeltas(ctx); err != nil {
		return nil, err
	}
	if err := c.lookFurther(ctx); err != nil {
		return nil, err
	}
	if err := c.listChunks(ctx); err != nil {
		return nil, err
	}
	if cheaper, err = c.cheaper(ctx, patches); err != nil {
		return nil, err
	}
	c.files = slices.DeleteFunc(slices.Clone(c.files), func(t *target) bool { return t.patch != "" })
	return cheaper, nil
}

// want collects the contents that the folder has not.
func (c *contents) want() (err error) {
	for _, t := range c.files {
		t.contents(func(r store.ContentRef) {
			id := Content{r.ID, r.Size}
			if _, here := c.local.Find(r.ID, r.Size); here || r.Size == 0 || c.wanted[id] != nil || err != nil {
				return
			}
			c.wanted[id] = &wanted{ContentRef: r}
			err = c.frames.mem.Take(store.HeldWanted)
		})
	}
	return err
}

// perMissing is how many bytes of unchanged files are read at most for each that
// would have to be fetched otherwise.
const perMissing = 8

// lookFurther reads files that are as they should be, since what is missing
// elsewhere may have moved out of one of them: the smaller ones first.
func (c *contents) lookFurther(ctx context.Context) error {
	left := int64(math.MaxInt64)
	if n := c.withoutDelta(); n < left/perMissing {
		left = n * perMissing
	}
	files := slices.Clone(c.right)
	slices.SortStableFunc(files, func(a, b delta.Input) int { return cmp.Compare(a.Size, b.Size) })
	n := 0
	for n < len(files) && files[n].Size <= left {
		left -= files[n].Size
		c.looked += files[n].Size
		n++
	}
	if err := c.local.Read(ctx, files[:n]); err != nil {
		return err
	}
	for id := range c.wanted {
		if _, here := c.local.Find(id.ID, id.Size); here {
			delete(c.wanted, id)
		}
	}
	return nil
}

// withoutDelta is how much of the missing contents no delta makes.
func (c *contents) withoutDelta() (n int64) {
	for _, w := range c.wanted {
		if w.delta == nil {
			n = store.SumSizes(n, w.Size)
		}
	}
	return n
}

// findDeltas finds deltas for what is missing, as long as a list of them costs less
// than what they may save.
func (c *contents) findDeltas(ctx context.Context) error {
	if c.local.Empty() {
		return nil
	}
	for _, ref := range c.build.Contents {
		if ref.Size > c.withoutDelta()/4 {
			continue
		}
		if err := c.deltasFrom(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// deltasFrom chooses among the deltas of a list, of which it keeps what is chosen.
func (c *contents) deltasFrom(ctx context.Context, ref store.DeltaRef) error {
	b, err := c.frames.remote.object(ctx, ref.Object, store.MaxDeltaList)
	if err != nil {
		return err
	}
	list, err := store.ParseDeltaList(b)
	if err != nil {
		return fmt.Errorf("%s: %w", store.ObjectName(ref.Object), err)
	}
	for _, d := range list.Deltas {
		w := c.wanted[Content{d.New, d.NewSize}]
		if w == nil || w.delta != nil && w.delta.N <= d.N || d.N > store.MaxStream {
			continue
		}
		if _, here := c.local.Find(d.Old, d.OldSize); here {
			w.delta, w.from = &d, list.Files[d.File]
		}
	}
	return nil
}

// evident reports that a delta is so small that to know the chunks would not pay.
func (w *wanted) evident() bool { return w.delta != nil && w.delta.N < w.Size/16 }

// listChunks reads which chunks the missing contents have.
func (c *contents) listChunks(ctx context.Context) error {
	var deep []*wanted
	for _, id := range c.sorted() {
		w := c.wanted[id]
		switch {
		case w.Depth == 0:
			w.isChunk()
		case !w.evident():
			deep = append(deep, w)
		}
	}
	return c.frames.listsOf(ctx, deep)
}

// isChunk sets the chunks of a content that is one.
func (w *wanted) isChunk() {
	w.listed, w.chunks = true, []store.ChunkRef{{ID: w.ID, Place: w.Place}}
}

// partList is one of the lists of a content's chunks.
type partList struct {
	of     *wanted
	ref    store.ListRef
	chunks []store.ChunkRef
}

// listsOf reads the chunks of contents: of each its list, and of those that have a
// list of lists all of these.
func (f *frameReader) listsOf(ctx context.Context, deep []*wanted) error {
	for some := range slices.Chunk(deep, store.Wave) {
		var parts []*partList
		places := make([]store.Place, len(some))
		for i, w := range some {
			places[i] = w.Place
		}
		err := f.eachList(ctx, places, nil, func(i int, b []byte) (err error) {
			w := some[i]
			w.listed = true
			if w.Depth == 1 {
				w.chunks, err = f.chunksIn(b, w.Size)
				return err
			}
			lists, err := store.ParseLists(b, w.Size)
			for _, l := range lists {
				parts = append(parts, &partList{of: w, ref: l})
			}
			return errors.Join(err, f.mem.Take(store.HeldSlot*int64(len(lists))))
		})
		if err != nil {
			return err
		}
		if err := f.listsIn(ctx, parts); err != nil {
			return err
		}
	}
	return nil
}

// listsIn reads the lists that lists name.
func (f *frameReader) listsIn(ctx context.Context, parts []*partList) error {
	for some := range slices.Chunk(parts, store.Wave) {
		places := make([]store.Place, len(some))
		for i, p := range some {
			places[i] = p.ref.Place
		}
		err := f.eachList(ctx, places, nil, func(i int, b []byte) (err error) {
			some[i].chunks, err = f.chunksIn(b, some[i].ref.Content)
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range some {
			p.of.chunks, p.chunks = append(p.of.chunks, p.chunks...), nil
		}
	}
	f.mem.Give(store.HeldSlot * int64(len(parts)))
	return nil
}

// chunksIn reads a list of chunks.
func (f *frameReader) chunksIn(b []byte, size int64) ([]store.ChunkRef, error) {
	chunks, err := store.ParseList(b, size)
	return chunks, errors.Join(err, f.mem.Take(store.HeldChunk*int64(len(chunks))))
}

// sorted returns the contents that are wanted, in one order.
func (c *contents) sorted() []Content {
	ids := make([]Content, 0, len(c.wanted))
	seen := map[Content]bool{}
	for _, t := range c.files {
		t.contents(func(r store.ContentRef) {
			if id := (Content{r.ID, r.Size}); c.wanted[id] != nil && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		})
	}
	return ids
}

// choice is what is fetched for some files.
type choice struct {
	frames map[store.FrameID]bool
	coded  []*wanted
	bytes  int64
}

// choose finds the cheapest for each content that some files want. Of those that
// can be had by a delta or by chunks, the chunks are taken when the deltas of all
// that want the same frame are larger than the frame.
func (c *contents) choose(ctx context.Context, files []*target) (*choice, error) {
	ch := &choice{frames: map[store.FrameID]bool{}}
	open := c.undecided(files, ch)
	saved := map[store.FrameID]int64{} // bytes of deltas that a frame makes needless
	for _, w := range open {
		if f := c.framesOf(w, ch); len(f) == 1 {
			saved[f[0]] += w.delta.N
		}
	}
	for id, n := range saved {
		stored, err := c.frames.size(ctx, id)
		if err != nil {
			return nil, err
		}
		if n >= stored {
			ch.frames[id] = true
		}
	}
	for _, w := range open {
		frames := c.framesOf(w, ch)
		cost, err := c.frames.sizeOfAll(ctx, frames)
		if err != nil {
			return nil, err
		}
		if w.delta.N < cost {
			ch.coded = append(ch.coded, w)
			continue
		}
		for _, id := range frames {
			ch.frames[id] = true
		}
	}
	return ch, c.addBytes(ctx, ch)
}

// addBytes adds up what a choice costs.
func (c *contents) addBytes(ctx context.Context, ch *choice) error {
	for id := range ch.frames {
		n, err := c.frames.size(ctx, id)
		if err != nil {
			return err
		}
		ch.bytes += n
	}
	for _, w := range ch.coded {
		ch.bytes += w.delta.N
	}
	return nil
}

// undecided returns the contents that can be had by a delta and by chunks. Of the
// others it adds to the choice what there is.
func (c *contents) undecided(files []*target, ch *choice) (open []*wanted) {
	seen := map[Content]bool{}
	for _, t := range files {
		t.contents(func(r store.ContentRef) {
			id := Content{r.ID, r.Size}
			w := c.wanted[id]
			if w == nil || seen[id] {
				return
			}
			seen[id] = true
			switch {
			case w.delta == nil:
				c.local.Missing(w.chunks, func(x store.ChunkRef) { ch.frames[x.Place.ID()] = true })
			case !w.listed:
				ch.coded = append(ch.coded, w)
			default:
				open = append(open, w)
			}
		})
	}
	return open
}

// framesOf are those that a content takes beside what is chosen, each once.
func (c *contents) framesOf(w *wanted, ch *choice) (list []store.FrameID) {
	seen := map[store.FrameID]bool{}
	c.local.Missing(w.chunks, func(x store.ChunkRef) {
		if id := x.Place.ID(); !ch.frames[id] && !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	})
	return list
}

// cheaper chooses the patches that are smaller than what the same files need
// otherwise.
func (c *contents) cheaper(ctx context.Context, patches []*patchUse) (chosen []*patchUse, err error) {
	for _, use := range patches {
		files := slices.DeleteFunc(slices.Clone(use.files), func(t *target) bool { return t.patch != "" })
		ch, err := c.choose(ctx, files)
		if err != nil {
			return nil, err
		}
		if use.Size < ch.bytes {
			use.choose()
			chosen = append(chosen, use)
		}
	}
	return chosen, nil
}

// ranges decides what is fetched for the files.
func (c *contents) ranges(ctx context.Context) ([]Range, error) {
	ch, err := c.choose(ctx, c.files)
	if err != nil {
		return nil, err
	}
	parts, err := c.frames.locate(ctx, ch.frames)
	if err != nil {
		return nil, err
	}
	for _, w := range ch.coded {
		id := Content{w.ID, w.Size}
		c.coded[id] = true
		parts = append(parts, storedPart{w.from.Name(), w.from.Sum, Part{Content: id, Off: w.delta.Off, Size: w.delta.N}, 0})
	}
	frames, deltas := c.rankOf(c.ranks)
	for i := range parts {
		if p := &parts[i]; p.Pack > 0 {
			p.rank = frames[p.frame()]
		} else {
			p.rank = deltas[p.Content]
		}
	}
	return join(parts, nearby), nil
}

// addUp says where the bytes of a file's contents come from.
func (c *contents) addUp(t *target, file *File) {
	from := map[string]bool{}
	t.contents(func(r store.ContentRef) {
		id := Content{r.ID, r.Size}
		w := c.wanted[id]
		switch {
		case r.Size == 0: // it comes from nowhere
		case w == nil:
			file.Local = store.SumSizes(file.Local, r.Size)
			if have, ok := c.local.Find(r.ID, r.Size); ok {
				from[have.From()] = true
			}
		case c.coded[id]:
			file.Coded = store.SumSizes(file.Coded, r.Size)
			if have, ok := c.local.Find(w.delta.Old, w.delta.OldSize); ok {
				from[have.From()] = true
			}
		default:
			missing := int64(0)
			c.local.Missing(w.chunks, func(x store.ChunkRef) { missing += int64(x.Size) })
			file.Missing = store.SumSizes(file.Missing, missing)
			file.Local = store.SumSizes(file.Local, r.Size-missing)
			c.local.Sources(w.chunks, from)
		}
	})
	file.From = slices.Sorted(maps.Keys(from))
}
