package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"pakdb/diff/ship/store"
)

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
	// What tells which builds there are is needed by none of them.
	for name := range found {
		if name == store.IndexName || len(name) > len(store.Signed) && name[len(name)-len(store.Signed):] == store.Signed {
			delete(found, name)
		}
	}
	return found, nil
}
