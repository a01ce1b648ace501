package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/glob"
	"pakdb/internal/process"
)

// Publish adds the files to the store at dir as a build. They are read as
// archives where the registry knows their formats. The build is there for
// clients when its manifest is, which is written last. dir is a folder, which has one
// publisher at a time, or a bucket ([store.ParseBucket]), which any number may publish
// to at once.
func Publish(ctx context.Context, dir, label string, inputs []delta.Input, opt *Options) (*Published, error) {
	if opt == nil {
		opt = &Options{}
	}
	if !store.ValidBuild(label) {
		return nil, fmt.Errorf("%q: %w: letters, digits, and . _ + - may be in it, and @ before a platform", label, store.ErrLabel)
	}
	if err := opt.Rollout.check(label); err != nil {
		return nil, err
	}
	parts, err := ReadParts(opt.Parts, inputs)
	if err != nil {
		return nil, err
	}
	w, done, err := openWriter(ctx, dir, opt.Key, atomicfile.Make)
	if err != nil {
		return nil, err
	}
	defer done()
	w.fresh, w.root, w.expiry, w.rollout = label, opt.Root, opt.Expiry, &opt.Rollout
	if err := w.maySign(false); err != nil {
		return nil, err
	}
	p, index, earlier, err := newPublisher(w, opt, label)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.wait() }() // nothing is written after the lock
	if len(opt.Parts) == 0 && !opt.NoParts {
		if err := ForgottenParts(label, samePlatform(earlier, label)); err != nil {
			return nil, err
		}
	}
	p.optional = parts
	b := &store.Build{State: store.NewState(opt.By, label), Label: label, Time: opt.Now.UTC(), Damaged: opt.Damaged}
	if opt.Now.IsZero() {
		b.Time = time.Now().UTC().Truncate(time.Second)
	}
	if b.Files, err = p.files(ctx, inputs); err != nil {
		return nil, err
	}
	setModes(b, inputs, samePlatform(earlier, label))
	if b.Parts, err = parts.Of(b.Files); err != nil {
		return nil, err
	}
	if err := p.lists(b, earlier); err != nil {
		return nil, err
	}
	if err := p.deltas(ctx, b, inputs, earlier); err != nil {
		return nil, err
	}
	if err := b.Fit(); err != nil {
		return nil, err
	}
	p.stats.Packs, p.stats.Written = p.packs.added, p.out.written
	if err := p.out.writeFile(MemoName, p.memo.Marshal()); err != nil {
		return nil, err
	}
	if w.bucket != nil {
		if err := p.enlist(b, index); err != nil {
			return nil, err
		}
		return &p.stats, w.publishSigned()
	}
	index.Builds = append(slices.DeleteFunc(index.Builds, func(have string) bool { return have == label }), label)
	index.State = store.NewState(opt.By, index.Builds...)
	if index.Channels, err = w.rollout.into(index.Channels, w.fresh, index.Builds); err != nil {
		return nil, err
	}
	if err := p.out.writeJSON(store.BuildName(label), b); err != nil {
		return nil, err
	}
	if err := w.writeList(index, "", false); err != nil {
		return nil, err
	}
	return &p.stats, w.publishSigned()
}

// deltas makes what brings folders from earlier builds to the build: deltas of
// contents, patches between files, and files as a whole.
func (p *publisher) deltas(ctx context.Context, b *store.Build, inputs []delta.Input, earlier []*store.Build) (err error) {
	earlier = slices.DeleteFunc(samePlatform(earlier, b.Label), func(e *store.Build) bool { return e.Label == b.Label })
	earlier = earlier[max(0, len(earlier)-p.opt.Deltas):]
	d := &deltaMaker{out: p.out, reader: p.reader(), follows: p.follows, before: p.before, have: map[[2]store.Key]store.ContentDelta{}}
	p.before = nil // and its index, when the maker is done
	if b.Contents, err = d.from(ctx, earlier, b); err != nil {
		return err
	}
	p.stats.ContentDeltas = d.made
	if p.opt.Effort == Fast {
		return nil
	}
	deflater.Forget()
	m := &patchMaker{out: p.out, opt: p.opt, inputs: map[string]delta.Input{}, frames: p.frameSizes()}
	for _, in := range inputs {
		m.inputs[in.Name] = in
	}
	if b.Deltas, err = m.from(ctx, earlier, b); err != nil {
		return err
	}
	whole, err := m.fromNothing(ctx, b)
	b.Deltas = append(b.Deltas, whole...)
	p.stats.Deltas, p.stats.Whole = m.made, m.whole
	p.out.written += m.written.Load()
	return err
}

// PartFiles is an optional part of a build: the files that match a pattern of package glob, in
// which upper and lower case differ.
type PartFiles struct{ Name, Pattern string }

// Parts are the parts of one build, with their patterns read.
type Parts struct {
	parts []PartFiles
	globs glob.List
}

// ErrForgottenParts is the error for a build without the optional parts that the one before has:
// clients that left some out would get all of it.
var ErrForgottenParts = errors.New("the build before has optional parts, and this one none")

// partsError reports which.
type partsError struct {
	label string
	names []string
}

func (e *partsError) Error() string {
	return fmt.Sprintf("build %q has the optional parts %q, and this one none: clients that left some out would get all of it", e.label, e.names)
}

func (e *partsError) Is(target error) bool { return target == ErrForgottenParts }

// Hint says what to do.
func (e *partsError) Hint() string {
	return "pass --part NAME=PATTERN for each, or --part none if the build is to have none"
}

