package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/internal/atomicfile"
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

// tempName is beside the file, or beside an old file where its folder will be. It tells
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
