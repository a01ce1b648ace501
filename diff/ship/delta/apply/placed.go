package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
)

// replaced is a new file where an older one is: what it will be, and what has to be
// written for it.
type replaced struct {
	delta.File
	out    *program.Virtual // as the patch makes it
	f      *os.File         // the present file; nil: there is none, and this is a dry run
	base   *program.Part    // f, among what out consists of
	before delta.File
	runs   []program.Run // of out, that are not in f in their places
}

// placed is a place where files that are there in an older version stay, and a
// journal says what is to be changed in each. Others are new files.
type placed struct {
	s       *staging
	m       *program.Machine
	o       *ApplyOptions
	file    *replaced // at hand; nil: a new file is
	list    []*replaced
	spool   *program.Spool
	journal bool // the spool's file is there
}

// journalMemory is how much of a journal that has all that is made waits in memory.
const journalMemory = 1 << 20

func newPlaced(s *staging, m *program.Machine, o *ApplyOptions) *placed {
	r := &placed{s: s, m: m, o: o}
	if o.DryRun {
		r.spool = program.TempSpool()
		return r
	}
	r.spool = program.NewSpool(journalMagic, func() (program.SpoolFile, error) {
		r.journal = true
		f, err := s.dir.OpenFile(journalNew, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			return nil, err
		}
		return f, nil
	})
	return r
}

func (r *placed) obstacles() error { return r.s.obstacles(true) }

func (*placed) resume() (reached, program.Output, error) { return reached{}, nil, nil }

func (*placed) keep(int, int) error { return nil }

// begin implements place. In a dry run a file that is not there is not made either.
func (r *placed) begin(ctx context.Context, f delta.File) (program.Output, error) {
	p := &replaced{File: f, out: &program.Virtual{Spool: r.spool}}
	var err error
	if p.f, err = r.open(f.Name); err != nil {
		return nil, err
	}
	if p.f == nil && !r.o.DryRun {
		temp, err := r.s.begin(f.Name)
		if err != nil {
			return nil, err
		}
		return temp, nil
	}
	r.file, r.list = p, append(r.list, p)
	if p.f == nil {
		return p.out, nil
	}
	st, err := p.f.Stat()
	if err != nil {
		return nil, err
	}
	p.before.Size = st.Size()
	p.base, p.before.Sum, err = r.baseOf(ctx, p.f, st)
	return p.out, err
}

