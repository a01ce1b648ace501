package apply

import (
	"errors"
	"fmt"
	"os"
	"path"

	"pakdb/diff/pkdelta"
	"pakdb/internal/atomicfile"
)

// staging is new files under temporary names, in the folder that they are for.
type staging struct {
	dir     *atomicfile.Dir
	h       *pkdelta.Header
	sums    []pkdelta.Sum    // of the files that are complete, under a temporary name or not
	done    []string         // complete files that may get their names
	temp    *atomicfile.File // at hand; nil: none
	name    string           // that it will have
	release func() error     // closes the old files, once they are not read any more
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
	if d := path.Dir(name); d != "." {
		if err := s.dir.MkdirAll(d); err != nil {
			return nil, err
		}
	}
	return s.dir.OpenFile(s.tempName(name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// tempName is beside the file, and tells which patch made it.
func (s *staging) tempName(name string) string {
	return atomicfile.TempName(name, fmt.Sprintf("%x", s.h.RootHash[:6]))
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
		return fmt.Errorf("%w: one of the %d new files would have another hash", pkdelta.ErrResult, len(s.h.New))
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

func (s *staging) renameAll() error {
	for len(s.done) > 0 {
		if err := s.dir.Rename(s.tempName(s.done[0]), s.done[0]); err != nil {
			return err
		}
		s.done = s.done[1:]
	}
	return s.dir.Sync()
}

// changed counts the folders of files as changed, also where an earlier call made
// the files: the system may have been about to sync them.
func (s *staging) changed(names []string) {
	for _, name := range names {
		s.dir.Changed(path.Dir(name))
	}
}

func (s *staging) keepModes() error {
	for _, name := range s.done {
		if err := s.dir.KeepMode(s.tempName(name), name); err != nil {
			return err
		}
	}
	return nil
}
