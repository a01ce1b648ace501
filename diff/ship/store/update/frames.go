package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pakdb/diff/ship/store"
)

// Lists of files and of chunks, and the parts of recipes, lie in small frames that
// many updates read. They are read in waves, so that what waits to be parsed is
// bounded: a tree that never ends is noticed at its first leaf.

// frameReader knows where the frames of a store are, and reads those of lists.
type frameReader struct {
	remote *Remote
	tables store.Tables
	refs   []store.TableRef // what tables there are
	parsed map[string]bool  // of these
	recent listCache
	mem    store.Budget
	whole  sync.Mutex // locked while a whole pack is in memory
}

func newFrameReader(r *Remote) *frameReader {
	f := &frameReader{remote: r, tables: store.Tables{}, parsed: map[string]bool{}}
	f.mem.Received = r.fetched.Load
	return f
}

const (
	nearby   = 64 << 10 // bytes that nobody needs are fetched rather than asking twice
	nearList = 12 << 10 // the same of lists and recipes
	maxRange = 4 << 20  // of one request, unless a single part is larger
)

// storedPart is a part of a file of the store, with its offset in that.
type storedPart struct {
	file string
	sum  store.Key
	Part
	rank int // of the files that need it first
}

// join makes ranges of what is needed, of parts that are not far from each other.
func join(parts []storedPart, nearby int64) (ranges []Range) {
	slices.SortStableFunc(parts, func(a, b storedPart) int {
		return cmp.Or(a.rank-b.rank, cmp.Compare(a.file, b.file), cmp.Compare(a.Off, b.Off))
	})
	for _, p := range parts {
		var r *Range
		if len(ranges) > 0 {
			r = &ranges[len(ranges)-1]
		}
		if r == nil || r.Rank != p.rank || r.File != p.file || p.Off-(r.Off+r.Size) > nearby || p.Off+p.Size-r.Off > maxRange {
			ranges = append(ranges, Range{File: p.file, Sum: hexSum(p.sum), Off: p.Off, Rank: p.rank})
			r = &ranges[len(ranges)-1]
		}
		r.Size = max(r.Size, p.Off+p.Size-r.Off)
		p.Off -= r.Off
		r.Parts = append(r.Parts, p.Part)
	}
	return ranges
}

// locate returns where frames are.
func (f *frameReader) locate(ctx context.Context, need map[store.FrameID]bool) ([]storedPart, error) {
	parts := make([]storedPart, 0, len(need))
	for id := range need {
		p, err := f.table(ctx, id.Pack)
		if err != nil {
			return nil, err
		}
		off, n, err := p.Span(id.Frame)
		if err != nil {
			return nil, err
		}
		parts = append(parts, storedPart{store.PackName(id.Pack), p.Sum, Part{Pack: id.Pack, Frame: id.Frame, Off: off, Size: n}, 0})
	}
	return parts, nil
}

// table returns where the frames of a pack are.
func (f *frameReader) table(ctx context.Context, pack int) (store.PackInfo, error) {
	for _, t := range f.refs {
		if _, there := f.tables[pack]; there {
			break
		}
		if pack < t.First || pack > t.Last || f.parsed[t.Object] {
			continue
		}
		b, err := f.remote.object(ctx, t.Object, store.MaxTable)
		if err == nil {
			err = f.tables.Parse(b, &f.mem)
		}
		if err != nil {
			return store.PackInfo{}, err
		}
		f.parsed[t.Object] = true
	}
	p, ok := f.tables[pack]
	if !ok {
		return p, fmt.Errorf("%w: pack %d is not in the build's tables", store.ErrCorrupt, pack)
	}
	return p, nil
}

// size returns how many bytes a frame has in its pack.
func (f *frameReader) size(ctx context.Context, id store.FrameID) (int64, error) {
	p, err := f.table(ctx, id.Pack)
	if err != nil {
		return 0, err
	}
	_, n, err := p.Span(id.Frame)
	return n, err
}

