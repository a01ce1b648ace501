package apply

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
)

// Plan is a patch and the files that it was found to fit.
type Plan struct {
	Header    *delta.Header
	Found     []string       // path of each old file
	Recovered bool           // an update in place that was interrupted has been finished
	Passed    []*regular.Odd // pipes, devices and symbolic links below the old folders, which are not read
	Applied   bool           // all new files are there already
	Removed   []string       // old files that no new one takes the place of, which Apply removes
	Changed   []string       // and those that stay because somebody changed them
	Kept      []string       // and those that stay because they are to be kept
	Free      int64          // bytes that the folder's disk has, -1 when unknown
	Bill                     // what applying will write, once Prepare was called

	r      *delta.Reader
	patch  *os.File
	old    *delta.Opened
	files  []io.ReaderAt
	path   string            // of the folder
	dir    *atomicfile.Dir   // nil: it is not there yet
	apply  *applier          // nil: nothing is prepared
	folded map[string]string // names of new files by what they are in small letters
	sums   []delta.Sum       // of the new files, if all are there
	found  []int             // of the old files: which of the open ones each is
	free   func() error      // releases the lock of the folder
	o      ApplyOptions
}

// Bill is what an update writes.
type Bill struct {
	Write int64 // bytes, all of them
	Need  int64 // bytes of the disk that it takes, at most at once
	Stay  int64 // bytes of new files that are in their places
	Notes []string
}

// NewPlan reads the header of a patch, looks for its old files among the files
// and below the folders of old, and for the new ones in dir. It reads the old
// files as a whole, to be sure. The caller closes the plan, also when it is not applied.
func NewPlan(ctx context.Context, file string, old []string, dir string) (p *Plan, err error) {
	p = &Plan{Free: -1, path: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
			p = nil
		}
	}()
	defer process.Rescue(&err)
	if p.patch, err = os.Open(file); err != nil {
		return p, err
	}
	if p.r, err = delta.NewReader(bufio.NewReaderSize(p.patch, 256<<10)); err != nil {
		return p, delta.Named(file, err)
	}
	p.Header = p.r.Header
	if p.dir, err = atomicfile.Open(ctx, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if p.dir != nil {
		if p.free, err = Lock(dir); err != nil {
			return p, err
		}
		if p.Recovered, err = recoverIn(ctx, p.dir); err != nil {
			return p, err
		}
	}
	if p.old, err = delta.OpenBy(ctx, regular.Own, old); err != nil {
		return p, err
	}
	p.Passed = p.old.Passed
	p.Free = atomicfile.FreeSpace(existing(dir))
	stored.Step(ctx, delta.StepChecking, delta.SizeOf(p.Header.Old))
	if p.Applied, err = p.isApplied(ctx); err != nil || p.Applied {
		return p, err
	}
	if err = p.find(ctx); err != nil && len(p.Passed) > 0 {
		err = fmt.Errorf("%w; not read: %w", err, p.Passed[0])
	}
	return p, err
}

// isApplied reports whether all new files are in the folder.
func (p *Plan) isApplied(ctx context.Context) (bool, error) {
	if p.dir == nil {
		return false, nil
	}
	for _, f := range p.Header.New { // sizes first: they take no time
		if may, err := p.isThere(f, func(io.ReaderAt) (bool, error) { return true, nil }); !may || err != nil {
			return false, err
		}
	}
	sums := make([]delta.Sum, 0, len(p.Header.New))
	for _, f := range p.Header.New {
		same, err := p.isThere(f, func(r io.ReaderAt) (bool, error) {
			sum, err := delta.SumOf(ctx, r, f.Size)
			sums = append(sums, sum)
			return f.Is(sum), err
		})
		if !same || err != nil {
			return false, err
		}
	}
	p.sums = sums
	return p.Header.AreNew(sums), nil
}

