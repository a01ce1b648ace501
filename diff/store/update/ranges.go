package update

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"

	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// fetchRange is a part of a pack, or of a file of deltas, that is fetched in one
// request.
type fetchRange struct {
	file   string
	sum    store.Key // of the file
	off, n int64
	data   *os.File // where it lies, once it is there
	absent bool     // nobody gives it
}

// located is a piece of a range.
type located struct {
	in     *fetchRange
	off, n int64
}

func (l *located) read() ([]byte, error) {
	if l.in == nil || l.in.data == nil {
		return nil, fmt.Errorf("%w: a part of a pack that was not planned", store.ErrCorrupt)
	}
	b := make([]byte, l.n)
	return b, stored.ReadAt(l.in.data, b, l.off)
}

// span is a part of a file of the store that is needed.
type span struct {
	file   string
	sum    store.Key
	off, n int64
	at     func(located) // takes where it will be
}

const (
	nearby   = 64 << 10 // bytes that nobody needs are fetched rather than asking twice
	nearList = 12 << 10 // the same of lists and recipes
	maxRange = 4 << 20  // of one request, unless a single part is larger
)

// join makes ranges of what is needed, of parts that are not far from each other.
func join(spans []span, nearby int64) (ranges []*fetchRange) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.off, b.off)) })
	for _, s := range spans {
		var r *fetchRange
		if len(ranges) > 0 {
			r = ranges[len(ranges)-1]
		}
		if r == nil || r.file != s.file || s.off-(r.off+r.n) > nearby || s.off+s.n-r.off > maxRange {
			r = &fetchRange{file: s.file, sum: s.sum, off: s.off}
			ranges = append(ranges, r)
		}
		r.n = max(r.n, s.off+s.n-r.off)
		s.at(located{r, s.off - r.off, s.n})
	}
	return ranges
}

// frameSpans tells where frames are.
func (u *Update) frameSpans(ctx context.Context, need map[store.FrameID]bool, at func(store.FrameID, located)) ([]span, error) {
	spans := make([]span, 0, len(need))
	for id := range need {
		p, err := u.table(ctx, id.Pack)
		if err != nil {
			return nil, err
		}
		off, n, err := p.Span(id.Frame)
		if err != nil {
			return nil, err
		}
		spans = append(spans, span{store.PackName(id.Pack), p.Sum, off, n, func(l located) { at(id, l) }})
	}
	return spans, nil
}

