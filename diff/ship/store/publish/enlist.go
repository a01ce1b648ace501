package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/store"
	"pakdb/internal/process"
)

// loadListed learns what the builds have. Of packs of other publishers, which may yet
// fail, nothing is used.
func (p *publisher) loadListed(builds []*store.Build) error {
	infos, err := listedPacks(p.out.from, builds)
	if err != nil {
		return err
	}
	list := make([]store.PackInfo, 0, len(infos))
	for _, n := range slices.Sorted(maps.Keys(infos)) {
		list = append(list, infos[n])
	}
	rows := make([][]store.Row, len(list))
	var g errgroup.Group
	g.SetLimit(Connections)
	for i := range list {
		g.Go(process.RescueFunc(func() (err error) {
			rows[i], err = store.ReadRows(p.out.from, &list[i])
			if errors.Is(err, fs.ErrNotExist) {
				list[i].Number = 0 // it was pruned: tables are not written again for that
				return nil
			}
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	p.packs.infos = store.Tables{}
	for i := range list {
		if list[i].Number > 0 {
			p.learn(list[i], rows[i])
		}
	}
	return nil
}

// enlist adds the build to the list of builds, whatever others have added to it since it
// was read.
func (p *publisher) enlist(b *store.Build, index *store.Index) error {
	w := p.out
	for try := 0; ; try++ {
		_, version, err := w.from.File(store.IndexName)
		if errors.Is(err, fs.ErrNotExist) {
			version = store.Absent
		} else if err != nil {
			return err
		}
		now, builds, err := store.ReadBuilds(w.from)
		if err != nil {
			return err
		}
		if !slices.Equal(now.Builds, index.Builds) {
			// What earlier builds had is what a client may remove.
			index = now
			if b.Earlier, b.Past = versions(b.Files, builds), ""; len(b.Earlier) > 0 {
				if b.Past, err = w.json(b.Earlier); err != nil {
					return err
				}
			}
		}
		if err := p.allThere(b); err != nil {
			return err
		}
		if err := w.change(store.BuildName(b.Label), b, ""); err != nil {
			return err
		}
		next := *now
		next.Builds = append(slices.DeleteFunc(slices.Clone(now.Builds), func(have string) bool { return have == b.Label }), b.Label)
		next.State = store.NewState(p.opt.By, next.Builds...)
		if next.Channels, err = w.rollout.into(now.Channels, w.fresh, next.Builds); err != nil {
			return err
		}
		err = w.writeList(&next, version, false)
		if err == nil || !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}

// allThere fails if something that the build needs was pruned since the publisher began.
func (p *publisher) allThere(b *store.Build) error {
	need, err := neededBy(p.out.from, p.packs.infos, []*store.Build{b})
	if err != nil {
		return err
	}
	for _, folder := range []string{"m", "p", "d"} {
		err := p.out.bucket.List(p.out.bucket.ctx, folder, func(in store.Info) error { delete(need, in.Name); return nil })
		if err != nil {
			return err
		}
	}
	delete(need, store.ObjectName("")) // of what it has not
	for name := range need {
		if !strings.HasPrefix(name, "n/") {
			return fmt.Errorf("%s: %w: it was removed while this build was published, which took longer than the grace time of pakdb store prune; publish it again",
				p.out.bucket.At(name), fs.ErrNotExist)
		}
	}
	return nil
}
