package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/stored"
)

// replaced is a new file where an older one is: what it will be, and what has to be
// written for it.
type replaced struct {
	pkdelta.File
	out    *program.Virtual // as the patch makes it
	f      *os.File         // what is there; nil: nothing is, and this is a dry run
	base   *program.Part    // f, among what out consists of
	before pkdelta.File
	runs   []program.Run // of out, that are not in f in their places
	grown  *growth       // what is appended; nil: f is changed, or replaced
	whole  bool          // a new file is written
	note   string
}

func (p *replaced) close() error {
	var errs []error
	if p.f != nil {
		errs = append(errs, p.f.Close())
	}
	if p.grown != nil {
		errs = append(errs, p.grown.result.Spool.Close())
	}
	return errors.Join(errs...)
}

// beginPlaced begins a file that is there in an older version.
func (a *applier) beginPlaced(ctx context.Context, f pkdelta.File) (bool, error) {
	p := &replaced{File: f, out: &program.Virtual{Spool: a.spool}}
	var err error
	if p.f, err = a.dir.Open(f.Name); errors.Is(err, fs.ErrNotExist) {
		p.f, err = nil, nil
	}
	if err != nil || p.f == nil && !a.o.DryRun {
		return false, err
	}
	a.place, a.placed = p, append(a.placed, p)
	a.Begin(a.file, p.out, f.Size, 0, nil, a.Copies)
	if p.f == nil {
		return true, nil
	}
	st, err := p.f.Stat()
	if err != nil {
		return false, err
	}
	if !st.Mode().IsRegular() {
		return false, fmt.Errorf("%s: %w", f.Name, inside.ErrNotRegular)
	}
	p.before.Size = st.Size()
	p.base, p.before.Sum, err = a.baseOf(ctx, p.f, st)
	return true, err
}

// baseOf finds a file of the folder among the old ones, itself or a copy, and
// returns its hash if that is known or will be needed.
func (a *applier) baseOf(ctx context.Context, f *os.File, st fs.FileInfo) (*program.Part, pkdelta.Sum, error) {
	base, known := &program.Part{ReaderAt: f, File: f}, pkdelta.Sum{}
	for i, src := range a.Old.Files {
		own, exact := src.(*program.Part)
		if v, ok := src.(*program.Virtual); ok {
			own = v.Base
		}
		if own == nil || own.File == nil {
			continue
		}
		if there, err := own.File.Stat(); err == nil && os.SameFile(st, there) {
			base = own
			if exact && a.H.Old[i].Unknown == 0 {
				known = a.H.Old[i].Sum
			}
		}
	}
	if known != (pkdelta.Sum{}) || base.File != f && a.o.Undo == "" {
		return base, known, nil
	}
	known, err := pkdelta.SumOf(ctx, f, st.Size())
	for i, src := range a.Old.Files {
		if own, ok := src.(*program.Part); ok && base.File == f && a.H.Old[i].Is(known) && st.Size() == a.H.Old[i].Size {
			base = own // a copy of it
		}
	}
	return base, known, err
}

// decide finds out what has to be written for a file.
func (a *applier) decide(ctx context.Context, p *replaced) error {
	if p.f == nil {
		p.whole = true
		return nil
	}
	if a.o.Mode == Append {
		var err error
		p.grown, err = a.grow(ctx, p)
		var no *notAppended
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &no):
			return err
		}
		p.note = fmt.Sprintf("not appended to: %s: %v", pkdelta.Printable(p.Name), no.why)
		if a.o.Undo == "" {
			p.whole = true
			return nil
		}
		if p.before.Sum, err = pkdelta.SumOf(ctx, p.f, p.before.Size); err != nil {
			return err
		}
	}
	return p.compare(ctx)
}

// grain is how many equal bytes are left out of a journal at least.
const grain = 4 << 10

// compare finds the runs that differ from what is there.
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
func (a *applier) actions(ctx context.Context, journal *program.Spool) (list []action, err error) {
	for _, p := range a.placed {
		if p.whole {
			if err := a.writeWhole(ctx, p); err != nil {
				return nil, err
			}
		}
	}
	list = a.creations()
	for _, p := range a.placed {
		act := action{kind: actChange, name: p.Name, before: p.before, after: p.File}
		switch {
		case p.whole:
			continue
		case p.grown != nil:
			if act, err = p.grown.action(p, journal); err != nil {
				return nil, err
			}
		default:
			for _, r := range p.runs {
				at, err := a.journaled(ctx, r, journal)
				if err != nil {
					return nil, err
				}
				act.pieces = append(act.pieces, piece{r.At, r.N, at})
			}
		}
		list = append(list, act)
	}
	return list, nil
}

// journaled returns where in a journal the bytes of a run stand. It puts there
// what is not.
func (a *applier) journaled(ctx context.Context, r program.Run, journal *program.Spool) (int64, error) {
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

// writeWhole writes a file under its temporary name.
func (a *applier) writeWhole(ctx context.Context, p *replaced) error {
	f, err := a.createTemp(p.Name)
	if err != nil {
		return err
	}
	a.done = append(a.done, p.Name)
	if err = writeRuns(ctx, f, p.out, 0, p.Size); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// writeRuns writes the bytes from..to of a virtual file to their places.
func writeRuns(ctx context.Context, f io.WriterAt, v *program.Virtual, from, to int64) error {
	buf := make([]byte, min(to-from, 1<<20))
	for from < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(to-from, int64(len(buf)))]
		if err := stored.ReadAt(v, p, from); err != nil {
			return err
		}
		if _, err := f.WriteAt(p, from); err != nil {
			return err
		}
		from += int64(len(p))
	}
	return nil
}

// commitPlaced completes the journal and does what it says.
func (a *applier) commitPlaced(ctx context.Context) error {
	if err := a.stage(ctx); err != nil {
		_, rerr := recoverIn(context.WithoutCancel(ctx), a.dir) // takes back what was appended
		return errors.Join(err, a.dir.Remove(journalUndo), rerr)
	}
	a.done, a.journal = nil, false // the journal needs them
	err := a.dir.Sync()
	_, rerr := recoverIn(context.WithoutCancel(ctx), a.dir)
	return errors.Join(err, rerr)
}

// stage writes everything but what the journal will: with that under its
// name, as the last thing, the update has happened.
func (a *applier) stage(ctx context.Context) error {
	journal := a.journalSpool()
	list, err := a.actions(ctx, journal)
	if err != nil {
		return err
	}
	if a.o.Undo != "" {
		undo, err := writeUndo(a.dir, list)
		if err != nil {
			return err
		}
		// It gets its name by the journal too: an older one, of the version that is
		// there now, stays as long as that does.
		list = append(list, action{kind: actCreate, name: path.Clean(a.o.Undo), temp: journalUndo, after: undo})
	}
	if err := a.keepModes(); err != nil {
		return err
	}
	if err := a.append(ctx); err != nil {
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
	a.changed(a.done)
	if err := errors.Join(a.dir.Sync(), a.closeOld()); err != nil {
		return err
	}
	return a.dir.Rename(journalNew, journalName)
}

// journalSpool is the spool, if the journal needs what is in it.
func (a *applier) journalSpool() *program.Spool {
	for _, p := range a.placed {
		if len(p.runs) > 0 || a.spool.F != nil {
			return a.spool
		}
	}
	return program.NewSpool(journalMagic, a.spool.Create)
}
