package update

import (
	"context"
	"errors"
	"slices"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
)

// Options for [Target.Compare].
type Options struct {
	Label    string                 // of the build, for [Prepare]; empty: the one that the channel gives out
	Parts    store.PartChoice       // changes which parts of builds the folder wants; it remembers that
	Clean    bool                   // files that only other builds had, and that somebody changed, are moved aside
	Overlay  bool                   // archives stay as they are: one is made that is mounted over them
	Keep     bool                   // with Overlay: patches that earlier builds brought stay
	Only     func(path string) bool // files of the build that are wanted, nil: all; for folders that no game uses
	Placed   func(part string)      // is called when a part of the build's is in place: "" for the files of no part; nil: is not
	Registry *codecs.Registry       // formats to read archives with; nil: files are bytes
	Open     *codecs.Options
	Beside   []delta.Input // files elsewhere, whose contents are taken like those of the folder
}

// Target is a build that folders are brought to.
type Target struct {
	Build  *store.Build // its manifest, without files
	isLast bool         // it is the one published last
	list   *listing     // that names it
	remote *Remote
	dir    string // whose memory of the store was used
}

// Open reads the manifest of a build, and checks it: by its signature, if the
// Remote has a key. An empty label is that of the build that the channel gives out: the one
// published last, in a store that says nothing of channels.
// For a folder that remembers whom it trusts, see [OpenFor].
func Open(ctx context.Context, r *Remote, label string) (*Target, error) {
	return OpenFor(ctx, r, "", label)
}

// OpenFor is [Open] for a folder, which takes only what those say whom it trusts, and
// nothing older than what it has seen.
func OpenFor(ctx context.Context, r *Remote, dir, label string) (*Target, error) {
	l, err := r.list(ctx, dir)
	if err == nil && label == "" {
		label, err = r.follow.Choose(dir, l.labels, l.channels)
	} else if err == nil {
		label, err = r.follow.Resolve(dir, l.labels, label)
	}
	if err != nil {
		return &Target{remote: r, dir: dir}, err
	}
	build, err := r.listed(ctx, l, label)
	return &Target{Build: build, isLast: label == l.last(), list: l, remote: r, dir: dir}, err
}

// Folder is a folder that was compared with a build. It is locked: until it is
// closed nobody else updates it.
type Folder struct {
	build    *store.Build
	isLast   bool
	list     *listing // by whose word all manifests count
	frames   *frameReader
	disk     *disk
	diff     *difference
	local    *localFiles
	contents *contents // of the files that no patch makes, once there is a plan
	parts    *parts
	clean    bool
	overlay  bool
	keep     bool
	placed   func(part string) // nil: nobody asks
	over     *overlaying       // nil: archives are replaced
	system   System            // whose rules about open files hold
}

// Compare looks at what is in dir, by content: the version that it has does not
// matter. It reads the list of the build's files, hashes files in dir, and finds what
// is in the way. Nothing in dir is changed, unless an update by package patch was
// interrupted there, which is finished first.
func (t *Target) Compare(ctx context.Context, dir string, opt Options) (f *Folder, err error) {
	if t.dir != dir && Remembers(dir) { // the target was opened for another folder
		again, err := OpenFor(ctx, t.remote, dir, t.Build.Label)
		if err != nil {
			return nil, err
		}
		t = again
	}
	f = &Folder{clean: opt.Clean, overlay: opt.Overlay, keep: opt.Keep, placed: opt.Placed, system: This(), build: t.Build, isLast: t.isLast, list: t.list, frames: newFrameReader(t.remote), local: newLocal(opt.Registry, opt.Open)}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
			f = nil
		}
	}()
	defer process.Rescue(&err)
	if f.disk, err = openDisk(ctx, dir); err != nil {
		return f, err
	}
	for name := range f.disk.here {
		f.frames.mem.Own += 2 * (store.HeldFile + int64(len(name)))
	}
	if err := f.listFiles(ctx, f.build); err != nil {
		return f, err
	}
	if f.parts, f.build, err = chooseParts(dir, f.build, opt.Parts, &f.frames.mem); err != nil {
		return f, err
	}
	if opt.Only != nil {
		some := *f.build
		some.Files = slices.DeleteFunc(slices.Clone(some.Files), func(file store.File) bool { return !opt.Only(file.Path) })
		f.build = &some
	}
	if f.diff, err = f.compare(ctx); err == nil {
		f.diff.others = append(f.diff.others, opt.Beside...)
	}
	return f, err
}

// Parts reports which optional parts the build has, and which of these the folder wants; and
// the names of parts that it asks for and that the build has not.
func (f *Folder) Parts() (list []PartUse, gone []string) { return f.parts.tell, f.parts.gone }

