package update

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/apply"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/progress"
	"pakdb/internal/rescue"
)

// Options for [NewUpdate].
type Options struct {
	Label    string           // of the build; empty: the last one published
	Registry *codecs.Registry // formats to read archives with; nil: files are bytes
	Open     *codecs.Options
}

// Update brings a folder to a build of a store, whatever is in it: it compares
// by content, not by version.
type Update struct {
	Build *store.Build
	Bill  Bill

	r      *Remote
	dir    string
	root   *os.Root        // of out
	out    *atomicfile.Dir // the folder, for writing
	files  *inside.Files   // nil: the folder is empty
	local  *local
	right  []pkdelta.Input   // files in the folder that are as the build has them
	isLast bool              // Build is the one published last
	sums   map[string]string // of files in the folder that were hashed, by their paths
	tables store.Tables
	refs   []store.TableRef // what there is of these
	tabled map[string]bool  // of these, what has been fetched
	known  listCache        // of lists and recipes
	mem    store.Budget

	others []pkdelta.Input // files in the folder that are not as the build has them
	isRead bool            // these are, as archives
	stale  []string        // names in the folder of work that are of no use
	whole  sync.Mutex      // held while a whole pack is

	release func() error // of the folder's lock; nil: there is none yet

	created bool // the folder, which was not there
	todo    []*fileUpdate
	gone    []string // that will be removed
	kept    []string // that no build made so
	deltas  []*deltaUse
	byPath  map[string]*fileUpdate // todo
	wanted  map[contentID]*wanted  // contents that the folder has not
	ranges  []*fetchRange
	frames  map[store.FrameID]located
	recent  store.FrameCache
}

// Bill tells what an update costs, before it starts.
type Bill struct {
	Same, Changed, New int   // files
	Gone               int   // files to be removed
	Kept               int   // files that the build has not, and that nobody published so
	Local              int64 // decoded bytes that come from the folder's own files
	Missing            int64 // decoded bytes that do not
	ByDelta            int   // files that a patch makes
	Coded              int   // contents that deltas make
	Looked             int64 // bytes of unchanged files that were read for contents that have moved
	Fetch              int64 // bytes of packs, patches and deltas
	Requests           int   // for them
	Known              int64 // bytes of manifests, recipes and lists, which have been fetched
	Asked              int64 // requests for those
	Write              int64 // bytes of files
	Reused             int64 // bytes of both that an earlier try has left
	Stale              int64 // bytes that it left and that are of no use, which Apply removes
	Free               int64 // of the folder's disk; -1: unknown
}

// fileUpdate is a file that must be made.
type fileUpdate struct {
	store.File
	recipe *store.FileRecipe
	pieces []store.Piece

	byDelta bool // a patch makes it
}

// NewUpdate finds out what has to be done so that dir holds the build: it fetches
// the manifest, reads the files in dir that are not as the build has them, and
// plans content by content. Nothing in dir is changed, unless an update by package
// patch was interrupted there, which is finished first. Until the caller closes the
// Update nobody else updates the folder.
func NewUpdate(ctx context.Context, r *Remote, dir string, opt Options) (*Update, error) {
	for try := 1; ; try++ {
		u, sum, err := newUpdate(ctx, r, dir, opt)
		var wrong *wrongError
		if err == nil || r.key != nil || try == manifestTries || !errors.Is(err, store.ErrCorrupt) && !errors.As(err, &wrong) {
			return u, err
		}
		// Nothing tells whether a manifest that is not signed is right, but for what it
		// names: if another answer is another manifest, that is tried.
		if again, e := r.Build(ctx, opt.Label); e != nil || again.Sum == sum {
			return nil, err
		}
	}
}

// manifestTries is how often an update is planned by another manifest.
const manifestTries = 3

