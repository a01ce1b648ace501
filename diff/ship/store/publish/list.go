package publish

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
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

// BuildStats is what a build of a store costs.
type BuildStats struct {
	Label    string
	Time     time.Time // of publication
	Files    int
	Size     int64 // bytes of the build's files
	Stored   int64 // bytes of the packs, patches and lists that it needs
	Own      int64 // of these, those that no other build needs
	Freed    int64 // bytes that pruning all builds up to this one frees
	Download int64 // bytes that a folder of this build fetches to become the last one, at most
}

// Stats returns what each build of a store costs, in the order in which they were
// published. What no build needs counts as freed by pruning none: it is returned as idle.
// Downloads are counted as [List] does.
func Stats(ctx context.Context, dir string) (list []BuildStats, idle int64, err error) {
	s, err := openSource(ctx, dir)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	_, builds, err := store.ReadBuilds(s.from)
	if err != nil {
		return nil, 0, err
	}
	sizes, err := s.sizes(ctx)
	if err != nil {
		return nil, 0, err
	}
	c := newChecker(s.from)
	if c.Packs, err = listedPacks(s.from, builds); err != nil {
		return nil, 0, err
	}
	users, last := map[string]int{}, map[string]int{} // of a file: how many builds, and the last one
	needs := make([]map[string]bool, len(builds))
	for i, b := range builds {
		if needs[i], err = neededBy(s.from, c.Packs, builds[i:i+1]); err != nil {
			return nil, 0, err
		}
		needs[i][store.BuildName(b.Label)] = true
		for name := range needs[i] {
			users[name]++
			last[name] = i
		}
	}
	freed := make([]int64, len(builds))
	for name, size := range sizes {
		if users[name] == 0 {
			idle += size
		} else {
			freed[last[name]] += size
		}
	}
	sum := int64(0)
	for i, b := range builds {
		l := BuildStats{Label: b.Label, Time: b.Time, Files: len(b.Files)}
		for _, f := range b.Files {
			l.Size += f.Size
		}
		for name := range needs[i] {
			l.Stored += sizes[name]
			if users[name] == 1 {
				l.Own += sizes[name]
			}
		}
		if sum += freed[i]; i < len(builds)-1 {
			l.Freed = sum
		}
		if l.Download, err = c.download(ctx, b, lastFor(builds, b.Label)); err != nil {
			return nil, 0, err
		}
		list = append(list, l)
	}
	return list, idle, nil
}

// lastFor returns the last of the builds that clients with one of them get.
func lastFor(builds []*store.Build, label string) *store.Build {
	platform := store.Platform(label)
	for _, b := range slices.Backward(builds) {
		if platform == "" || store.Suits(b.Label, platform) {
			return b
		}
	}
	return builds[len(builds)-1]
}

// sizes returns the sizes of the files of a store that builds may need, by name.
func (s *source) sizes(ctx context.Context) (map[string]int64, error) {
	found := map[string]int64{}
	for _, folder := range []string{"builds", "m", "p", "d", "n"} {
		if s.remote != nil {
			err := s.remote.List(s.remote.ctx, folder, func(in store.Info) error {
				found[in.Name] = in.Size
				return ctx.Err()
			})
			if err != nil {
				return nil, err
			}
			continue
		}
		entries, err := os.ReadDir(store.Folder(s.at).At(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			st, err := e.Info()
			if err != nil {
				return nil, err
			}
			found[folder+"/"+e.Name()] = st.Size()
		}
	}
	// What lists the builds is needed by none of them.
	for name := range found {
		if name == store.IndexName || len(name) > len(store.Signed) && name[len(name)-len(store.Signed):] == store.Signed {
			delete(found, name)
		}
	}
	return found, nil
}
