package update

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pakdb/diff/store"
)

// Lists of files and of chunks, and the parts of recipes, lie in small frames that
// many updates read. They are read in waves, so that what waits to be parsed is
// bounded: whoever serves a tree that never ends is noticed at its first leaf.

const (
	// heldLists bounds the stored frames that are kept, since what is read next lies
	// often in a frame, or beside one, that was read.
	heldLists = 8 << 20
)

// listCache holds stored frames of lists, those that came last.
type listCache struct {
	frames map[store.FrameID][]byte
	order  []store.FrameID
	held   int
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
	for c.held += len(stored); c.held > heldLists; c.order = c.order[1:] {
		c.held -= len(c.frames[c.order[0]])
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
func (u *Update) eachList(ctx context.Context, places []store.Place, ahead []store.FrameID, use func(i int, b []byte) error) error {
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
		stored, there := u.known.frames[places[i].ID()]
		if !there {
			missing[places[i].ID()] = true
			rest = append(rest, i)
			continue
		}
		b, err := u.known.at(stored, places[i])
		if err == nil {
			err = use(i, b)
		}
		if err != nil {
			return err
		}
	}
	for id := range missing {
		if _, there := u.known.frames[id]; there {
			delete(missing, id)
		}
	}
	return u.fetchLists(ctx, missing, func(id store.FrameID, stored []byte) error {
		u.known.keep(id, stored)
		for len(rest) > 0 && compareFrames(places[rest[0]].ID(), id) <= 0 {
			b, err := u.known.at(stored, places[rest[0]])
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
func (u *Update) fetchLists(ctx context.Context, need map[store.FrameID]bool, use func(id store.FrameID, stored []byte) error) error {
	where := map[*fetchRange][]listed{}
	spans, err := u.frameSpans(ctx, need, func(id store.FrameID, l located) { where[l.in] = append(where[l.in], listed{id, l}) })
	if err != nil {
		return err
	}
	ranges := join(spans, nearList)
	slices.SortFunc(ranges, func(a, b *fetchRange) int { return compareFrames(where[a][0].id, where[b][0].id) })
	for _, r := range ranges {
		list := where[r]
		slices.SortFunc(list, func(a, b listed) int { return compareFrames(a.id, b.id) })
		b, err := u.getRange(ctx, r, func(b []byte) error {
			for _, x := range list {
				if _, err := store.InflateFrame(b[x.off : x.off+x.n]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, x := range list {
			if err := use(x.id, b[x.off:x.off+x.n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// listed is where a frame is.
type listed struct {
	id store.FrameID
	located
}

// readAhead is how much of what lies before the root of a recipe is read with it:
// most often it is its tree, and of a small change all of it.
const readAhead = 16 << 10

// before returns the frames before a root.
func (u *Update) before(ctx context.Context, root store.FrameID) (list []store.FrameID, err error) {
	p, err := u.table(ctx, root.Pack)
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