// newUpdate is NewUpdate by the manifest that comes first, whose hash it returns.
func newUpdate(ctx context.Context, r *Remote, dir string, opt Options) (u *Update, sum store.Key, err error) {
	u = &Update{r: r, dir: dir, sums: map[string]string{}, tables: store.Tables{}, tabled: map[string]bool{}, isLast: opt.Label == ""}
	u.mem.Received = r.Fetched
	defer func() {
		if err != nil {
			err = errors.Join(err, u.Close())
			u = nil
		}
	}()
	defer rescue.Into(&err)
	if u.Build, err = r.Build(ctx, opt.Label); err != nil {
		return u, sum, err
	}
	sum = u.Build.Sum
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		u.created = true
	}
	if u.out, err = atomicfile.Make(ctx, dir); err != nil {
		return u, sum, err
	}
	u.root = u.out.Root()
	if u.release, err = apply.Lock(dir); err != nil {
		return u, sum, err
	}
	if _, err := apply.Recover(ctx, u.root); err != nil {
		return u, sum, err
	}
	here, err := u.openFolder()
	if err != nil {
		return u, sum, err
	}
	if err := u.listFiles(ctx, u.Build, here); err != nil {
		return u, sum, err
	}
	usable, err := u.compare(ctx, here)
	if err != nil {
		return u, sum, err
	}
	u.local = newLocal(opt.Registry, opt.Open)
	usable = u.evident(usable)
	if slices.ContainsFunc(u.todo, func(f *fileUpdate) bool { return !f.byDelta }) {
		if err := u.resolve(ctx, usable); err != nil {
			return u, sum, err
		}
	}
	u.billDeltas()
	u.Bill.Free = apply.FreeSpace(dir)
	u.findLeft()
	u.Bill.Known, u.Bill.Asked = r.Fetched(), r.Requests()
	return u, sum, nil
}

// compare sorts files into those that are right and those to be made, and
// returns the patches for what is not right.
func (u *Update) compare(ctx context.Context, here map[string]pkdelta.Input) (usable []*deltaUse, err error) {
	right := map[string]bool{}
	total := int64(0)
	for _, f := range u.Build.Files {
		if in, there := here[f.Path]; there && in.Size == f.Size {
			total += f.Size
		}
	}
	progress.Step(ctx, store.StepComparing, total)
	for _, f := range u.Build.Files {
		in, there := here[f.Path]
		if there && in.Size == f.Size {
			sum, err := u.sumOf(ctx, in)
			if err != nil {
				return nil, err
			}
			right[f.Path] = sum == f.Sum
		}
		switch {
		case right[f.Path]:
			u.Bill.Same++
			continue
		case there:
			u.Bill.Changed++
		default:
			u.Bill.New++
		}
		u.Bill.Write = store.SumSizes(u.Bill.Write, f.Size)
		u.todo = append(u.todo, &fileUpdate{File: f})
	}
	if err := u.findGone(ctx, here); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(here)) {
		if right[name] {
			u.right = append(u.right, here[name])
		} else {
			u.others = append(u.others, here[name])
		}
	}
	return u.usable(ctx, here)
}

// sumOf hashes a file in the folder, once.
func (u *Update) sumOf(ctx context.Context, in pkdelta.Input) (sum string, err error) {
	if sum = u.sums[in.Name]; sum != "" {
		return sum, nil
	}
	sum, err = store.SumOf(ctx, in.ReaderAt, in.Size)
	u.sums[in.Name] = sum
	return sum, err
}

// listFiles gets the files of a build: of a long list only the parts that are not
// as the folder has them.
func (u *Update) listFiles(ctx context.Context, b *store.Build, here map[string]pkdelta.Input) error {
	u.refs = append(u.refs, b.Tables...)
	root, err := u.r.object(ctx, b.Lists, store.MaxRoot)
	if err != nil {
		return err
	}
	l, err := store.NewFileList(root, &u.mem)
	if err != nil {
		return err
	}
	if len(l.Missing()) > 0 && len(here) > 0 {
		own, err := u.own(ctx, here)
		if err != nil {
			return err
		}
		l.Knows(own)
		if err := l.Settle(); err != nil {
			return err
		}
	}
	for missing := l.Missing(); len(missing) > 0; missing = l.Missing() {
		parts := make([][]byte, len(missing))
		err := u.eachList(ctx, missing, nil, func(i int, b []byte) error {
			parts[i] = slices.Clone(b)
			return nil
		})
		if err != nil {
			return err
		}
		if err := l.Fill(parts); err != nil {
			return err
		}
	}
	return b.SetFiles(l.Files)
}

// own lists the files in the folder.
func (u *Update) own(ctx context.Context, here map[string]pkdelta.Input) (files []store.File, err error) {
	total := int64(0)
	for _, in := range here {
		total += in.Size
	}
	progress.Step(ctx, store.StepComparing, total)
	for _, name := range slices.Sorted(maps.Keys(here)) {
		sum, err := u.sumOf(ctx, here[name])
		if err != nil {
			return nil, err
		}
		files = append(files, store.File{Path: name, Size: here[name].Size, Sum: sum})
	}
	return files, nil
}

