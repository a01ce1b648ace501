package patch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Plan is a patch and the files that it was found to fit.
type Plan struct {
	*Header
	Found     []string // path of each old file
	Recovered bool     // an update in place that was interrupted has been finished
	Applied   bool     // all new files are there already
	Write     int64    // bytes that applying will write
	Free      int64    // bytes that the folder's disk has, -1 when unknown

	r     *Reader
	patch *os.File
	old   *Files
	files []io.ReaderAt
	path  string   // of the folder
	dir   *os.Root // nil: it is not there yet
}

// NewPlan reads the header of a patch, looks for its old files among the files
// and below the folders of old, and for the new ones in dir. It reads the old files as a whole, to be sure. The caller closes
// the plan, also when it is not applied.
func NewPlan(ctx context.Context, file string, old []string, dir string) (p *Plan, err error) {
	p = &Plan{Free: -1, path: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
			p = nil
		}
	}()
	if p.patch, err = os.Open(file); err != nil {
		return p, err
	}
	if p.r, err = NewReader(bufio.NewReaderSize(p.patch, 256<<10)); err != nil {
		return p, named(file, err)
	}
	p.Header = p.r.Header
	if p.dir, err = os.OpenRoot(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if p.dir != nil {
		if p.Recovered, err = Recover(ctx, p.dir); err != nil {
			return p, err
		}
	}
	if p.old, err = OpenFiles(old); err != nil {
		return p, err
	}
	p.Free = freeSpace(existing(dir))
	for _, f := range p.New {
		p.Write += f.Size
	}
	watcher(ctx).begin(stepChecking, sizeOfFiles(p.Old))
	if p.Applied, err = p.isApplied(ctx); err != nil || p.Applied {
		return p, err
	}
	return p, p.find(ctx)
}

func named(file string, err error) error { return &os.PathError{Op: "read", Path: file, Err: err} }

// isApplied reports whether all new files are in the folder.
func (p *Plan) isApplied(ctx context.Context) (bool, error) {
	if p.dir == nil {
		return false, nil
	}
	for _, f := range p.New {
		file, err := p.dir.Open(f.Name)
		if err != nil {
			return false, nil
		}
		st, err := file.Stat()
		if err != nil || st.Size() != f.Size || !st.Mode().IsRegular() {
			return false, file.Close()
		}
		sum, err := sumOf(ctx, file, f.Size)
		if err := errors.Join(err, file.Close()); err != nil {
			return false, err
		}
		if sum != f.Sum {
			return false, nil
		}
	}
	return true, nil
}

func (p *Plan) find(ctx context.Context) error {
	candidates := make([]Candidate, len(p.old.Inputs))
	for i, in := range p.old.Inputs {
		candidates[i] = Candidate{Name: in.Name, Size: in.Size, ReaderAt: in.ReaderAt}
	}
	found, err := p.Header.Find(ctx, candidates)
	for _, i := range found {
		if i >= 0 {
			p.Found = append(p.Found, p.old.Path(i))
			p.files = append(p.files, candidates[i])
		}
	}
	return err
}

// Apply does what was planned. A plan is applied once.
func (p *Plan) Apply(ctx context.Context, o *ApplyOptions) error {
	if p.Applied {
		return nil
	}
	if p.Free >= 0 && p.Free < p.Write {
		return &SpaceError{Need: p.Write, Free: p.Free}
	}
	if err := p.makeDir(); err != nil {
		return err
	}
	return Apply(ctx, p.r, p.files, p.dir, o)
}

func (p *Plan) makeDir() (err error) {
	if p.dir == nil {
		if err = os.MkdirAll(p.path, 0o777); err == nil {
			p.dir, err = os.OpenRoot(p.path)
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
	if p.patch != nil {
		errs = append(errs, p.patch.Close())
	}
	if p.old != nil {
		errs = append(errs, p.old.Close())
	}
	if p.dir != nil {
		errs = append(errs, p.dir.Close())
	}
	return errors.Join(errs...)
}
