package update

import (
	"context"
	"maps"
	"slices"

	"pakdb/diff/ship/store"
)

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
		parts = append(parts, storedPart{w.from.Name(), w.from.Sum, Part{Content: id, Off: w.delta.Off, Size: w.delta.N}})
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
