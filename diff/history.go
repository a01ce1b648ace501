package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"pakdb/diff/internal/side"
	"pakdb/internal/asset"
	"pakdb/schema"
)

// Event is a build in which an entry changed. Of an asset the change is that of all files
// that changed, as [Result.Changes] has it.
type Event struct {
	Build string
	Change
}

// History returns the builds in which an entry changed, the oldest first: where it
// appeared, changed, got another name and went. The entry is the one that path
// means in the newest build that has it; renames are followed both ways. The
// error is ErrNoFile if no build has it.
func History(ctx context.Context, db *sql.DB, path string) ([]Event, error) {
	return follow(ctx, db, func(h *history) ([]Event, error) { return h.all(ctx, path) })
}

// HistoryAt is [History] of the entry that a path names in a build.
func HistoryAt(ctx context.Context, db *sql.DB, build, path string) ([]Event, error) {
	return follow(ctx, db, func(h *history) ([]Event, error) {
		at := slices.Index(h.labels, build)
		if at < 0 {
			return nil, fmt.Errorf("%w: %q", schema.ErrNoBuild, build)
		}
		v, err := h.find(ctx, at, path)
		if err == nil && v == nil {
			err = fmt.Errorf("%w: %q in %q", ErrNoFile, path, build)
		}
		if err != nil {
			return nil, err
		}
		return h.of(ctx, at, v)
	})
}

func follow(ctx context.Context, db *sql.DB, find func(*history) ([]Event, error)) ([]Event, error) {
	h := &history{db: db, named: map[string][]string{}}
	err := schema.EachRow(ctx, db, "SELECT label FROM x_build WHERE complete = 1 ORDER BY build_id", nil,
		func(v []driver.Value) { h.labels = append(h.labels, side.Text(v[0])) })
	if err != nil {
		return nil, err
	}
	h.asked = schema.NewStatements(db)
	events, err := find(h)
	return events, errors.Join(err, h.asked.Close())
}

type history struct {
	db     *sql.DB
	asked  *schema.Statements
	labels []string
	events []event
	named  map[string][]string // the paths of an asset, by asset.Of
}

// event is a build in which files changed.
type event struct {
	build string
	files []Change
	old   *File // by which the asset is called; nil unless both builds have it
	new   *File
	whole *Change // in place of files: what a comparison of all files found
}

// event returns the change of the asset.
func (e *event) event() Event {
	if e.whole != nil {
		return Event{e.build, *e.whole}
	}
	return Event{e.build, together(e.files, e.old, e.new)}
}

// all returns the events of a path.
func (h *history) all(ctx context.Context, path string) ([]Event, error) {
	for i := len(h.labels) - 1; i >= 0; i-- {
		v, err := h.find(ctx, i, path)
		if err != nil {
			return nil, err
		}
		if v != nil {
			return h.of(ctx, i, v)
		}
	}
	return nil, fmt.Errorf("%w: %q in any build", ErrNoFile, path)
}

// of follows version v of build at to both ends.
func (h *history) of(ctx context.Context, at int, v version) ([]Event, error) {
	if err := h.back(ctx, at, v); err != nil {
		return nil, err
	}
	slices.Reverse(h.events)
	if err := h.forth(ctx, at, v); err != nil {
		return nil, err
	}
	if err := h.markCosmetic(ctx); err != nil {
		return nil, err
	}
	all := make([]Event, len(h.events))
	for i := range h.events {
		all[i] = h.events[i].event()
	}
	return all, nil
}

// markCosmetic separates cook noise from modifications, as [Compare] does.
func (h *history) markCosmetic(ctx context.Context) error {
	var contents []int64
	var modified []*Change
	for _, e := range h.events {
		for i := range e.files {
			if c := &e.files[i]; (c.Kind|c.Also)&Modified != 0 {
				modified, contents = append(modified, c), append(contents, c.Old.ContentID, c.New.ContentID)
			}
		}
	}
	known, err := (&side.Catalog{DB: h.db}).Essences(ctx, contents)
	if err != nil || len(known) == 0 {
		return err
	}
	for _, c := range modified {
		if known.Same(c.Old.ContentID, c.New.ContentID) {
			what := (c.Kind|c.Also)&^Modified | Cosmetic
			c.Kind = what.First()
			c.Also = what &^ c.Kind
		}
	}
	return nil
}

