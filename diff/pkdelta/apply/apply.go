package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/progress"
)

// Candidate is a file that may be one of the old ones, or a new one already.
type Candidate struct {
	Name string // for messages, and of two that would do, the one called as the old file counts
	Size int64
	io.ReaderAt
	Sum pkdelta.Sum // zero: not known yet
}

// Find returns, for each old file of the patch, which of the candidates it is:
// the one with its size and hash, whatever its name, but rather one of that name.
// What is not there is ErrWrongOld, which tells what a candidate of that name is
// instead. The hashes of old files, of which the patch has parts, are known then.
func Find(ctx context.Context, h *pkdelta.Header, files []Candidate) ([]int, error) {
	c := newCandidates(ctx, files)
	found, sums := make([]int, len(h.Old)), make([]pkdelta.Sum, len(h.Old))
	for i := range h.Old {
		k, err := c.find(&h.Old[i])
		if err != nil {
			return nil, err
		}
		if k < 0 {
			return nil, c.absent(h, &h.Old[i])
		}
		found[i], sums[i] = k, c.sums[k]
	}
	if !h.AreOld(sums) {
		return nil, fmt.Errorf("%w: one of the %d old files is another, but begins its hash alike", pkdelta.ErrWrongOld, len(h.Old))
	}
	return found, nil
}

// candidates are files whose hashes are computed when they are asked for.
type candidates struct {
	ctx    context.Context
	files  []Candidate
	sums   map[int]pkdelta.Sum
	bySize map[int64][]int
	named  map[string]int
}

func newCandidates(ctx context.Context, files []Candidate) *candidates {
	c := &candidates{ctx: ctx, files: files, sums: map[int]pkdelta.Sum{}, bySize: map[int64][]int{}, named: map[string]int{}}
	for i, f := range files {
		c.bySize[f.Size] = append(c.bySize[f.Size], i)
		c.named[f.Name] = i
	}
	return c
}

func (c *candidates) sum(i int) (pkdelta.Sum, error) {
	if s, ok := c.sums[i]; ok {
		return s, nil
	}
	if s := c.files[i].Sum; s != (pkdelta.Sum{}) {
		c.sums[i] = s
		return s, nil
	}
	s, err := pkdelta.SumOf(c.ctx, c.files[i], c.files[i].Size)
	if err != nil {
		return s, fmt.Errorf("%s: %w", c.files[i].Name, err)
	}
	c.sums[i] = s
	return s, nil
}

// find returns which candidate is a file, or -1: the one of that name if it is.
func (c *candidates) find(want *pkdelta.File) (int, error) {
	list := c.bySize[want.Size]
	if k, ok := c.named[want.Name]; ok && c.files[k].Size == want.Size {
		if list = append([]int{k}, list...); want.IsWeak() {
			list = list[:1]
		}
	}
	for _, k := range list {
		if s, err := c.sum(k); err != nil || want.Is(s) {
			return k, err
		}
	}
	return -1, nil
}

// absent tells what there is instead of an old file.
func (c *candidates) absent(h *pkdelta.Header, want *pkdelta.File) error {
	needed := hashAndSize(want.Hash(), want.Size)
	for k, f := range c.files {
		if path.Base(f.Name) != path.Base(want.Name) && len(c.files) > 1 {
			continue
		}
		s, err := c.sum(k)
		if err != nil {
			return err
		}
		if is, err := c.applied(h); err != nil {
			return err
		} else if is && len(h.New) == 1 {
			return fmt.Errorf("%s: %w: it is the new %s", f.Name, ErrApplied, h.New[0].Name)
		} else if is {
			return fmt.Errorf("%s: %w: all %d new files are there", f.Name, ErrApplied, len(h.New))
		}
		return fmt.Errorf("%s: %w: it is %s, and the patch needs %s", f.Name, pkdelta.ErrWrongOld, hashAndSize(want.Known(s), f.Size), needed)
	}
	return fmt.Errorf("%w: %s, %s, is not there", pkdelta.ErrWrongOld, want.Name, needed)
}

func hashAndSize(hash string, size int64) string {
	if hash == "" {
		hash = "another"
	}
	return fmt.Sprintf("%s of %d bytes", hash, size)
}