// table returns where the frames of a pack are.
func (u *Update) table(ctx context.Context, pack int) (store.PackInfo, error) {
	for _, t := range u.refs {
		if _, there := u.tables[pack]; there {
			break
		}
		if pack < t.First || pack > t.Last || u.tabled[t.Object] {
			continue
		}
		b, err := u.r.object(ctx, t.Object, store.MaxTable)
		if err == nil {
			err = u.tables.Parse(b, &u.mem)
		}
		if err != nil {
			return store.PackInfo{}, err
		}
		u.tabled[t.Object] = true
	}
	p, ok := u.tables[pack]
	if !ok {
		return p, fmt.Errorf("%w: pack %d is not in the build's tables", store.ErrCorrupt, pack)
	}
	return p, nil
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
func (u *Update) choose(ctx context.Context, files []*fileUpdate) (*choice, error) {
	c := &choice{frames: map[store.FrameID]bool{}}
	open := u.undecided(files, c)
	saved := map[store.FrameID]int64{} // bytes of deltas that a frame makes needless
	for _, w := range open {
		if f := u.framesOf(w, c); len(f) == 1 {
			saved[f[0]] += w.delta.N
		}
	}
	for id, n := range saved {
		stored, err := u.stored(ctx, id)
		if err != nil {
			return nil, err
		}
		if n >= stored {
			c.frames[id] = true
		}
	}
	for _, w := range open {
		frames, cost := u.framesOf(w, c), int64(0)
		for _, id := range frames {
			n, err := u.stored(ctx, id)
			if err != nil {
				return nil, err
			}
			cost += n
		}
		if w.delta.N < cost {
			c.coded = append(c.coded, w)
			continue
		}
		for _, id := range frames {
			c.frames[id] = true
		}
	}
	for id := range c.frames {
		n, err := u.stored(ctx, id)
		if err != nil {
			return nil, err
		}
		c.bytes += n
	}
	for _, w := range c.coded {
		c.bytes += w.delta.N
	}
	return c, nil
}

// undecided returns the contents that can be had by a delta and by chunks. Of the
// others it adds to the choice what there is.
func (u *Update) undecided(files []*fileUpdate, c *choice) (open []*wanted) {
	seen := map[contentID]bool{}
	for _, f := range files {
		f.contentsOf(func(r store.ContentRef) {
			id := contentID{id: r.ID, size: r.Size}
			w := u.wanted[id]
			if w == nil || seen[id] {
				return
			}
			seen[id] = true
			switch {
			case w.delta == nil:
				u.missing(w, func(x store.ChunkRef) { c.frames[x.Place.ID()] = true })
			case !w.listed:
				c.coded = append(c.coded, w)
			default:
				open = append(open, w)
			}
		})
	}
	return open
}

// framesOf are those that a content takes beside what is chosen, each once.
func (u *Update) framesOf(w *wanted, c *choice) (list []store.FrameID) {
	seen := map[store.FrameID]bool{}
	u.missing(w, func(x store.ChunkRef) {
		if id := x.Place.ID(); !c.frames[id] && !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	})
	return list
}

// stored is how many bytes a frame has.
func (u *Update) stored(ctx context.Context, id store.FrameID) (int64, error) {
	p, err := u.table(ctx, id.Pack)
	if err != nil {
		return 0, err
	}
	_, n, err := p.Span(id.Frame)
	return n, err
}

// missing calls use for the chunks of a content that the folder has not.
func (u *Update) missing(w *wanted, use func(store.ChunkRef)) {
	for _, c := range w.chunks {
		if _, ok := u.local.chunk(c); !ok {
			use(c)
		}
	}
}

// plan decides what is fetched, and adds it up.
func (u *Update) plan(ctx context.Context) error {
	files := slices.DeleteFunc(slices.Clone(u.todo), func(f *fileUpdate) bool { return f.byDelta })
	c, err := u.choose(ctx, files)
	if err != nil {
		return err
	}
	u.frames = map[store.FrameID]located{}
	spans, err := u.frameSpans(ctx, c.frames, func(id store.FrameID, l located) { u.frames[id] = l })
	if err != nil {
		return err
	}
	for _, w := range c.coded {
		w.coded = true
		spans = append(spans, span{w.from.Name(), w.from.Sum, w.delta.Off, w.delta.N, func(l located) { w.stream = l }})
	}
	u.ranges = join(spans, nearby)
	for _, r := range u.ranges {
		u.Bill.Fetch = store.SumSizes(u.Bill.Fetch, r.n)
	}
	u.Bill.Requests += len(u.ranges)
	u.Bill.Coded = len(c.coded)
	for _, f := range files {
		u.addUp(f)
	}
	return nil
}

// addUp counts where the bytes of a file's contents come from.
func (u *Update) addUp(f *fileUpdate) {
	f.contentsOf(func(c store.ContentRef) {
		w := u.wanted[contentID{id: c.ID, size: c.Size}]
		missing := int64(0)
		if w != nil && !w.coded {
			u.missing(w, func(x store.ChunkRef) { missing += int64(x.Size) })
		}
		u.Bill.Local = store.SumSizes(u.Bill.Local, c.Size-missing)
		u.Bill.Missing = store.SumSizes(u.Bill.Missing, missing)
	})
}

// name is where a range lies in the folder of work.
func (r *fetchRange) name() string {
	return path.Join(store.WorkDir, fmt.Sprintf(atomicfile.Prefix+"%x-%d-%d", r.sum, r.off, r.n))
}