// isThere opens the file that has the name of a new one, and asks about it if it
// has its size, too.
func (p *Plan) isThere(want delta.File, ask func(io.ReaderAt) (bool, error)) (same bool, err error) {
	f, err := p.dir.OpenRegular(want.Name)
	if err != nil {
		return false, nil
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil || st.Size() != want.Size {
		return false, err
	}
	return ask(f)
}

// find looks for the old files.
func (p *Plan) find(ctx context.Context) error {
	candidates := make([]Candidate, len(p.old.Inputs))
	for i, in := range p.old.Inputs {
		candidates[i] = Candidate{Name: in.Name, Size: in.Size, ReaderAt: &program.Part{ReaderAt: in.ReaderAt, File: p.old.Open[i]}}
	}
	found, err := Find(ctx, p.Header, candidates)
	p.found = found
	for _, i := range found {
		p.Found = append(p.Found, p.old.Path(i))
		p.files = append(p.files, candidates[i].ReaderAt)
	}
	return err
}

// Prepare finds out what applying will write. For other modes than NewFiles it
// executes the patch, and knows then that the result is right.
func (p *Plan) Prepare(ctx context.Context, o *ApplyOptions) error {
	if p.apply != nil {
		return nil
	}
	if o != nil {
		p.o = *o
	}
	if err := p.leftovers(ctx); err != nil || p.Applied {
		return err
	}
	if err := p.Header.CheckKeys(p.o.Keys); err != nil {
		return err
	}
	if p.o.Mode == NewFiles || p.o.DryRun && p.dir == nil {
		for _, f := range p.Header.New {
			p.Write += f.Size
		}
		p.Need = p.Write
		return nil
	}
	if err := p.makeDir(ctx); err != nil {
		return err
	}
	p.apply = p.applier()
	if err := p.apply.prepare(ctx, p.r); err != nil {
		return p.end(ctx, err)
	}
	p.Bill = p.apply.place.bill()
	return nil
}

// end ends what was prepared.
func (p *Plan) end(ctx context.Context, err error) error {
	a := p.apply
	p.apply = nil
	return errors.Join(err, a.place.end(ctx, err))
}

// Apply does what was prepared, once.
func (p *Plan) Apply(ctx context.Context) error {
	if p.o.DryRun {
		return nil
	}
	if p.Applied {
		return p.tidy(ctx)
	}
	if p.Free >= 0 && p.Free < p.Need {
		return &SpaceError{Need: p.Need, Free: p.Free}
	}
	if p.apply != nil {
		return p.end(ctx, p.apply.place.commit(ctx))
	}
	if err := p.makeDir(ctx); err != nil {
		return err
	}
	return p.applier().apply(ctx, p.r)
}

func (p *Plan) applier() *applier {
	a := newApplier(p.Header, p.files, p.dir, &p.o)
	a.s.release, a.s.removes = p.closeOld, p.removes()
	return a
}

func (p *Plan) closeOld() error {
	if p.old == nil {
		return nil
	}
	err := p.old.Close()
	p.old = nil
	return err
}

func (p *Plan) makeDir(ctx context.Context) (err error) {
	if p.dir == nil {
		if p.dir, err = atomicfile.Make(ctx, p.path); err == nil {
			p.free, err = Lock(p.path)
		}
	}
	return err
}

// existing is the lowest folder above and including dir that is there.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// Close closes all files.
func (p *Plan) Close() error {
	var errs []error
	if p.apply != nil {
		errs = append(errs, p.end(context.Background(), nil))
	}
	if p.patch != nil {
		errs = append(errs, p.patch.Close())
	}
	if p.free != nil {
		errs = append(errs, p.free())
	}
	errs = append(errs, p.closeOld())
	if p.dir != nil {
		errs = append(errs, p.dir.Close())
	}
	return errors.Join(errs...)
}

// bill adds up what an update of files that are there will write.
func (r *placed) bill() (b Bill) {
	var list []action // as they will be, but for places
	journal := r.journalSpool()
	data := journal.Size
	for _, c := range r.s.actions() {
		b.Write += c.after.Size
		list = append(list, c)
	}
	for _, p := range r.list {
		if p.f == nil {
			b.Write += p.Size
			list = append(list, action{kind: actCreate, name: p.Name, temp: r.s.tempName(p.Name), after: p.File})
			continue
		}
		act := action{kind: actChange, name: p.Name, before: p.before, after: p.File}
		changed := int64(0)
		for _, run := range p.runs {
			changed += run.N
			if run.Src != journal.Part {
				data += run.N
			}
			act.pieces = append(act.pieces, piece{off: run.At, n: run.N})
		}
		b.Write += changed
		b.Stay += p.Size - changed
		b.Need -= changed - max(0, p.Size-p.before.Size) // written over old bytes
		list = append(list, act)
	}
	if len(list) > 0 {
		b.Write += data + int64(len(journalMagic)+len(marshalActions(list, 0))+len(delta.Sum{}))
	}
	if r.spool.F != nil && journal != r.spool {
		b.Write += r.spool.Size
	}
	b.Need += b.Write
	if whole := delta.SizeOf(r.s.h.New); b.Write > whole {
		b.Notes = append(b.Notes, fmt.Sprintf("most of the files moves; making them anew, not in place, would write %d bytes", whole))
	}
	return b
}

// IsRefusal reports an error that says that a patch or a file is not what
// it must be: damaged, of another version, not signed, or in the way. Trying again
// does not mend it. What is left is a failure of the machine, or a file that is
// not there.
func IsRefusal(err error) bool {
	for _, class := range []error{delta.ErrNotPatch, delta.ErrCorrupt, delta.ErrWrongOld, delta.ErrResult, delta.ErrSignature, delta.ErrUnsigned,
		delta.ErrNoKey, ErrJournal, ErrGone, regular.ErrNotRegular, fs.ErrExist, errors.ErrUnsupported} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// Describe writes what was found and what applying would write, for people.
func (p *Plan) Describe(w io.Writer) error {
	var b strings.Builder
	if p.Recovered {
		b.WriteString("finished: an update of these files that was interrupted\n")
	}
	if p.Applied {
		fmt.Fprintf(&b, "applied already: %s, as their hashes say\n", delta.Count(len(p.Header.New), "new file"))
		p.describeOld(&b)
		_, err := io.WriteString(w, b.String())
		return err
	}
	for i, f := range p.Header.Old {
		fmt.Fprintf(&b, "right: %s is %s, %s\n", delta.Printable(p.Found[i]), delta.Printable(f.Name), humanSize(f.Size))
	}
	for _, o := range p.Passed {
		fmt.Fprintf(&b, "left out: %s\n", delta.Printable(o.Error()))
	}
	p.describeOld(&b)
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	fmt.Fprintf(&b, "to write: %s, %s", humanSize(p.Write), delta.Count(len(p.Header.New), "file"))
	if p.Stay > 0 {
		fmt.Fprintf(&b, "; %s stay where they are", humanSize(p.Stay))
	}
	if p.Free >= 0 {
		fmt.Fprintf(&b, "; the disk has room for %s", humanSize(p.Free))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// describeOld returns what becomes of old files that no new one takes the place of.
func (p *Plan) describeOld(b *strings.Builder) {
	for _, list := range []struct {
		names []string
		what  string
	}{
		{p.Removed, "to remove: %s, which the new version does not have\n"},
		{p.Changed, "kept: %s, which the new version does not have, and which was changed\n"},
		{p.Kept, "kept: %s, which the new version does not have\n"},
	} {
		for _, name := range list.names {
			fmt.Fprintf(b, list.what, delta.Printable(name))
		}
	}
}

func humanSize(n int64) string { return stored.HumanSize(float64(n)) }