// applied reports that all new files are among the candidates.
func (c *candidates) applied(h *pkdelta.Header) (bool, error) {
	sums := make([]pkdelta.Sum, len(h.New))
	for i := range h.New {
		k, err := c.find(&h.New[i])
		if k < 0 || err != nil {
			return false, err
		}
		sums[i] = c.sums[k]
	}
	return h.AreNew(sums), nil
}

// ErrApplied means that an old file is a new one already.
var ErrApplied = fmt.Errorf("%w: the patch was applied before", pkdelta.ErrWrongOld)

// Mode says how new files are made.
type Mode int

// The modes of applying.
const (
	// NewFiles makes every new file under a temporary name, then replaces what is
	// there.
	NewFiles Mode = iota
	// InPlace changes files of the folder that are called as new ones where they
	// are, by way of a journal with what differs. An update that is interrupted
	// has not happened, or is finished by [Recover]; until then files are in
	// between.
	InPlace
	// Append writes what changed, and a new index, behind archives that have their
	// index at the end. Entries are those of the new file, bytes are not; [Compact]
	// makes them so later. Files that cannot be appended to are made as NewFiles
	// does.
	Append
)

// ApplyOptions for [Apply]. The zero value makes new files.
type ApplyOptions struct {
	Mode Mode
	// Undo names a file, in the folder, for what [Undo] needs to take an update
	// back. "" keeps nothing. Not for NewFiles.
	Undo string
	// Keys are AES-256 keys. Those that the patch needs must be among them.
	Keys [][]byte
	// Registry has the formats that Append reads archives with, and Open limits
	// and keys.
	Registry *codecs.Registry
	Open     *codecs.Options
	// DryRun finds out what is to be written, and does not.
	DryRun bool
}

// Apply makes the new files in a folder. old are the old files, in the order of
// the header, which [pkdelta.Header.Find] has found to be the right ones. A new file has
// a temporary name until its hash is right and it is on the disk; older files
// are replaced when all new ones are complete. After an error nothing of this
// call is left. When ctx is done, or the process dies, the same call goes on
// behind the last segment that was complete.
func Apply(ctx context.Context, r *pkdelta.Reader, old []io.ReaderAt, dir *os.Root, o *ApplyOptions) error {
	if err := r.CheckKeys(o.keys()); err != nil {
		return err
	}
	in := atomicfile.In(ctx, dir)
	if _, err := recoverIn(ctx, in); err != nil {
		return err
	}
	return newApplier(r.Header, old, in, o).apply(ctx, r)
}

func (a *applier) apply(ctx context.Context, r *pkdelta.Reader) error {
	err := a.prepare(ctx, r)
	if err == nil && !a.o.DryRun {
		err = a.commit(ctx)
	}
	return errors.Join(err, a.close(ctx, err))
}

func (o *ApplyOptions) keys() [][]byte {
	if o == nil {
		return nil
	}
	return o.Keys
}

// applier makes one new file after the other: under a temporary name, or as a
// virtual file that says what is to be changed in one that is there.
type applier struct {
	*program.Machine
	o       ApplyOptions
	dir     *atomicfile.Dir
	file    int // at hand
	temp    *atomicfile.File
	place   *replaced     // what is updated where it is; nil: temp is written
	done    []string      // complete files that may get their names
	skip    int           // segments that an earlier call executed
	segment int           // that comes next
	sums    []pkdelta.Sum // of the files that are complete
	placed  []*replaced
	spool   *program.Spool
	journal bool         // the spool's file is there
	release func() error // closes the old files, once they are not read any more
}

func newApplier(h *pkdelta.Header, old []io.ReaderAt, dir *atomicfile.Dir, o *ApplyOptions) *applier {
	a := &applier{Machine: &program.Machine{H: h, Old: &program.OldFiles{Work: program.WorkFor(h)}}, dir: dir, file: -1}
	a.Machine.Next = a.nextInSegment
	for i, f := range h.Old {
		src := old[i]
		switch src.(type) {
		case *program.Part, *program.Virtual:
		default:
			src = &program.Part{ReaderAt: src}
		}
		a.Old.Files = append(a.Old.Files, src)
		a.Old.Names = append(a.Old.Names, f.Name)
	}
	if o != nil {
		a.o = *o
	}
	a.spool = program.NewSpool(journalMagic, func() (program.SpoolFile, error) {
		a.journal = true
		f, err := dir.OpenFile(journalNew, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			return nil, err
		}
		return f, nil
	})
	if a.o.Mode == InPlace {
		a.spool.Limit = 1 << 20 // it is the journal
	}
	if a.o.DryRun {
		a.spool = program.TempSpool()
	}
	return a
}

