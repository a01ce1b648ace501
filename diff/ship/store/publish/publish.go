package publish

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// Publish adds the files to the store at dir as a build. They are read as
// archives where the registry knows their formats. The build is there for
// clients when its manifest is, which is written last. dir is a folder, which has one
// publisher at a time, or a bucket ([place.ParseBucket]), which any number may publish
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
	defer func() { _ = p.wait() }() // nothing is written behind the lock
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
	m := &patchMaker{out: p.out, opt: p.opt, inputs: inputs, frames: p.frameSizes()}
	if b.Deltas, err = m.from(ctx, earlier, b); err != nil {
		return err
	}
	whole, err := m.fromNothing(ctx, b)
	b.Deltas = append(b.Deltas, whole...)
	p.stats.Deltas, p.stats.Whole = m.made, m.whole
	p.out.written += m.written.Load()
	return err
}
