package store

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"

	"pakdb/internal/atomicfile"
)

// fetchRange is a part of a pack, or of a file of deltas, that is fetched in one
// request.
type fetchRange struct {
	file   string
	sum    key // of the file
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
		return nil, fmt.Errorf("%w: a part of a pack that was not planned", ErrCorrupt)
	}
	b := make([]byte, l.n)
	return b, fill(l.in.data, b, l.off)
}

// span is a part of a file of the store that is needed.
type span struct {
	file   string
	sum    key
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
func (u *Update) frameSpans(ctx context.Context, need map[frameID]bool, at func(frameID, located)) ([]span, error) {
	spans := make([]span, 0, len(need))
	for id := range need {
		p, err := u.table(ctx, id.pack)
		if err != nil {
			return nil, err
		}
		off, n, err := p.span(id.frame)
		if err != nil {
			return nil, err
		}
		spans = append(spans, span{packName(id.pack), p.sum, off, n, func(l located) { at(id, l) }})
	}
	return spans, nil
}

// table returns where the frames of a pack are.
func (u *Update) table(ctx context.Context, pack int) (packInfo, error) {
	for _, t := range u.refs {
		if _, there := u.tables[pack]; there {
			break
		}
		if pack < t.First || pack > t.Last || u.tabled[t.Object] {
			continue
		}
		b, err := u.r.object(ctx, t.Object, maxTable)
		if err == nil {
			err = u.tables.parse(b, &u.mem)
		}
		if err != nil {
			return packInfo{}, err
		}
		u.tabled[t.Object] = true
	}
	p, ok := u.tables[pack]
	if !ok {
		return p, fmt.Errorf("%w: pack %d is not in the build's tables", ErrCorrupt, pack)
	}
	return p, nil
}

// choice is what is fetched for some files.
type choice struct {
	frames map[frameID]bool
	coded  []*wanted
	bytes  int64
}

// choose finds the cheapest for each content that some files want. Of those that
// can be had by a delta or by chunks, the chunks are taken when the deltas of all
// that want the same frame are larger than the frame.
func (u *Update) choose(ctx context.Context, files []*fileUpdate) (*choice, error) {
	c := &choice{frames: map[frameID]bool{}}
	open := u.undecided(files, c)
	saved := map[frameID]int64{} // bytes of deltas that a frame makes needless
	for _, w := range open {
		if f := u.framesOf(w, c); len(f) == 1 {
			saved[f[0]] += w.delta.n
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
		if w.delta.n < cost {
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
		c.bytes += w.delta.n
	}
	return c, nil
}

// undecided returns the contents that can be had by a delta and by chunks. Of the
// others it adds to the choice what there is.
func (u *Update) undecided(files []*fileUpdate, c *choice) (open []*wanted) {
	seen := map[contentID]bool{}
	for _, f := range files {
		f.contentsOf(func(r contentRef) {
			id := contentID{r.id, r.size}
			w := u.wanted[id]
			if w == nil || seen[id] {
				return
			}
			seen[id] = true
			switch {
			case w.delta == nil:
				u.missing(w, func(x chunkRef) { c.frames[x.place.id()] = true })
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
func (u *Update) framesOf(w *wanted, c *choice) (list []frameID) {
	seen := map[frameID]bool{}
	u.missing(w, func(x chunkRef) {
		if id := x.place.id(); !c.frames[id] && !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	})
	return list
}

// stored is how many bytes a frame has.
func (u *Update) stored(ctx context.Context, id frameID) (int64, error) {
	p, err := u.table(ctx, id.pack)
	if err != nil {
		return 0, err
	}
	_, n, err := p.span(id.frame)
	return n, err
}

// missing calls use for the chunks of a content that the folder has not.
func (u *Update) missing(w *wanted, use func(chunkRef)) {
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
	u.frames = map[frameID]located{}
	spans, err := u.frameSpans(ctx, c.frames, func(id frameID, l located) { u.frames[id] = l })
	if err != nil {
		return err
	}
	for _, w := range c.coded {
		w.coded = true
		spans = append(spans, span{w.from.name(), w.from.sum, w.delta.off, w.delta.n, func(l located) { w.stream = l }})
	}
	u.ranges = join(spans, nearby)
	for _, r := range u.ranges {
		u.Bill.Fetch = sumSizes(u.Bill.Fetch, r.n)
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
	f.contentsOf(func(c contentRef) {
		w := u.wanted[contentID{c.id, c.size}]
		missing := int64(0)
		if w != nil && !w.coded {
			u.missing(w, func(x chunkRef) { missing += int64(x.size) })
		}
		u.Bill.Local = sumSizes(u.Bill.Local, c.size-missing)
		u.Bill.Missing = sumSizes(u.Bill.Missing, missing)
	})
}

// name is where a range lies in the folder of work.
func (r *fetchRange) name() string {
	return path.Join(workDir, fmt.Sprintf(atomicfile.Prefix+"%x-%d-%d", r.sum, r.off, r.n))
}