// prepare makes everything but what becomes of files that are there.
func (a *applier) prepare(ctx context.Context, r *pkdelta.Reader) error {
	var err error
	if a.Old.Keys, err = r.Unlock(a.o.Keys); err != nil {
		return err
	}
	a.Watch = progress.Of(ctx)
	a.Watch.Begin(pkdelta.StepApplying, pkdelta.SizeOf(r.New))
	ctx = progress.Watch(ctx, nil) // hashing takes next to no time, and is not counted
	if err := a.obstacles(); err != nil {
		return err
	}
	if err := a.resume(r); err != nil {
		return err
	}
	if err := a.run(ctx, r); err != nil {
		return err
	}
	for _, p := range a.placed {
		if err := a.decide(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

func (a *applier) run(ctx context.Context, r *pkdelta.Reader) error {
	for {
		stream, file, err := r.Segment()
		if err != nil && err != io.EOF {
			return err
		}
		if err == nil && a.segment < a.skip {
			a.segment++
			continue
		}
		end := len(r.New)
		if err == nil {
			end = file
		}
		for a.file < end {
			if err := a.next(ctx); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return a.checkAll()
		}
		if err := a.Machine.Run(ctx, stream); err != nil {
			return fmt.Errorf("%s: %w", r.New[a.file].Name, err)
		}
		if a.segment++; a.segment < len(r.Parts) && a.o.Mode == NewFiles && !a.o.DryRun {
			if err := a.saveProgress(); err != nil {
				return err
			}
		}
	}
}

// next completes the file at hand and begins the one after it.
func (a *applier) next(ctx context.Context) error {
	if err := a.complete(ctx); err != nil {
		return fmt.Errorf("%s: %w", a.H.New[a.file].Name, err)
	}
	a.file++
	if a.file == len(a.H.New) {
		return nil
	}
	f := a.H.New[a.file]
	if err := a.beginFile(ctx, f); err != nil {
		return err
	}
	return a.Unchanged(ctx)
}

func (a *applier) beginFile(ctx context.Context, f pkdelta.File) error {
	if a.o.Mode != NewFiles || a.o.DryRun {
		if placed, err := a.beginPlaced(ctx, f); placed || err != nil {
			return err
		}
	}
	temp, err := a.createTemp(f.Name)
	if err != nil {
		return err
	}
	a.temp = temp
	a.Begin(a.file, temp, f.Size, 0, nil, a.Copies)
	return nil
}

func (a *applier) createTemp(name string) (*atomicfile.File, error) {
	if d := path.Dir(name); d != "." {
		if err := a.dir.MkdirAll(d); err != nil {
			return nil, err
		}
	}
	return a.dir.OpenFile(a.tempName(name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// nextInSegment goes on, where a segment says so, with the next file that
// operations make: there must be one.
func (a *applier) nextInSegment(ctx context.Context) error {
	for {
		if a.file+1 >= len(a.H.New) {
			return fmt.Errorf("%w: a segment of more files than there are", pkdelta.ErrCorrupt)
		}
		if err := a.next(ctx); err != nil || a.H.IsMade(a.file) {
			return err
		}
	}
}

// tempName is beside the file, and tells which patch made it.
func (a *applier) tempName(name string) string {
	return atomicfile.TempName(name, fmt.Sprintf("%x", a.H.RootHash[:6]))
}

// complete checks the file at hand and syncs it.
func (a *applier) complete(ctx context.Context) error {
	if a.temp == nil && a.place == nil {
		return nil
	}
	f := a.H.New[a.file]
	if a.Pos() != f.Size {
		return fmt.Errorf("%w: %d bytes, %d wanted", pkdelta.ErrResult, a.Pos(), f.Size)
	}
	sum, err := pkdelta.SumOf(ctx, a.Out(), f.Size)
	if err != nil {
		return err
	}
	if !f.Is(sum) {
		return fmt.Errorf("%w: it would have another hash", pkdelta.ErrResult)
	}
	a.sums = append(a.sums, sum)
	if a.place != nil {
		a.place.Sum, a.place.Unknown = sum, 0
		a.place = nil
		return nil
	}
	if err := errors.Join(a.temp.Sync(), a.temp.Close()); err != nil {
		return err
	}
	a.temp = nil
	a.done = append(a.done, f.Name)
	return nil
}

// checkAll compares what was made with what was wanted. Nothing has its name
// before.
func (a *applier) checkAll() error {
	if !a.H.AreNew(a.sums) {
		return fmt.Errorf("%w: one of the %d new files would have another hash", pkdelta.ErrResult, len(a.H.New))
	}
	return nil
}

// commit puts everything in place.
func (a *applier) commit(ctx context.Context) error {
	if a.o.Mode != NewFiles {
		return a.commitPlaced(ctx)
	}
	if err := a.closeOld(); err != nil {
		return err
	}
	return a.rename()
}

// closeOld closes what new files may replace: some systems want that.
func (a *applier) closeOld() error {
	var errs []error
	for _, p := range a.placed {
		errs = append(errs, p.close())
	}
	a.placed = nil
	if a.release != nil {
		errs = append(errs, a.release())
	}
	return errors.Join(errs...)
}

// close closes what is open. After an error it removes what was made, but for
// what an interrupted call will be continued with.
func (a *applier) close(ctx context.Context, err error) error {
	errs := []error{a.closeOld(), a.spool.Close()}
	if a.journal {
		errs = append(errs, a.dir.Remove(journalNew))
	}
	if a.temp != nil {
		errs = append(errs, a.temp.Close())
	}
	if a.o.Mode == NewFiles && err != nil && ctx.Err() != nil && len(a.H.Parts) > 1 {
		return errors.Join(errs...) // to be continued
	}
	if a.temp != nil {
		a.done = append(a.done, a.H.New[a.file].Name)
	}
	for _, name := range a.done {
		errs = append(errs, a.dir.Remove(a.tempName(name)))
	}
	errs = append(errs, a.removeProgress())
	if err != nil {
		a.dir.RemoveMade()
	}
	return errors.Join(errs...)
}

// rename gives the complete files their names.
func (a *applier) rename() error {
	if err := a.keepModes(); err != nil {
		return err
	}
	held, err := a.hold()
	if err == nil {
		err = a.renameAll()
	}
	if held {
		a.done = nil // the journal needs what is left
		if err == nil {
			err = a.dir.Remove(journalName)
			if err == nil {
				err = a.dir.Sync()
			}
		}
	} else if err == nil {
		err = a.removeProgress()
	}
	return err
}

// hold writes a journal if several files are to be renamed and older ones make
// way: from then on the update has happened, and [Recover] finishes it. With some
// of them old and some new, the patch would fit no more.
func (a *applier) hold() (held bool, err error) {
	list := a.creations()
	replaces := slices.ContainsFunc(list, func(x action) bool { _, err := a.dir.Lstat(x.name); return err == nil })
	if len(list) < 2 || !replaces || len(marshalActions(list, 0)) > maxActions {
		return false, nil
	}
	a.journal = true
	a.changed(a.done)
	if err := writeJournal(a.dir, journalNew, list); err != nil {
		return false, err
	}
	if err := a.dir.Rename(journalNew, journalName); err != nil {
		return false, err
	}
	return true, errors.Join(a.dir.Sync(), a.removeProgress())
}

// creations are the actions by which complete files get their names.
func (a *applier) creations() (list []action) {
	done := make(map[string]bool, len(a.done))
	for _, name := range a.done {
		done[name] = true
	}
	for i, f := range a.H.New {
		if done[f.Name] {
			f.Sum, f.Unknown = a.sums[i], 0
			list = append(list, action{kind: actCreate, name: f.Name, temp: a.tempName(f.Name), after: f})
		}
	}
	return list
}

func (a *applier) renameAll() error {
	for len(a.done) > 0 {
		if err := a.dir.Rename(a.tempName(a.done[0]), a.done[0]); err != nil {
			return err
		}
		a.done = a.done[1:]
	}
	return a.dir.Sync()
}

// changed counts the folders of files as changed, also where an earlier call made
// the files: the system may have been about to sync them.
func (a *applier) changed(names []string) {
	for _, name := range names {
		a.dir.Changed(path.Dir(name))
	}
}

func (a *applier) keepModes() error {
	for _, name := range a.done {
		if err := a.dir.KeepMode(a.tempName(name), name); err != nil {
			return err
		}
	}
	return nil
}
