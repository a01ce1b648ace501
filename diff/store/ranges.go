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
		b, err := u.r.object(ctx, t.Object)
		if err == nil {
			err = u.tables.parse(b)
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

// frameSet is decoded frames.
type frameSet map[frameID][]byte

// at returns the bytes at a place.
func (s frameSet) at(p place) ([]byte, error) { return bytesAt(s[p.id()], p) }

// fetchNow fetches frames of lists and recipes into memory, where they stay.
func (u *Update) fetchNow(ctx context.Context, need map[frameID]bool) (frameSet, error) {
	where, missing := map[frameID]located{}, map[frameID]bool{}
	for id := range need {
		if u.known[id] == nil {
			missing[id] = true
		}
	}
	spans, err := u.frameSpans(ctx, missing, func(id frameID, l located) { where[id] = l })
	if err != nil {
		return nil, err
	}
	got := map[*fetchRange][]byte{}
	for _, r := range join(spans, nearList) {
		if got[r], err = u.r.get(ctx, r.file, r.off, r.n); err != nil {
			return nil, err
		}
	}
	for id, l := range where {
		if u.known[id], err = inflateFrame(got[l.in][l.off : l.off+l.n]); err != nil {
			return nil, fmt.Errorf("%s: %w", l.in.file, err)
		}
	}
	return u.known, nil
}

// readAhead is how much of what lies before the root of a recipe is read with it:
// most often it is its tree, and of a small change all of it.
const readAhead = 16 << 10

// withTree adds the frames before a root.
func (u *Update) withTree(ctx context.Context, root frameID, need map[frameID]bool) error {
	p, err := u.table(ctx, root.pack)
	if err != nil {
		return err
	}
	need[root] = true
	left := int64(readAhead)
	for i := min(root.frame, len(p.frames)) - 1; i >= 0 && p.frames[i] <= left; i-- {
		left -= p.frames[i]
		need[frameID{root.pack, i}] = true
	}
	return nil
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
	u.missing(w, func(x chunkRef) {
		if id := x.place.id(); !c.frames[id] && !slices.Contains(list, id) {
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
		u.Bill.Fetch += r.n
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
		if w == nil || w.coded {
			u.Bill.Local += c.size
			return
		}
		u.Bill.Local += c.size
		u.missing(w, func(x chunkRef) {
			u.Bill.Local -= int64(x.size)
			u.Bill.Missing += int64(x.size)
		})
	})
}

// name is where a range lies in the folder of work.
func (r *fetchRange) name() string {
	return path.Join(workDir, fmt.Sprintf(atomicfile.Prefix+"%x-%d-%d", r.sum, r.off, r.n))
}
