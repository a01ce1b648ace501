// Package history follows one entry through all builds of a catalog, under whichever
// names it has in them.
package history

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"

	"pakdb/diff"
	"pakdb/diff/internal/facts"
	"pakdb/schema"
)

// Event is a build in which an entry changed.
type Event struct {
	Build string
	diff.Change
}

// Of returns the builds in which an entry changed, the oldest first: where it
// appeared, changed, got another name and went. The entry is the one that path
// stands for in the newest build that has it; renames are followed both ways. The
// error is diff.ErrNoFile if no build has it.
func Of(ctx context.Context, db *sql.DB, path string) ([]Event, error) {
	h := &history{db: db}
	err := schema.EachRow(ctx, db, "SELECT label FROM build WHERE complete = 1 ORDER BY build_id", nil,
		func(v []driver.Value) { h.labels = append(h.labels, facts.Text(v[0])) })
	if err != nil {
		return nil, err
	}
	err = diff.ErrNoFile
	for i := len(h.labels) - 1; i >= 0 && errors.Is(err, diff.ErrNoFile); i-- {
		var f *diff.File
		if f, err = diff.Find(ctx, db, h.labels[i], path); err == nil {
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
func (h *history) of(ctx context.Context, at int, f *diff.File) ([]Event, error) {
	if err := h.back(ctx, at, f); err != nil {
		return nil, err
	}
	slices.Reverse(h.events)
	if err := h.forth(ctx, at, f); err != nil {
		return nil, err
	}
	return h.events, h.markCosmetic(ctx)
}

// markCosmetic tells cook noise from modifications, as [diff.Compare] does.
func (h *history) markCosmetic(ctx context.Context) error {
	var contents []int64
	for _, e := range h.events {
		if e.Old != nil && e.New != nil {
			contents = append(contents, e.Old.ContentID, e.New.ContentID)
		}
	}
	known, err := facts.LoadEssences(ctx, h.db, contents)
	if err != nil || len(known) == 0 {
		return err
	}
	for i := range h.events {
		c := &h.events[i].Change
		if what := c.Kind | c.Also; what&diff.Modified != 0 && c.Old != nil && c.New != nil && known.Same(c.Old.ContentID, c.New.ContentID) {
			what = what&^diff.Modified | diff.Cosmetic
			c.Kind = what.First()
			c.Also = what &^ c.Kind
		}
	}
	return nil
}

func (h *history) add(build string, c diff.Change) { h.events = append(h.events, Event{build, c}) }

// find returns nil where a build lacks the path.
func (h *history) find(ctx context.Context, at int, path string) (*diff.File, error) {
	f, err := diff.Find(ctx, h.db, h.labels[at], path)
	if errors.Is(err, diff.ErrNoFile) {
		return nil, nil
	}
	return f, err
}

// back adds events from newest to oldest.
func (h *history) back(ctx context.Context, at int, f *diff.File) error {
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
		c, err := h.turn(ctx, at, f.Path, func(c *diff.Change) *diff.File { return c.New })
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
		h.add(h.labels[at], diff.Change{Kind: diff.Removed, Old: f})
	}
	h.add(h.labels[0], diff.Change{Kind: diff.Added, New: f})
	return nil
}

// otherRecord reports whether one path is that of different records in build at
// and in the one before it. No file has none.
func (h *history) otherRecord(ctx context.Context, at int, old, new *diff.File) (bool, error) {
	if old == nil || new == nil {
		return false, nil
	}
	before, err := h.recordOf(ctx, at-1, old.PathID)
	if err != nil || before.Value == 0 {
		return false, err
	}
	after, err := h.recordOf(ctx, at, new.PathID)
	return after.Value != 0 && before != after, err
}

// recordOf returns the record that a build has of a path.
func (h *history) recordOf(ctx context.Context, at int, path int64) (facts.GUID, error) {
	id, err := facts.BuildID(ctx, h.db, h.labels[at])
	if err != nil {
		return facts.GUID{}, err
	}
	of, err := facts.Records(ctx, h.db, id, []int64{path})
	return of[path], err
}

// earlier finds the last build before at that has a path, and returns the place
// behind it, where the path went.
func (h *history) earlier(ctx context.Context, at int, path string) (int, *diff.File, error) {
	for ; at >= 0; at-- {
		if f, err := h.find(ctx, at, path); err != nil || f != nil {
			return at + 1, f, err
		}
	}
	return 0, nil, nil
}

// forth adds events behind the newest build that has f under its name.
func (h *history) forth(ctx context.Context, at int, f *diff.File) error {
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
		c, err := h.turn(ctx, at, f.Path, func(c *diff.Change) *diff.File { return c.Old })
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
func (h *history) turn(ctx context.Context, at int, path string, side func(*diff.Change) *diff.File) (diff.Change, error) {
	r, err := diff.Compare(ctx, h.db, h.labels[at-1], h.labels[at], diff.Options{Files: true})
	if err != nil {
		return diff.Change{}, err
	}
	for c, err := range r.Changes(ctx) {
		if err != nil {
			return c, err
		}
		if f := side(&c); f != nil && f.Path == path {
			return c, nil
		}
	}
	return diff.Change{}, diff.ErrNoFile
}

// changeOf judges two entries of one path.
func changeOf(old, new *diff.File) diff.Change {
	c := diff.Change{Old: old, New: new}
	what := diff.Kind(0)
	switch {
	case old.Content != new.Content || old.Content == "" && old.Size != new.Size:
		what |= diff.Modified
	case old.Method != new.Method || old.Stored != new.Stored || old.Flags&1 != new.Flags&1:
		what |= diff.Restored
	}
	if old.Archive != new.Archive {
		what |= diff.Moved
	}
	if old.Copies != new.Copies {
		what |= diff.Copies
	}
	c.Kind = what.First()
	c.Also = what &^ c.Kind
	return c
}