// ReadParts reads the patterns of parts, each of which an input must match.
func ReadParts(parts []PartFiles, inputs []delta.Input) (*Parts, error) {
	var globs glob.List
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
		g, err := glob.Parse(p.Pattern, false)
		if err != nil {
			return nil, fmt.Errorf("part %q: %w", p.Name, err)
		}
		globs = append(globs, g)
	}
	if err := store.CheckPartNames(names); err != nil {
		return nil, err
	}
	return &Parts{parts, globs}, globs.Check("the build", func(yield func(string) bool) {
		for _, in := range inputs {
			if !yield(in.Name) {
				return
			}
		}
	})
}

// Order returns the numbers of the inputs, those of the same parts in a row. Clients fetch
// what lies near each other by one request, so that contents of languages whose files take
// turns in a folder must not in a pack.
func (s *Parts) Order(inputs []delta.Input) []int {
	order, groups := make([]int, len(inputs)), make([]string, len(inputs))
	for i, in := range inputs {
		in, group := in.Name, make([]byte, len(s.globs))
		for k, g := range s.globs {
			if g.Match(in) {
				group[k] = 1
			}
		}
		order[i], groups[i] = i, string(group)
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(groups[a], groups[b]) })
	return order
}

// Of returns the parts of a build with these files.
func (s *Parts) Of(files []store.File) (store.Parts, error) {
	list := make(store.Parts, len(s.parts))
	for i, p := range s.parts {
		list[i].Name = p.Name
		for k := range files {
			if s.globs[i].Match(files[k].Path) {
				list[i].Add(k)
			}
		}
		if runs := len(list[i].Files) / 2; runs > store.MostPartRuns {
			return nil, fmt.Errorf("%w: %w: the files of %q are in %d places of the list of files, at most %d can be: give them a folder of their own",
				errors.ErrUnsupported, store.ErrPart, p.Name, runs, store.MostPartRuns)
		}
	}
	return list, list.Check()
}

// ForgottenParts returns an [ErrForgottenParts] for a build without parts after one that has some.
func ForgottenParts(label string, earlier []*store.Build) error {
	for _, b := range slices.Backward(earlier) {
		if b.Label == label {
			continue
		}
		if len(b.Parts) == 0 {
			return nil
		}
		return &partsError{b.Label, b.Parts.Names()}
	}
	return nil
}

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

// Rollout says which clients get a build.
type Rollout struct {
	Channel  string // "": [store.Stable]
	Share    int    // of [store.AllChannels], of the followers of the channel; 0: all
	Min, Max string // versions of clients, both included; "": any
}

func (r *Rollout) release(label string) (name string, one store.Release) {
	return cmp.Or(r.Channel, store.Stable), store.Release{Build: label, Share: cmp.Or(r.Share, store.AllChannels), Min: r.Min, Max: r.Max}
}

// Promote gives a build of a store to more clients, to those of another channel, or to all
// again after a later one: nothing is uploaded but the list of builds. What a folder has
// seen is no matter: going back is a newer list, which is signed if the store is.
func Promote(ctx context.Context, dir, label string, to Rollout, key *delta.SecretKey, root []byte, expiry time.Duration) error {
	w, done, err := openSigned(ctx, dir, key, SignOptions{Root: root, Expiry: expiry})
	if err != nil {
		return err
	}
	defer done()
	if err := w.maySign(false); err != nil {
		return err
	}
	w.fresh, w.rollout = label, &to
	for try := 0; ; try++ {
		index, version, err := w.listed()
		if err != nil {
			return err
		}
		if !slices.Contains(index.Builds, label) {
			return fmt.Errorf("%s: %w: %q; it has %q", dir, store.ErrNoBuild, label, index.Builds)
		}
		if index.Channels, err = w.rollout.into(index.Channels, w.fresh, index.Builds); err != nil {
			return err
		}
		if err = w.writeList(index, version, false); err == nil {
			return w.publishSigned()
		}
		if !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}

// into returns the channels with a release of a build, of these builds; a nil Rollout
// changes nothing. A store in which everybody gets the last build has no channels.
func (r *Rollout) into(l store.Channels, label string, builds []string) (store.Channels, error) {
	if r == nil {
		return l, nil
	}
	name, one := r.release(label)
	before, platform := "", store.Platform(label)
	same := store.Suiting(builds, platform)
	for _, other := range same {
		if other != label {
			before = other
		}
	}
	last := len(same) > 0 && same[len(same)-1] == label
	if len(l.For(platform)) == 0 && name == store.Stable && last && one == (store.Release{Build: label, Share: store.AllChannels}) {
		return l, nil
	}
	return l.Add(name, one, before)
}

// samePlatform returns the builds that clients of the platform of a build may have.
func samePlatform(builds []*store.Build, label string) []*store.Build {
	return slices.DeleteFunc(slices.Clone(builds), func(b *store.Build) bool { return !store.Suits(b.Label, store.Platform(label)) })
}

// kept divides builds into the last of each platform, with those that a channel gives out, and
// the rest.
func kept(index *store.Index, keep int) (stay, gone []string) {
	given, after := index.Channels.Builds(), map[string]int{}
	for _, label := range index.Builds {
		after[store.Platform(label)]++
	}
	for _, label := range index.Builds {
		platform := store.Platform(label)
		if after[platform]--; after[platform] < max(keep, 1) || given[label] {
			stay = append(stay, label)
		} else {
			gone = append(gone, label)
		}
	}
	return stay, gone
}

// checkRollout fails early for what is no rollout.
func (r *Rollout) check(label string) error {
	name, one := r.release(label)
	_, err := store.Channels(nil).Add(name, one, "")
	return err
}
