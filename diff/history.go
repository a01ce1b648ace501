package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"

	"pakdb/schema"
)

// Event is a build in which an entry changed.
type Event struct {
	Build string
	Change
}

// History returns the builds in which an entry changed, the oldest first: where it
// appeared, changed, got another name and went. The entry is the one that path
// stands for in the newest build that has it; renames are followed both ways. The
// error is ErrNoFile if no build has it.
func History(ctx context.Context, db *sql.DB, path string) ([]Event, error) {
	h := &history{db: db}
	err := schema.EachRow(ctx, db, "SELECT label FROM build WHERE complete = 1 ORDER BY build_id", nil,
		func(v []driver.Value) { h.labels = append(h.labels, str(v[0])) })
	if err != nil {
		return nil, err
	}
	err = ErrNoFile
	for i := len(h.labels) - 1; i >= 0 && errors.Is(err, ErrNoFile); i-- {
		var f *File
		if f, err = Find(ctx, db, h.labels[i], path); err == nil {
			return h.of(ctx, i, f)
		}
	}
	return nil, err
}

type history struct {
	db     *sql.DB
	labels []string
	events []Event
}

// of follows the file f of build at to both ends.
func (h *history) of(ctx context.Context, at int, f *File) ([]Event, error) {
	if err := h.back(ctx, at, f); err != nil {
		return nil, err
	}
	slices.Reverse(h.events)
	if err := h.forth(ctx, at, f); err != nil {
		return nil, err
	}
	return h.events, h.markCosmetic(ctx)
}

// markCosmetic tells cook noise from modifications, as Compare does.
func (h *history) markCosmetic(ctx context.Context) error {
	var contents []int64
	for _, e := range h.events {
		if e.Old != nil && e.New != nil {
			contents = append(contents, e.Old.content, e.New.content)
		}
	}
	known, err := loadEssences(ctx, h.db, contents)
	if err != nil || len(known) == 0 {
		return err
	}
	for i := range h.events {
		c := &h.events[i].Change
		if what := c.Kind | c.Also; what&Modified != 0 && c.Old != nil && c.New != nil && known.same(c.Old.content, c.New.content) {
			what = what&^Modified | Cosmetic
			c.Kind = what.first()
			c.Also = what &^ c.Kind
		}
	}
	return nil
}

func (h *history) add(build string, c Change) { h.events = append(h.events, Event{build, c}) }

// find returns nil where a build lacks the path.
func (h *history) find(ctx context.Context, at int, path string) (*File, error) {
	f, err := Find(ctx, h.db, h.labels[at], path)
	if errors.Is(err, ErrNoFile) {
		return nil, nil
	}
	return f, err
}

// back adds events from newest to oldest.
func (h *history) back(ctx context.Context, at int, f *File) error {
	for ; at > 0; at-- {
		before, err := h.find(ctx, at-1, f.Path)
		if err != nil {
			return err
		}
		other, err := h.otherRecord(ctx, at, before, f)
		if err != nil {
			return err
		}
		if before != nil && !other {
			if c := changeOf(before, f); c.Kind != 0 {
				h.add(h.labels[at], c)
			}
			f = before
			continue
		}
		c, err := h.turn(ctx, at, f.Path, func(c *Change) *File { return c.New })
		if err != nil {
			return err
		}
		h.add(h.labels[at], c)
		if c.Old != nil {
			f = c.Old
			continue
		}
		if other {
			return nil
		}
		if at, f, err = h.earlier(ctx, at-1, f.Path); err != nil || f == nil {
			return err
		}
		h.add(h.labels[at], Change{Kind: Removed, Old: f})
	}
	h.add(h.labels[0], Change{Kind: Added, New: f})
	return nil
}

// otherRecord reports whether one path is that of different records in build at
// and in the one before it. No file has none.
func (h *history) otherRecord(ctx context.Context, at int, old, new *File) (bool, error) {
	if old == nil || new == nil {
		return false, nil
	}
	before, err := recordOf(ctx, h.db, h.labels[at-1], old.path)
	if err != nil || before.guid == 0 {
		return false, err
	}
	after, err := recordOf(ctx, h.db, h.labels[at], new.path)
	return after.guid != 0 && before != after, err
}

// earlier finds the last build before at that has a path, and returns the place
// behind it, where the path went.
func (h *history) earlier(ctx context.Context, at int, path string) (int, *File, error) {
	for ; at >= 0; at-- {
		if f, err := h.find(ctx, at, path); err != nil || f != nil {
			return at + 1, f, err
		}
	}
	return 0, nil, nil
}

// forth adds events behind the newest build that has f under its name.
func (h *history) forth(ctx context.Context, at int, f *File) error {
	for at++; at < len(h.labels); at++ {
		after, err := h.find(ctx, at, f.Path)
		if err != nil {
			return err
		}
		other, err := h.otherRecord(ctx, at, f, after)
		if err != nil {
			return err
		}
		if after != nil && !other {
			if c := changeOf(f, after); c.Kind != 0 {
				h.add(h.labels[at], c)
			}
			f = after
			continue
		}
		c, err := h.turn(ctx, at, f.Path, func(c *Change) *File { return c.Old })
		if err != nil {
			return err
		}
		h.add(h.labels[at], c)
		if c.New == nil {
			return nil
		}
		f = c.New
	}
	return nil
}

// turn finds what happened to a path that only one of two neighbouring builds
// has.
func (h *history) turn(ctx context.Context, at int, path string, side func(*Change) *File) (Change, error) {
	r, err := Compare(ctx, h.db, h.labels[at-1], h.labels[at], Options{Files: true})
	if err != nil {
		return Change{}, err
	}
	for c, err := range r.Changes(ctx) {
		if err != nil {
			return c, err
		}
		if f := side(&c); f != nil && f.Path == path {
			return c, nil
		}
	}
	return Change{}, ErrNoFile
}

// changeOf judges two entries of one path.
func changeOf(old, new *File) Change {
	c := Change{Old: old, New: new}
	what := Kind(0)
	switch {
	case old.Content != new.Content || old.Content == "" && old.Size != new.Size:
		what |= Modified
	case old.Method != new.Method || old.Stored != new.Stored || old.Flags&1 != new.Flags&1:
		what |= Restored
	}
	if old.Archive != new.Archive {
		what |= Moved
	}
	if old.Copies != new.Copies {
		what |= Copies
	}
	c.Kind = what.first()
	c.Also = what &^ c.Kind
	return c
}