// sizeOfAll adds up the bytes of frames.
func (f *frameReader) sizeOfAll(ctx context.Context, ids []store.FrameID) (sum int64, err error) {
	for _, id := range ids {
		n, err := f.size(ctx, id)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// mostPackFile bounds a pack that is fetched as a whole. Some 3 MiB are usual.
const mostPackFile = 8 << 20

// get fetches a range. Where a server answers wrongly to requests for a range of a
// pack, the whole pack is asked for, which caches keep apart.
func (f *frameReader) get(ctx context.Context, r *Range, isContent bool, check func([]byte) error) ([]byte, error) {
	b, err := f.remote.get(ctx, &want{name: r.File, off: r.Off, n: r.Size, isContent: isContent, check: check})
	var wrong *wrongError
	if !errors.As(err, &wrong) || !strings.HasPrefix(r.File, "p/") || f.remote.inVain() {
		return b, err
	}
	f.whole.Lock() // one at a time
	defer f.whole.Unlock()
	b, again := f.remote.get(ctx, &want{name: r.File, n: -1, most: mostPackFile, fresh: true, isContent: isContent, check: func(b []byte) error {
		if hexSum(store.KeyOf(b)) != r.Sum || int64(len(b)) < r.Off+r.Size {
			return fmt.Errorf("%w: %s is not what the build's tables say", store.ErrCorrupt, r.File)
		}
		return nil
	}})
	if again != nil {
		return nil, err
	}
	b = b[r.Off : r.Off+r.Size]
	if check != nil {
		err = check(b)
	} else {
		err = nil
	}
	return b, err
}

// inflates fails unless all frames of a range can be decoded. They have checksums.
func (r *Range) inflates(b []byte) error {
	for _, p := range r.Parts {
		if p.Pack == 0 {
			continue // a delta has no checksum of its own
		}
		if _, err := store.InflateFrame(b[p.Off : p.Off+p.Size]); err != nil {
			return err
		}
	}
	return nil
}

// heldLists bounds the stored frames that are kept, since what is read next lies
// often in a frame, or beside one, that was read.
const heldLists = 8 << 20

// listCache has the stored frames of lists that came last.
type listCache struct {
	frames map[store.FrameID][]byte
	order  []store.FrameID
	size   int
	open   store.FrameCache // decoded
}

func (c *listCache) keep(id store.FrameID, stored []byte) {
	if c.frames == nil {
		c.frames = map[store.FrameID][]byte{}
	}
	if _, there := c.frames[id]; there {
		return
	}
	c.frames[id] = slices.Clone(stored) // not the whole range
	c.order = append(c.order, id)
	for c.size += len(stored); c.size > heldLists; c.order = c.order[1:] {
		c.size -= len(c.frames[c.order[0]])
		delete(c.frames, c.order[0])
	}
}

// at returns the bytes at a place of a stored frame.
func (c *listCache) at(stored []byte, p store.Place) ([]byte, error) {
	b, ok := c.open.Frames[p.ID()]
	if !ok {
		var err error
		if b, err = store.InflateFrame(stored); err != nil {
			return nil, fmt.Errorf("%s: %w", store.PackName(p.Pack), err)
		}
		c.open.Keep(p.ID(), b)
	}
	return store.BytesAt(b, p)
}

// eachList reads what is at places of lists and recipes, and calls use for each,
// in any order, with its number. The frames of ahead are read with them.
func (f *frameReader) eachList(ctx context.Context, places []store.Place, ahead []store.FrameID, use func(i int, b []byte) error) error {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareFrames(places[a].ID(), places[b].ID()) })
	missing := map[store.FrameID]bool{}
	for _, id := range ahead {
		missing[id] = true
	}
	rest := order[:0]
	for _, i := range order {
		stored, there := f.recent.frames[places[i].ID()]
		if !there {
			missing[places[i].ID()] = true
			rest = append(rest, i)
			continue
		}
		b, err := f.recent.at(stored, places[i])
		if err == nil {
			err = use(i, b)
		}
		if err != nil {
			return err
		}
	}
	for id := range missing {
		if _, there := f.recent.frames[id]; there {
			delete(missing, id)
		}
	}
	return f.fetchLists(ctx, missing, func(id store.FrameID, stored []byte) error {
		f.recent.keep(id, stored)
		for len(rest) > 0 && compareFrames(places[rest[0]].ID(), id) <= 0 {
			b, err := f.recent.at(stored, places[rest[0]])
			if err == nil {
				err = use(rest[0], b)
			}
			if err != nil {
				return err
			}
			rest = rest[1:]
		}
		return nil
	})
}

func compareFrames(a, b store.FrameID) int {
	return cmp.Or(cmp.Compare(a.Pack, b.Pack), cmp.Compare(a.Frame, b.Frame))
}

// fetchLists fetches frames into memory, one request after the other, and calls
// use for each in their order.
func (f *frameReader) fetchLists(ctx context.Context, need map[store.FrameID]bool, use func(id store.FrameID, stored []byte) error) error {
	parts, err := f.locate(ctx, need)
	if err != nil {
		return err
	}
	ranges := join(parts, nearList)
	for i := range ranges {
		slices.SortFunc(ranges[i].Parts, func(a, b Part) int { return compareFrames(a.frame(), b.frame()) })
	}
	slices.SortFunc(ranges, func(a, b Range) int { return compareFrames(a.Parts[0].frame(), b.Parts[0].frame()) })
	for i := range ranges {
		b, err := f.get(ctx, &ranges[i], false, ranges[i].inflates)
		if err != nil {
			return err
		}
		for _, p := range ranges[i].Parts {
			if err := use(p.frame(), b[p.Off:p.Off+p.Size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readAhead is how much of what lies before the root of a recipe is read with it:
// most often it is its tree, and of a small change all of it.
const readAhead = 16 << 10

// before returns the frames before a root.
func (f *frameReader) before(ctx context.Context, root store.FrameID) (list []store.FrameID, err error) {
	p, err := f.table(ctx, root.Pack)
	if err != nil {
		return nil, err
	}
	left := int64(readAhead)
	for i := min(root.Frame, len(p.Ends)) - 1; i >= 0 && p.Size(i) <= left; i-- {
		left -= p.Size(i)
		list = append(list, store.FrameID{Pack: root.Pack, Frame: i})
	}
	return list, nil
}

// files reads the list of a build's files into it: of a long list only the parts
// that are not as the folder has them, which own lists when it is asked.
func (f *frameReader) files(ctx context.Context, b *store.Build, own func() ([]store.File, error)) error {
	f.refs = append(f.refs, b.Tables...)
	root, err := f.remote.object(ctx, b.Lists, store.MaxRoot)
	if err != nil {
		return err
	}
	l, err := store.NewFileList(root, &f.mem)
	if err != nil {
		return err
	}
	if len(l.Missing()) > 0 {
		have, err := own()
		if err != nil {
			return err
		}
		if len(have) > 0 {
			l.Knows(have)
			if err := l.Settle(); err != nil {
				return err
			}
		}
	}
	for missing := l.Missing(); len(missing) > 0; missing = l.Missing() {
		parts := make([][]byte, len(missing))
		err := f.eachList(ctx, missing, nil, func(i int, b []byte) error {
			parts[i] = slices.Clone(b)
			return nil
		})
		if err != nil {
			return err
		}
		if err := l.Fill(parts); err != nil {
			return err
		}
	}
	return b.SetFiles(l.Files)
}
