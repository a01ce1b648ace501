package patch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
)

// Candidate is a file that may be one of the old ones, or a new one already.
type Candidate struct {
	Name string // for messages
	Size int64
	io.ReaderAt
}

// Find returns, for each old file of the patch, which of the candidates it is:
// the one with its size and hash, whatever its name. What is not there is
// ErrWrongOld, which tells what a candidate of that name is instead.
func (h *Header) Find(ctx context.Context, files []Candidate) ([]int, error) {
	sums := make(map[int]Sum)
	sum := func(i int) (Sum, error) {
		if s, ok := sums[i]; ok {
			return s, nil
		}
		s, err := sumOf(ctx, files[i], files[i].Size)
		sums[i] = s
		return s, err
	}
	found := make([]int, len(h.Old))
	for i, want := range h.Old {
		found[i] = -1
		for k, c := range files {
			if c.Size != want.Size {
				continue
			}
			s, err := sum(k)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			if s == want.Sum {
				found[i] = k
				break
			}
		}
		if found[i] < 0 {
			return nil, h.absent(ctx, want, files, sum)
		}
	}
	return found, nil
}

// absent tells what there is instead of an old file.
func (h *Header) absent(ctx context.Context, want File, files []Candidate, sum func(int) (Sum, error)) error {
	short := func(s Sum) string { return fmt.Sprintf("%x", s[:8]) }
	for k, c := range files {
		if path.Base(c.Name) != path.Base(want.Name) && len(files) > 1 {
			continue
		}
		s, err := sum(k)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		for _, n := range h.New {
			if n.Sum == s {
				return fmt.Errorf("%s: %w: it is the new %s", c.Name, ErrApplied, n.Name)
			}
		}
		return fmt.Errorf("%s: %w: it is %s of %d bytes, and the patch needs %s of %d bytes", c.Name, ErrWrongOld, short(s), c.Size, short(want.Sum), want.Size)
	}
	return fmt.Errorf("%w: %s, %s of %d bytes, is not there", ErrWrongOld, want.Name, short(want.Sum), want.Size)
}

// ErrApplied means that an old file is a new one already.
var ErrApplied = fmt.Errorf("%w: the patch was applied before", ErrWrongOld)

// Apply makes the new files in a folder. old are the old files, in the order of
// the header, which [Header.Find] has found to be the right ones. A new file has
// a temporary name until its hash is right and it is on the disk; an older file
// of its name is replaced then. On any error, and when ctx is done, no file of
// this call is left but those that are complete.
func Apply(ctx context.Context, r *Reader, old []io.ReaderAt, dir *os.Root) error {
	m := &machine{h: r.Header, old: &oldFiles{files: old}}
	for _, f := range r.Old {
		m.old.names = append(m.old.names, f.Name)
	}
	a := &applier{machine: m, dir: dir, file: -1}
	err := a.run(ctx, r)
	return errors.Join(err, a.close(err == nil))
}

// applier makes one new file after the other, each under a temporary name.
type applier struct {
	*machine
	dir  *os.Root
	file int // at hand
	temp *os.File
	done []string // temporary names of complete files, which may get theirs
}

func (a *applier) run(ctx context.Context, r *Reader) error {
	for {
		stream, file, err := r.segment()
		if err != nil && err != io.EOF {
			return err
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
			return nil
		}
		if err := a.machine.run(ctx, stream); err != nil {
			return fmt.Errorf("%s: %w", r.New[file].Name, err)
		}
	}
}

// next completes the file at hand and begins the one after it.
func (a *applier) next(ctx context.Context) error {
	if a.temp != nil {
		if err := a.complete(ctx); err != nil {
			return fmt.Errorf("%s: %w", a.h.New[a.file].Name, err)
		}
	}
	a.file++
	if a.file == len(a.h.New) {
		return nil
	}
	f := a.h.New[a.file]
	if d := path.Dir(f.Name); d != "." {
		if err := a.dir.MkdirAll(d, 0o777); err != nil {
			return err
		}
	}
	temp, err := a.dir.OpenFile(a.tempName(f.Name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	a.temp = temp
	a.begin(temp, f.Size, 0, nil)
	return nil
}

// tempName is beside the file, and tells which patch made it.
func (a *applier) tempName(name string) string {
	dir, base := path.Split(name)
	return dir + ".pakdb-" + base + fmt.Sprintf("-%x", a.h.root[:6])
}

// complete checks the file at hand and syncs it.
func (a *applier) complete(ctx context.Context) error {
	f := a.h.New[a.file]
	if a.pos != f.Size {
		return fmt.Errorf("%w: %d bytes, %d wanted", ErrResult, a.pos, f.Size)
	}
	sum, err := sumOf(ctx, a.temp, f.Size)
	if err != nil {
		return err
	}
	if sum != f.Sum {
		return fmt.Errorf("%w: it would have another hash", ErrResult)
	}
	if err := errors.Join(a.temp.Sync(), a.temp.Close()); err != nil {
		return err
	}
	a.temp = nil
	a.done = append(a.done, f.Name)
	return nil
}

// close gives the complete files their names if all are complete, and removes
// them otherwise.
func (a *applier) close(ok bool) error {
	var errs []error
	if a.temp != nil {
		_ = a.temp.Close()
		errs = append(errs, a.dir.Remove(a.tempName(a.h.New[a.file].Name)))
	}
	dirs := map[string]bool{}
	for _, name := range a.done {
		if !ok {
			errs = append(errs, a.dir.Remove(a.tempName(name)))
			continue
		}
		errs = append(errs, a.dir.Rename(a.tempName(name), name))
		dirs[path.Dir(name)] = true
	}
	for d := range dirs {
		errs = append(errs, syncDir(a.dir, d))
	}
	return errors.Join(errs...)
}

// syncDir makes renames last. Windows has no such call for folders, and needs
// none.
func syncDir(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