// add adds what happened to the files of an asset, if anything did.
func (h *history) add(build string, old, new version) {
	if files := changesOf(old, new); len(files) > 0 {
		e := event{build: build, files: files}
		if old != nil && new != nil {
			e.old, e.new = old.lead(), new.lead()
		}
		h.events = append(h.events, e)
	}
}

// find returns the files of the asset that a path is of, or the one file of another path.
func (h *history) find(ctx context.Context, at int, path string) (v version, err error) {
	of := asset.Of(path)
	paths, known := h.named[of]
	if of == "" || !known {
		if paths, err = AssetPaths(ctx, h.asked, path); err != nil {
			return nil, err
		}
		h.named[of] = paths
	}
	for _, p := range paths {
		f, err := findBy(ctx, h.asked, h.labels[at], p)
		if errors.Is(err, ErrNoFile) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v = append(v, f)
	}
	v.sort()
	return v, nil
}

// back adds events from newest to oldest.
func (h *history) back(ctx context.Context, at int, v version) error {
	for ; at > 0; at-- {
		before, err := h.find(ctx, at-1, v.lead().Path)
		if err != nil {
			return err
		}
		other, err := h.otherRecord(ctx, at, before.lead(), v.lead())
		if err != nil {
			return err
		}
		if before != nil && !other {
			h.add(h.labels[at], before, v)
			v = before
			continue
		}
		c, err := h.turn(ctx, at, v, func(c *Change) *File { return c.New })
		if err != nil {
			return err
		}
		h.events = append(h.events, event{build: h.labels[at], whole: &c})
		if c.Old != nil {
			if v, err = h.known(ctx, at-1, c.Old); err != nil {
				return err
			}
			continue
		}
		if other {
			return nil
		}
		if at, v, err = h.earlier(ctx, at-1, v.lead().Path); err != nil || v == nil {
			return err
		}
		h.add(h.labels[at], v, nil)
	}
	h.add(h.labels[0], nil, v)
	return nil
}

// otherRecord reports whether one path is that of different records in build at
// and in the one before it. No file has none.
func (h *history) otherRecord(ctx context.Context, at int, old, new *File) (bool, error) {
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
func (h *history) recordOf(ctx context.Context, at int, path int64) (side.GUID, error) {
	id, err := side.BuildID(ctx, h.db, h.labels[at])
	if err != nil {
		return side.GUID{}, err
	}
	of, err := (&side.Catalog{DB: h.db}).Records(ctx, id, []int64{path})
	return of[path], err
}

// earlier finds the last build before at that has a path, and returns the place
// after it, where the path went.
func (h *history) earlier(ctx context.Context, at int, path string) (int, version, error) {
	for ; at >= 0; at-- {
		if v, err := h.find(ctx, at, path); err != nil || v != nil {
			return at + 1, v, err
		}
	}
	return 0, nil, nil
}

// forth adds events after the newest build that has v under its name.
func (h *history) forth(ctx context.Context, at int, v version) error {
	for at++; at < len(h.labels); at++ {
		after, err := h.find(ctx, at, v.lead().Path)
		if err != nil {
			return err
		}
		other, err := h.otherRecord(ctx, at, v.lead(), after.lead())
		if err != nil {
			return err
		}
		if after != nil && !other {
			h.add(h.labels[at], v, after)
			v = after
			continue
		}
		c, err := h.turn(ctx, at, v, func(c *Change) *File { return c.Old })
		if err != nil {
			return err
		}
		h.events = append(h.events, event{build: h.labels[at], whole: &c})
		if c.New == nil {
			return nil
		}
		if v, err = h.known(ctx, at, c.New); err != nil {
			return err
		}
	}
	return nil
}

// known returns the files of the asset that a file of a build is of. A file without a path
// is found by no other build.
func (h *history) known(ctx context.Context, at int, f *File) (version, error) {
	v, err := h.find(ctx, at, f.Path)
	if v == nil {
		v = version{f}
	}
	return v, err
}

// turn finds what happened to an asset that only one of two neighbouring builds has.
func (h *history) turn(ctx context.Context, at int, v version, side func(*Change) *File) (Change, error) {
	r, err := Compare(ctx, h.db, h.labels[at-1], h.labels[at], Options{})
	if err != nil {
		return Change{}, err
	}
	path := v.lead().Path
	of := asset.Of(path)
	for c, err := range r.Changes(ctx) {
		if err != nil {
			return c, err
		}
		if f := side(&c); f != nil && (f.Path == path || of != "" && asset.Of(f.Path) == of) {
			return c, nil
		}
	}
	return Change{}, fmt.Errorf("%w: %q", ErrNoFile, path)
}