func (u *Update) openFolder() (map[string]pkdelta.Input, error) {
	here := map[string]pkdelta.Input{}
	var err error
	if u.files, err = inside.OpenFiles([]string{u.dir}); errors.Is(err, inside.ErrNoFiles) {
		return here, nil
	} else if err != nil {
		return nil, err
	}
	for _, in := range u.files.Inputs {
		if !store.Reserved(in.Name) {
			here[in.Name] = in
			u.mem.Own += 2 * (store.HeldFile + int64(len(in.Name)))
		}
	}
	return here, nil
}

// findGone tells files that another build put there from others, which stay. The
// build knows those of earlier ones, the last one published those of all.
func (u *Update) findGone(ctx context.Context, here map[string]pkdelta.Input) error {
	wanted := map[string]bool{}
	for _, f := range u.Build.Files {
		wanted[f.Path] = true
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(here)), func(name string) bool { return wanted[name] })
	published, err := u.published(ctx, here, others)
	if err != nil {
		return err
	}
	for _, name := range others {
		if published[name] {
			u.gone = append(u.gone, name)
		} else {
			u.kept = append(u.kept, name)
		}
	}
	u.Bill.Gone, u.Bill.Kept = len(u.gone), len(u.kept)
	return u.obstacles()
}

// obstacles finds what is in the way of new files and will not be removed, before
// any of them is there.
func (u *Update) obstacles() error {
	if list := u.inTheWay(u.kept); len(list) > 0 {
		return fmt.Errorf("%s is in the way of a file of build %q, and was not published: move it elsewhere: %w", list[0], u.Build.Label, fs.ErrExist)
	}
	for _, dir := range slices.Sorted(maps.Keys(u.folders())) {
		if st, err := u.root.Lstat(dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link, which updates do not follow, and build %q has files in a folder there: %w", dir, u.Build.Label, fs.ErrExist)
		}
	}
	return nil
}

// published tells which of some files in the folder are as a build had them. It
// asks for what builds had only if there are such files, and holds nothing of it.
func (u *Update) published(ctx context.Context, here map[string]pkdelta.Input, others []string) (map[string]bool, error) {
	if len(others) == 0 {
		return nil, nil
	}
	last := u.Build
	if !u.isLast {
		var err error
		if last, err = u.r.Build(ctx, ""); err != nil {
			return nil, err
		}
		if err := u.listFiles(ctx, last, here); err != nil {
			return nil, err
		}
	}
	sums := map[string]string{} // of the files that have a size that was published
	for _, name := range others {
		sums[name] = ""
	}
	is, failed := map[string]bool{}, error(nil)
	compare := func(f *store.File) {
		sum, ours := sums[f.Path]
		if in := here[f.Path]; !ours || in.Size != f.Size || failed != nil {
			return
		} else if sum == "" {
			sum, failed = u.sumOf(ctx, in)
			sums[f.Path] = sum
		}
		if sum == f.Sum {
			is[f.Path] = true
		}
	}
	all := map[string]bool{}
	for _, b := range slices.Compact([]*store.Build{u.Build, last}) {
		if err := u.r.earlier(ctx, b, func() { clear(is) }, compare); err != nil {
			return nil, err
		}
		maps.Copy(all, is)
	}
	is = all
	for i := range last.Files {
		compare(&last.Files[i])
	}
	return is, failed
}

// billDeltas adds what the patches cost.
func (u *Update) billDeltas() {
	for _, d := range u.deltas {
		u.Bill.ByDelta += len(d.New)
		u.Bill.Fetch = store.SumSizes(u.Bill.Fetch, d.Size)
		u.Bill.Requests += int((d.Size + store.MaxPack - 1) / store.MaxPack)
	}
}

// Gone returns the paths of files that will be removed, and Kept of those that
// the build has not and that stay.
func (u *Update) Gone() []string { return u.gone }

// Kept returns the paths of files that are no part of the build and stay.
func (u *Update) Kept() []string { return u.kept }

// Close closes all files. What was fetched stays for another try.
func (u *Update) Close() error {
	errs := []error{u.closeRanges()}
	if u.files != nil {
		errs = append(errs, u.files.Close())
		u.files = nil
	}
	if u.root != nil {
		errs = append(errs, u.root.Close())
		u.root = nil
	}
	if u.release != nil {
		errs = append(errs, u.release())
		u.release = nil
	}
	if u.created {
		_ = os.Remove(u.dir) // if nothing has come into it
	}
	return errors.Join(errs...)
}

func (u *Update) closeRanges() error {
	var errs []error
	for _, r := range u.ranges {
		if r.data != nil {
			errs = append(errs, r.close())
		}
	}
	return errors.Join(errs...)
}
