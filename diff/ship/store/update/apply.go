package update

import (
	"context"
	"errors"
	"path"
	"slices"

	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/store"
	"pakdb/internal/stored"
)

// Apply carries a plan of this Folder out. It fetches what is missing, makes the
// files beside the old ones, checks each, and only when all are right puts them into
// place and removes what is gone. Until then, and when it fails, the folder is as it
// was, but for what has been fetched and made, which the next try uses. Files of optional
// parts that are new to the folder come into place after the others, part by part in their
// order, and before later parts are fetched. fetched is
// called with the bytes that came, one call at a time; it may be nil. A plan is
// applied once. Where there is too little room, the error is an [apply.SpaceError].
func (f *Folder) Apply(ctx context.Context, p *Plan, fetched func(n int64)) error {
	if p.Build != f.build.Label || f.contents == nil {
		return errForeignPlan
	}
	return f.worked(ctx, p, store.SumSizes(p.Bill.Write, p.Bill.Fetch), func(fetcher *fetcher) error {
		return f.apply(ctx, p, fetcher, fetched)
	})
}

// worked does work in the folder of work, which takes so many bytes. It writes down before
// whom the folder trusts and what it wants, and removes what is stale.
func (f *Folder) worked(ctx context.Context, p *Plan, size int64, work func(*fetcher) error) error {
	need := size - p.Bill.Reused
	if free := store.SumSizes(p.Bill.Free, p.Bill.Stale); p.Bill.Free >= 0 && need > free {
		return f.disk.withLeft(&apply.SpaceError{Need: need, Free: free})
	}
	if err := f.disk.out.MkdirAll(store.WorkDir); err != nil {
		return err
	}
	if err := remember(f.disk, f.list.chain); err != nil {
		return f.disk.withLeft(err)
	}
	if err := f.parts.remember(f.disk, &f.frames.remote.follow); err != nil {
		return f.disk.withLeft(err)
	}
	for _, name := range p.Stale {
		if err := f.disk.out.RemoveAll(path.Join(store.WorkDir, name)); err != nil {
			return err
		}
	}
	fetcher := newFetcher(f.frames, f.disk, p.Ranges)
	stored.Step(ctx, store.StepFetching, p.Bill.Fetch)
	err := work(fetcher)
	var wrong *wrongError // what came before it is right
	if errors.Is(err, store.ErrCorrupt) && !errors.As(err, &wrong) {
		// What was kept may be what is wrong: the next try fetches anew.
		err = errors.Join(err, fetcher.close(), f.disk.out.RemoveAll(store.WorkDir))
	}
	return f.disk.withLeft(errors.Join(err, fetcher.close()))
}

func (f *Folder) apply(ctx context.Context, p *Plan, fetcher *fetcher, fetched func(n int64)) error {
	m := newMaker(f.disk, f.contents, fetcher)
	stages := f.stages(p)
	var last *placement
	for i := range stages {
		s := &stages[i]
		if i > 0 {
			stored.Step(ctx, store.StepFetching, fetcher.missing(s.rank))
		}
		var err error
		if last, err = f.place(ctx, m, s, fetched); err != nil {
			return err
		}
		for _, part := range s.parts {
			if f.placed != nil && len(f.parts.tell) > 0 {
				f.placed(part)
			}
		}
	}
	if err := fetcher.close(); err != nil { // some systems do not remove open files
		return err
	}
	return last.finish()
}

// place fetches and makes the files of a stage, and puts them into place.
func (f *Folder) place(ctx context.Context, m *maker, s *stage, fetched func(n int64)) (*placement, error) {
	p := s.plan
	if err := m.fetch(ctx, s.rank, fetched); err != nil {
		return nil, err
	}
	undone, err := f.applyPatches(ctx, p, fetched)
	if err != nil {
		return nil, err
	}
	write := int64(0)
	for i := range p.Files {
		write = store.SumSizes(write, p.Files[i].Size)
	}
	stored.Step(ctx, store.StepMaking, write)
	if err := m.makeAll(ctx, filesBy(p, "")); err != nil {
		return nil, err
	}
	if err := f.makeAnew(ctx, undone); err != nil {
		return nil, err
	}
	remove := slices.Clone(p.Remove)
	var state *overlayState
	if f.over != nil {
		if state, err = f.makeOverlay(ctx, m, p); err != nil {
			return nil, err
		}
		remove = slices.DeleteFunc(remove, func(name string) bool { return slices.Contains(state.Archives, name) })
	}
	exec := map[string]bool{}
	for i := range f.build.Files {
		exec[f.build.Files[i].Path] = f.build.Files[i].Exec
	}
	placed := &placement{f.disk, p, f.build, remove, exec, f.system, state}
	if err := placed.sync(ctx); err != nil {
		return nil, err
	}
	return placed, placed.commit()
}

// makeOverlay makes the archive that is mounted over those of the folder, unless the one
// that is there is right. It returns what the folder is to remember.
func (f *Folder) makeOverlay(ctx context.Context, m *maker, p *Plan) (*overlayState, error) {
	made, stays, err := f.over.make(ctx, m)
	state := &overlayState{Build: f.build.Label}
	p.Bill.Write = 0 // what it was before was a guess
	for i := range p.Files {
		p.Bill.Write = store.SumSizes(p.Bill.Write, p.Files[i].Size)
	}
	for _, one := range made {
		p.Bill.Write = store.SumSizes(p.Bill.Write, one.Size)
	}
	if errors.Is(err, errIsRight) {
		state.Archives, p.Overlay.Replaces = f.over.current()
		return state, nil
	}
	p.Overlay.Made, p.Overlay.Stays = made, stays
	for _, one := range made {
		state.Archives = append(state.Archives, one.Path)
	}
	return state, err
}

// filesBy returns the files of a plan that a patch makes, or, of no name, contents.
func filesBy(p *Plan, patch string) (files []*File) {
	for i := range p.Files {
		if p.Files[i].Patch == patch {
			files = append(files, &p.Files[i])
		}
	}
	return files
}

// applyPatches applies the patches of a plan. It returns the files that they did not
// make because they were wrong.
func (f *Folder) applyPatches(ctx context.Context, p *Plan, fetched func(n int64)) (undone []*File, err error) {
	for i := range p.Patches {
		one := &patcher{&p.Patches[i], f.disk, f.frames.remote, filesBy(p, p.Patches[i].Name)}
		failed, err := one.try(ctx)
		if err != nil {
			return nil, err
		}
		undone = append(undone, failed...)
		if fetched != nil {
			fetched(one.Size)
		}
	}
	return undone, nil
}

// makeAnew plans and makes files of contents whose patch was not to be had.
func (f *Folder) makeAnew(ctx context.Context, files []*File) (err error) {
	if len(files) == 0 {
		return nil
	}
	var targets []*target
	for _, t := range f.diff.todo {
		if slices.ContainsFunc(files, func(file *File) bool { return file.Path == t.Path }) {
			t.patch = ""
			targets = append(targets, t)
		}
	}
	c := newContents(f, targets)
	if _, err := c.resolve(ctx, nil); err != nil {
		return err
	}
	ranges, err := c.ranges(ctx)
	if err != nil {
		return err
	}
	m := newMaker(f.disk, c, newFetcher(f.frames, f.disk, ranges))
	defer func() { err = errors.Join(err, m.fetcher.close()) }()
	if err := m.fetch(ctx, everyRank, nil); err != nil {
		return err
	}
	return m.makeAll(ctx, files)
}
