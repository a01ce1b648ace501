package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
	"pakdb/internal/safename"
)

// staging is new files under temporary names, in the folder that they are for.
type staging struct {
	dir     *atomicfile.Dir
	h       *delta.Header
	sums    []delta.Sum      // of the files that are complete, under a temporary name or not
	done    []string         // complete files that may get their names
	temp    *atomicfile.File // at hand; nil: none
	name    string           // that it will have
	release func() error     // closes the old files, once they are not read any more
	removes []action         // of old files that no new one takes the place of
	blocked []string         // removed files in whose place NEW has a folder
	modes   *bool            // whether new files are made executable, or not; nil: not known yet
}

// begin makes an empty file the one at hand.
func (s *staging) begin(name string) (*atomicfile.File, error) {
	f, err := s.create(name)
	if err != nil {
		return nil, err
	}
	s.temp, s.name = f, name
	return f, nil
}

func (s *staging) create(name string) (*atomicfile.File, error) {
	temp := s.tempName(name)
	if d := path.Dir(temp); d != "." {
		if err := s.dir.MkdirAll(d); err != nil {
			return nil, err
		}
	}
	return s.dir.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// tempName is beside the file, or beside an old file where its folder will be. It says
// which patch made it.
func (s *staging) tempName(name string) string {
	mark := fmt.Sprintf("%x", s.h.RootHash[:6])
	for _, old := range s.blocked {
		if strings.HasPrefix(name, old+"/") {
			sum := delta.SumOfBytes([]byte(name))
			return atomicfile.TempName(old, fmt.Sprintf("%x-%s", sum[:6], mark))
		}
	}
	return atomicfile.TempName(name, mark)
}

// finish puts the file at hand on the disk.
func (s *staging) finish() error {
	if err := errors.Join(s.temp.Sync(), s.temp.Close()); err != nil {
		return err
	}
	s.temp = nil
	s.done = append(s.done, s.name)
	return nil
}

// check compares what was made with what was wanted. Nothing has its name
// before.
func (s *staging) check() error {
	if !s.h.AreNew(s.sums) {
		return fmt.Errorf("%w: one of the %d new files would have another hash", delta.ErrResult, len(s.h.New))
	}
	return nil
}

// closeOld closes what new files may replace: some systems want that.
func (s *staging) closeOld() error {
	if s.release == nil {
		return nil
	}
	return s.release()
}

// closeTemp closes the file at hand, if there is one.
func (s *staging) closeTemp() error {
	if s.temp == nil {
		return nil
	}
	return s.temp.Close()
}

// remove removes the files that have temporary names, and how far an earlier call got.
func (s *staging) remove() error {
	if s.temp != nil {
		s.done = append(s.done, s.name)
	}
	var errs []error
	for _, name := range s.done {
		errs = append(errs, s.dir.Remove(s.tempName(name)))
	}
	return errors.Join(append(errs, s.removeProgress())...)
}

func (s *staging) progressName() string {
	return fmt.Sprintf("%s%x.progress", atomicfile.Prefix, s.h.RootHash[:6])
}

func (s *staging) removeProgress() error { return s.dir.Remove(s.progressName()) }

// creations are the actions by which complete files get their names.
func (s *staging) creations() (list []action) {
	done := make(map[string]bool, len(s.done))
	for _, name := range s.done {
		done[name] = true
	}
	for i, f := range s.h.New {
		if done[f.Name] {
			f.Sum, f.Unknown = s.sums[i], 0
			list = append(list, action{kind: actCreate, name: f.Name, temp: s.tempName(f.Name), after: f})
		}
	}
	return list
}

// actions are what becomes of files that are not changed where they are: what goes makes
// room for what comes.
func (s *staging) actions() []action { return slices.Concat(s.removes, s.creations()) }

// changed counts the folders of files as changed, also where an earlier call made
// the files: the system may have been about to sync them.
func (s *staging) changed(names []string) {
	for _, name := range names {
		s.dir.Changed(path.Dir(name))
	}
}

// keepModes gives complete files the permissions of those whose places they will take, and
// makes those executable that are.
func (s *staging) keepModes() error {
	for _, a := range s.creations() {
		if err := s.dir.KeepMode(a.temp, a.name); err != nil {
			return err
		}
		if !s.hasModes() {
			continue
		}
		if err := s.dir.SetExec(a.temp, a.after.Exec); err != nil {
			return err
		}
	}
	return nil
}

// hasModes reports that the patch says which files are executable, and that the folder
// keeps it.
func (s *staging) hasModes() bool {
	if s.modes == nil {
		has := s.h.Modes && HasModes(s.dir.Root())
		s.modes = &has
	}
	return *s.modes
}

// copy makes a complete file of one that is there, for the links that it has.
func (s *staging) copy(ctx context.Context, name string) error {
	from, err := s.dir.OpenRegular(name)
	if err != nil {
		return err
	}
	to, err := s.begin(name)
	if err == nil {
		_, err = io.Copy(to, codecs.ContextReader(ctx, from))
	}
	if err == nil {
		err = s.finish()
	}
	return errors.Join(err, from.Close())
}

// obstacles finds what is in the way of an update and will not be removed, before anything
// is written: files where folders of new files will be, folders with other files where new
// files will be, symbolic links to folders, pipes; and, with there, files that may not be
// changed where they are.
func (s *staging) obstacles(there bool) error {
	gone := map[string]bool{}
	for _, a := range s.removes {
		gone[a.name] = true
	}
	seen := map[string]bool{}
	for _, f := range s.h.New {
		if err := s.folders(path.Dir(f.Name), f.Name, gone, seen); err != nil {
			return err
		}
		st, err := s.dir.Lstat(f.Name)
		switch {
		case atomicfile.IsAbsent(err):
			continue
		case err != nil:
			return err
		case st.IsDir():
			err = s.onlyGone(f.Name, gone)
		case st.Mode().Type()&^fs.ModeSymlink != 0:
			err = inTheWay(f.Name, "a pipe or a device", f.Name, regular.ErrNotRegular)
		case there && st.Mode().IsRegular():
			err = s.mayWrite(f.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inTheWay is the error for what somebody has to move first.
func inTheWay(name, what, file string, class error) error {
	if name == file {
		return fmt.Errorf("%s is %s, and the patch makes a file of that name: move it elsewhere: %w", delta.Printable(name), what, class)
	}
	return fmt.Errorf("%s is %s, and in the way of %s, which the patch makes: move it elsewhere: %w", delta.Printable(name), what, delta.Printable(file), class)
}

// folders checks the folders of a new file.
func (s *staging) folders(dir, file string, gone, seen map[string]bool) error {
	if dir == "." || seen[dir] {
		return nil
	}
	seen[dir] = true
	if err := s.folders(path.Dir(dir), file, gone, seen); err != nil {
		return err
	}
	st, err := s.dir.Lstat(dir)
	switch {
	case atomicfile.IsAbsent(err):
		return nil
	case err != nil || st.IsDir():
		return err
	case gone[dir]:
		s.blocked = append(s.blocked, dir)
		return nil
	case st.Mode()&fs.ModeSymlink != 0:
		return inTheWay(dir, "a symbolic link", file, fs.ErrExist)
	}
	return inTheWay(dir, "a file that stays", file, fs.ErrExist)
}

// onlyGone requires that a folder has no files but those that go.
func (s *staging) onlyGone(dir string, gone map[string]bool) error {
	return fs.WalkDir(s.dir.Root().FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !gone[name] {
			err = inTheWay(name, "a file that stays", dir, fs.ErrExist)
		}
		return err
	})
}

// mayWrite requires that a file may be changed where it is.
func (s *staging) mayWrite(name string) error {
	file, err := s.dir.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("%s is to be changed where it is: %w", delta.Printable(name), err)
	}
	return file.Close()
}

// lstat describes a file that no symbolic link leads to.
func lstat(dir *atomicfile.Dir, name string) (fs.FileInfo, error) {
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		if st, err := dir.Lstat(up); err != nil || !st.IsDir() {
			return nil, &fs.PathError{Op: "lstat", Path: filepath.FromSlash(name), Err: fs.ErrNotExist}
		}
	}
	return dir.Lstat(name)
}

// leftovers finds which old files lie in the folder under names that no new file has. An
// update removes those that are as they were; what somebody changed stays.
func (p *Plan) leftovers(ctx context.Context) error {
	p.Removed, p.Changed, p.Kept = nil, nil, nil
	if p.dir == nil {
		return nil
	}
	for _, i := range p.Header.Removed() {
		f := &p.Header.Old[i]
		if safename.Check(f.Name) != nil || delta.IsOwn(f.Name) {
			continue // no folder has it
		}
		st, err := lstat(p.dir, f.Name)
		if atomicfile.IsAbsent(err) || err == nil && (st.IsDir() || p.isNew(f.Name, st)) {
			continue
		}
		same := false
		if err == nil && st.Mode().IsRegular() && st.Size() == f.Size {
			same, err = p.isOld(ctx, i, st)
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", f.Name, err)
		case !same:
			p.Changed = append(p.Changed, f.Name)
		case p.o.Keep:
			p.Kept = append(p.Kept, f.Name)
		default:
			p.Removed = append(p.Removed, f.Name)
		}
	}
	return nil
}

// isNew reports that a file is a new one as well, on a system on which names in capitals
// and others are the same.
func (p *Plan) isNew(name string, st os.FileInfo) bool {
	if p.folded == nil {
		p.folded = map[string]string{}
		for _, f := range p.Header.New {
			p.folded[safename.Fold(f.Name)] = f.Name
		}
	}
	other, ok := p.folded[safename.Fold(name)]
	if !ok {
		return false
	}
	there, err := p.dir.Lstat(other)
	return err == nil && os.SameFile(st, there)
}

// isOld reports that a file of the folder is old file i. If that is where it was found, it
// was hashed then.
func (p *Plan) isOld(ctx context.Context, i int, st os.FileInfo) (bool, error) {
	if i < len(p.found) {
		if found, err := p.old.Open[p.found[i]].Stat(); err == nil && os.SameFile(st, found) {
			return true, nil
		}
	}
	f, err := p.dir.OpenRegular(p.Header.Old[i].Name)
	if err != nil {
		return false, err
	}
	same, err := isFile(ctx, f, p.Header.Old[i])
	return same, errors.Join(err, f.Close())
}

// removes are the actions by which old files go.
func (p *Plan) removes() (list []action) {
	removed := map[string]bool{}
	for _, name := range p.Removed {
		removed[name] = true
	}
	for _, i := range p.Header.Removed() {
		if f := p.Header.Old[i]; removed[f.Name] {
			list = append(list, action{kind: actRemove, name: f.Name, before: f})
		}
	}
	return list
}

// tidy completes a folder that has all new files already: it removes old ones, and makes
// files executable, or not.
func (p *Plan) tidy(ctx context.Context) (err error) {
	s := &staging{dir: p.dir, h: p.Header, sums: p.sums, removes: p.removes()}
	defer func() { err = errors.Join(err, s.closeTemp(), s.remove()) }()
	if err := p.closeOld(); err != nil {
		return err
	}
	var changes []action
	for i, f := range p.Header.New {
		f.Sum, f.Unknown = p.sums[i], 0
		st, err := p.dir.Lstat(f.Name)
		if err != nil {
			return err
		}
		if !s.hasModes() || atomicfile.IsExec(st.Mode()) == f.Exec {
			continue
		}
		shared, err := s.hasLinks(f.Name)
		if err == nil && shared {
			err = s.copy(ctx, f.Name)
		}
		if err != nil {
			return err
		}
		if !shared {
			changes = append(changes, action{kind: actChange, name: f.Name, before: f, after: f, exec: execOf(f)})
		}
	}
	if err := s.keepModes(); err != nil {
		return err
	}
	list := append(s.actions(), changes...)
	if len(list) == 0 {
		return nil
	}
	err = goLive(ctx, p.dir, list)
	if IsInterrupted(p.dir.Name()) {
		s.done = nil // the journal needs them
	}
	return err
}

// hasLinks reports whether a file has more than one name.
func (s *staging) hasLinks(name string) (bool, error) {
	f, err := s.dir.OpenRegular(name)
	if err != nil {
		return false, err
	}
	shared, err := atomicfile.HasLinks(f)
	return shared, errors.Join(err, f.Close())
}