// listFiles gets the files of a build.
func (f *Folder) listFiles(ctx context.Context, b *store.Build) error {
	return f.frames.files(ctx, b, func() ([]store.File, error) {
		if len(f.disk.here) == 0 {
			return nil, nil
		}
		return f.disk.list(ctx)
	})
}

// Plan decides how each file is made that the folder has not, content by content:
// from what lies in the folder, by deltas, or of chunks, whatever is least to fetch.
// For that it reads recipes and lists of the store, and the files of the folder that
// are not as the build has them.
func (f *Folder) Plan(ctx context.Context) (p *Plan, err error) {
	defer process.Rescue(&err)
	usable, err := f.usable(ctx)
	if err == nil && f.overlay {
		f.over, err = f.planOverlay(f.keep)
	}
	if err != nil {
		return nil, err
	}
	if f.over != nil {
		usable = slices.DeleteFunc(usable, func(u *patchUse) bool {
			return slices.ContainsFunc(u.files, func(t *target) bool { return f.over.over[t.Path] })
		})
	}
	patches, others := evident(usable)
	contents := newContents(f, slices.DeleteFunc(slices.Clone(f.diff.todo), func(t *target) bool { return t.patch != "" }))
	if len(contents.files) > 0 {
		cheaper, err := contents.resolve(ctx, others)
		if err != nil {
			return nil, err
		}
		patches = append(patches, cheaper...)
	}
	ranges, err := contents.ranges(ctx)
	if err != nil {
		return nil, err
	}
	f.contents = contents
	return f.newPlan(patches, ranges), nil
}

// newPlan writes down what was decided.
func (f *Folder) newPlan(patches []*patchUse, ranges []Range) *Plan {
	d, r := f.diff, f.frames.remote
	p := &Plan{Build: f.build.Label, Parts: f.parts.tell, NoParts: f.parts.gone, Modes: d.modes, Remove: d.gone, Keep: d.kept, Altered: d.altered}
	if f.clean {
		p.moveAside(f.disk)
	}
	p.Bill = Bill{Same: d.same, Gone: len(d.gone), Kept: len(p.Keep), Looked: f.contents.looked, Free: atomicfile.FreeSpace(f.disk.name)}
	for _, t := range d.todo {
		file := File{Path: t.Path, Size: t.Size, Sum: t.Sum, New: t.isNew, Patch: t.patch}
		if t.patch == "" {
			f.contents.addUp(t, &file)
		}
		p.addFile(file)
	}
	if f.over != nil {
		p.overlay(f.over)
	}
	p.addRanges(ranges)
	for _, use := range patches {
		p.addPatch(use)
	}
	p.addLeft(f.disk)
	p.Bill.Known, p.Bill.Asked = r.Fetched(), r.Requests()
	return p
}

// Close closes all files, and lets others update the folder. What was fetched stays
// for another try.
func (f *Folder) Close() error {
	if f.disk == nil {
		return nil
	}
	return f.disk.close()
}

// manifestTries is how often an update is planned by another manifest.
const manifestTries = 3

// Prepare opens a build, compares dir with it and plans the update. Nothing proves
// whether a manifest that is not signed is right, but for what it names: where that
// is not what it says, and another answer is another manifest, it is tried with that.
func Prepare(ctx context.Context, r *Remote, dir string, opt Options) (*Folder, *Plan, error) {
	for try := 1; ; try++ {
		t, f, p, err := prepare(ctx, r, dir, opt)
		var wrong *wrongError
		if err == nil || r.key != nil || r.trust.current() != nil || try == manifestTries || !errors.Is(err, store.ErrCorrupt) && !errors.As(err, &wrong) {
			return f, p, err
		}
		if again, e := OpenFor(ctx, r, dir, opt.Label); e != nil || again.sum() == t.sum() {
			return nil, nil, err
		}
	}
}

// prepare is Prepare by the manifest that comes first. It returns what is known of
// that even if it fails.
func prepare(ctx context.Context, r *Remote, dir string, opt Options) (*Target, *Folder, *Plan, error) {
	t, err := OpenFor(ctx, r, dir, opt.Label)
	if err != nil {
		return t, nil, nil, err
	}
	f, err := t.Compare(ctx, dir, opt)
	if err != nil {
		return t, nil, nil, err
	}
	p, err := f.Plan(ctx)
	if err != nil {
		return t, nil, nil, errors.Join(err, f.Close())
	}
	return t, f, p, nil
}

// sum returns the hash of the manifest; that of none is zero.
func (t *Target) sum() (sum store.Key) {
	if t.Build != nil {
		sum = t.Build.Sum
	}
	return sum
}
