package publish

import (
	"context"
	"errors"
	"maps"
	"time"

	"pakdb/diff/ship/store"
)

// Listed is a build of a store.
type Listed struct {
	Label   string
	Time    time.Time // of publication
	Files   int
	Size    int64    // bytes of the files
	Signed  bool     // its manifest has a signature, which was not checked
	Damaged []string // archives that were damaged as a whole when it was published
	Parts   []string // optional ones
	Given   []string // channels that give it out, with their share: "stable 10 %"

	From     string // label of the build before it; "" for the first
	Download int64  // bytes that a folder of that build fetches to become this one, at most
}

// List returns the builds of a store in the order in which they were published.
//
// Download counts the patches between files, and for files without one the frames with
// contents that the build before has not; of the first build the frames of all. Deltas
// of contents can make it less; manifests and lists come on top.
//
// It fails with [store.ErrNoStore] for a folder that is no store, and with
// [store.ErrCorrupt] if a manifest or what it names is damaged.
func List(ctx context.Context, dir string) (list []Listed, err error) {
	s, err := openSource(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	from := s.from
	index, builds, err := store.ReadBuilds(from)
	if err != nil {
		return nil, err
	}
	c := newChecker(from)
	list = make([]Listed, 0, len(builds))
	for i, b := range builds {
		before := &store.Build{}
		if same := samePlatform(builds[:i], b.Label); len(same) > 0 {
			before = same[len(same)-1]
		}
		l := Listed{Label: b.Label, Time: b.Time, Files: len(b.Files), Damaged: b.Damaged, Parts: b.Parts.Names(), From: before.Label, Given: index.Channels.Given(b.Label)}
		for _, f := range b.Files {
			l.Size += f.Size
		}
		_, _, err := from.File(store.BuildName(b.Label) + store.Signed)
		l.Signed = err == nil
		// Of two builds that were published at once neither has the packs of the other.
		packs, err := store.ReadTables(from, b.Tables)
		if err != nil {
			return nil, err
		}
		maps.Copy(c.Packs, packs)
		if l.Download, err = c.download(ctx, before, b); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// download returns how many bytes a folder of one build fetches to become the other.
func (c *checker) download(ctx context.Context, from, to *store.Build) (n int64, err error) {
	have, made := map[string]bool{}, map[string]bool{}
	for _, f := range from.Files {
		have[f.Sum] = true
	}
	for _, d := range to.Deltas {
		fits := true
		for _, f := range d.Old {
			fits = fits && have[f.Sum]
		}
		for _, path := range d.New {
			fits = fits && !made[path]
		}
		if !fits {
			continue
		}
		for _, path := range d.New {
			made[path] = true
		}
		n += d.Size
	}
	known, frames := map[store.Place]bool{}, map[store.FrameID]bool{}
	for _, f := range from.Files {
		if err := c.places(&f, func(p store.Place) error { known[p] = true; return ctx.Err() }); err != nil {
			return 0, err
		}
	}
	for _, f := range to.Files {
		if have[f.Sum] || made[f.Path] {
			continue
		}
		err := c.places(&f, func(p store.Place) error {
			if known[p] || frames[p.ID()] {
				return ctx.Err()
			}
			frames[p.ID()] = true
			info := c.Packs[p.Pack]
			_, size, err := info.Span(p.Frame)
			n += size
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}