// open opens a file that is to be changed; nil: there is none, or it has other links, or is
// one, and a new file takes its place.
func (r *placed) open(name string) (*os.File, error) {
	f, err := r.s.dir.OpenRegular(name)
	if atomicfile.IsAbsent(err) || errors.Is(err, regular.ErrNotRegular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	shared, err := atomicfile.HasLinks(f)
	if err == nil && !shared {
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}

func (r *placed) complete(_ delta.File, sum delta.Sum) error {
	if r.file == nil {
		return r.s.finish()
	}
	r.file.Sum, r.file.Unknown = sum, 0
	r.file = nil
	return nil
}

// baseOf finds a file of the folder among the old ones, itself or a copy, and
// returns its hash if that is known or will be needed.
func (r *placed) baseOf(ctx context.Context, f *os.File, st fs.FileInfo) (*program.Part, delta.Sum, error) {
	base, known := &program.Part{ReaderAt: f, File: f}, delta.Sum{}
	for i, src := range r.m.Old.Files {
		own, ok := src.(*program.Part)
		if !ok || own.File == nil {
			continue
		}
		if there, err := own.File.Stat(); err == nil && os.SameFile(st, there) {
			base = own
			if r.m.H.Old[i].Unknown == 0 {
				known = r.m.H.Old[i].Sum
			}
		}
	}
	if known != (delta.Sum{}) || base.File != f {
		return base, known, nil
	}
	known, err := delta.SumOf(ctx, f, st.Size())
	for i, src := range r.m.Old.Files {
		if own, ok := src.(*program.Part); ok && base.File == f && r.m.H.Old[i].Is(known) && st.Size() == r.m.H.Old[i].Size {
			base = own // a copy of it
		}
	}
	return base, known, err
}

// decide compares every new file with the one that is there.
func (r *placed) decide(ctx context.Context) error {
	for _, p := range r.list {
		if p.f == nil {
			continue
		}
		if err := p.compare(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// grain is how many equal bytes are left out of a journal at least.
const grain = 4 << 10

// compare finds the runs that differ from the present file.
func (p *replaced) compare(ctx context.Context) error {
	var here, there [256 << 10]byte
	var differ program.Virtual // its places are those of p.out
	for _, r := range p.out.Runs {
		if r.Src == p.base && r.Off == r.At {
			continue
		}
		for at := r.At; at < r.End(); {
			if err := ctx.Err(); err != nil {
				return err
			}
			part := r.Cut(at, at+int64(len(here)))
			at = part.End()
			n := max(0, min(part.N, p.before.Size-part.At))
			if err := stored.ReadAt(part.Src, here[:n], part.Off); err != nil {
				return err
			}
			if err := stored.ReadAt(p.f, there[:n], part.At); err != nil {
				return err
			}
			for from := int64(0); from < part.N; from += grain {
				to := min(from+grain, part.N)
				if to > n || !bytes.Equal(here[from:to], there[from:to]) {
					differ.Runs = appendRun(differ.Runs, part.Cut(part.At+from, part.At+to))
				}
			}
		}
	}
	p.runs = differ.Runs
	return nil
}

// appendRun appends a run, or lengthens the last one.
func appendRun(runs []program.Run, r program.Run) []program.Run {
	if k := len(runs) - 1; k >= 0 && runs[k].Src == r.Src && runs[k].End() == r.At && runs[k].Off+runs[k].N == r.Off {
		runs[k].N += r.N
		return runs
	}
	return append(runs, r)
}

// actions are what becomes of all files. The bytes of pieces go to a journal in
// the making.
func (r *placed) actions(ctx context.Context, journal *program.Spool) (list []action, err error) {
	list = r.s.actions()
	for _, p := range r.list {
		act := action{kind: actChange, name: p.Name, before: p.before, after: p.File}
		if r.s.hasModes() {
			act.exec = execOf(p.File)
		}
		for _, run := range p.runs {
			at, err := journaled(ctx, run, journal)
			if err != nil {
				return nil, err
			}
			act.pieces = append(act.pieces, piece{run.At, run.N, at})
		}
		list = append(list, act)
	}
	return list, nil
}

func execOf(f delta.File) byte {
	if f.Exec {
		return execYes
	}
	return execNo
}

// journaled returns where in a journal the bytes of a run are. It puts there
// what is not.
func journaled(ctx context.Context, r program.Run, journal *program.Spool) (int64, error) {
	if r.Src == journal.Part {
		return int64(len(journal.Head)) + r.Off, nil
	}
	at, buf := journal.Size, make([]byte, min(r.N, 1<<20))
	for n := int64(0); n < r.N; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		p := buf[:min(int64(len(buf)), r.N-n)]
		if err := stored.ReadAt(r.Src, p, r.Off+n); err != nil {
			return 0, err
		}
		if _, err := journal.Store(p); err != nil {
			return 0, err
		}
		n += int64(len(p))
	}
	return int64(len(journal.Head)) + at, nil
}

// commit completes the journal and does what it says.
func (r *placed) commit(ctx context.Context) error {
	if err := r.stage(ctx); err != nil {
		return err
	}
	r.s.done, r.journal = nil, false // the journal needs them
	err := r.s.dir.Sync()
	_, rerr := recoverIn(context.WithoutCancel(ctx), r.s.dir)
	return errors.Join(err, rerr)
}

// stage writes everything but what the journal will: with that under its
// name, as the last thing, the update has happened.
func (r *placed) stage(ctx context.Context) error {
	journal := r.journalSpool()
	list, err := r.actions(ctx, journal)
	if err != nil {
		return err
	}
	if err := r.s.keepModes(); err != nil {
		return err
	}
	if err := journal.Spill(); err != nil {
		return err
	}
	f := journal.F
	journal.F = nil
	if err := sealJournal(f, int64(len(journal.Head))+journal.Size, list); err != nil {
		return err
	}
	r.s.changed(r.s.done)
	if err := errors.Join(r.s.dir.Sync(), r.closeOld()); err != nil {
		return err
	}
	return r.s.dir.Rename(journalNew, journalName)
}

// journalSpool is the spool, if the journal needs what is in it.
func (r *placed) journalSpool() *program.Spool {
	for _, p := range r.list {
		if len(p.runs) > 0 || r.spool.F != nil {
			return r.spool
		}
	}
	return program.NewSpool(journalMagic, r.spool.Create)
}

func (r *placed) closeOld() error {
	var errs []error
	for _, p := range r.list {
		if p.f != nil {
			errs = append(errs, p.f.Close())
		}
	}
	r.list = nil
	return errors.Join(append(errs, r.s.closeOld())...)
}

func (r *placed) end(_ context.Context, err error) error {
	errs := []error{r.closeOld(), r.spool.Close()}
	if r.journal {
		errs = append(errs, r.s.dir.Remove(journalNew))
	}
	errs = append(errs, r.s.closeTemp(), r.s.remove())
	if err != nil {
		r.s.dir.RemoveMade()
	}
	return errors.Join(errs...)
}

// place is where new files are made: [NewFiles] has fresh, [InPlace] has placed.
// An applier calls obstacles and resume, then begin and
// complete for each file, with keep between segments, then decide, commit, and end
// whatever happened.
type place interface {
	// obstacles finds what is in the way before anything is written.
	obstacles() error
	// resume returns what an earlier call reached, and the output of the file that it
	// was at; nil: there is nothing to go on with.
	resume() (reached, program.Output, error)
	// begin returns the output for a new file.
	begin(ctx context.Context, f delta.File) (program.Output, error)
	// complete takes note that the file at hand has the hash that it should have.
	complete(f delta.File, sum delta.Sum) error
	// keep makes what was reached last, so that a later call can resume.
	keep(segment, file int) error
	// decide finds out what has to be written, once all files are complete.
	decide(ctx context.Context) error
	// bill adds that up.
	bill() Bill
	// commit gives all files their names, or none of them.
	commit(ctx context.Context) error
	// end closes what is open. After an error it removes what was made, but for what
	// an interrupted call is resumed with.
	end(ctx context.Context, err error) error
}

// newPlace returns that of a mode.
func newPlace(s *staging, m *program.Machine, o *ApplyOptions) place {
	if o.Mode == NewFiles {
		return &fresh{s: s, m: m}
	}
	p := newPlaced(s, m, o)
	if !o.DryRun {
		p.spool.Limit = journalMemory
	}
	return p
}
