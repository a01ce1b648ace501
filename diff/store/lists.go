package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Lists of files and of chunks, and the parts of recipes, lie in small frames that
// many updates read. They are read in waves, so that what waits to be parsed is
// bounded: whoever serves a tree that never ends is noticed at its first leaf.

const (
	// wave is how many parts are asked for at a time: at 4 KiB of frames for each,
	// and one request for 4 MiB, a wave keeps all connections busy.
	wave = 4096
	// heldLists bounds the stored frames that are kept, since what is read next lies
	// often in a frame, or beside one, that was read.
	heldLists = 8 << 20
)

// listCache holds stored frames of lists, those that came last.
type listCache struct {
	frames map[frameID][]byte
	order  []frameID
	held   int
	open   frameCache // decoded
}

func (c *listCache) keep(id frameID, stored []byte) {
	if c.frames == nil {
		c.frames = map[frameID][]byte{}
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
func (c *listCache) at(stored []byte, p place) ([]byte, error) {
	b, ok := c.open.frames[p.id()]
	if !ok {
		var err error
		if b, err = inflateFrame(stored); err != nil {
			return nil, fmt.Errorf("%s: %w", packName(p.pack), err)
		}
		c.open.keep(p.id(), b)
	}
	return bytesAt(b, p)
}

// eachList reads what is at places of lists and recipes, and calls use for each,
// in any order, with its number. The frames of ahead are read with them.
func (u *Update) eachList(ctx context.Context, places []place, ahead []frameID, use func(i int, b []byte) error) error {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareFrames(places[a].id(), places[b].id()) })
	missing := map[frameID]bool{}
	for _, id := range ahead {
		missing[id] = true
	}
	rest := order[:0]
	for _, i := range order {
		stored, there := u.known.frames[places[i].id()]
		if !there {
			missing[places[i].id()] = true
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
	return u.fetchLists(ctx, missing, func(id frameID, stored []byte) error {
		u.known.keep(id, stored)
		for len(rest) > 0 && compareFrames(places[rest[0]].id(), id) <= 0 {
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

func compareFrames(a, b frameID) int {
	return cmp.Or(cmp.Compare(a.pack, b.pack), cmp.Compare(a.frame, b.frame))
}

// fetchLists fetches frames into memory, one request after the other, and calls
// use for each in their order.
func (u *Update) fetchLists(ctx context.Context, need map[frameID]bool, use func(id frameID, stored []byte) error) error {
	where := map[*fetchRange][]listed{}
	spans, err := u.frameSpans(ctx, need, func(id frameID, l located) { where[l.in] = append(where[l.in], listed{id, l}) })
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
				if _, err := inflateFrame(b[x.off : x.off+x.n]); err != nil {
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
	id frameID
	located
}

// readAhead is how much of what lies before the root of a recipe is read with it:
// most often it is its tree, and of a small change all of it.
const readAhead = 16 << 10

// before returns the frames before a root.
func (u *Update) before(ctx context.Context, root frameID) (list []frameID, err error) {
	p, err := u.table(ctx, root.pack)
	if err != nil {
		return nil, err
	}
	left := int64(readAhead)
	for i := min(root.frame, len(p.ends)) - 1; i >= 0 && p.size(i) <= left; i-- {
		left -= p.size(i)
		list = append(list, frameID{root.pack, i})
	}
	return list, nil
}
