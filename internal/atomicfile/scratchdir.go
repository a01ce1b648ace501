package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// scratchLock is the file in a ScratchDir that its process has locked.
const scratchLock = ".lock"

// ScratchDir is a folder, among the system's temporary files, for what others write
// by name. It is locked until it is closed: what a killed process left is removed by
// the next one that makes a folder of the same kind.
type ScratchDir struct {
	path string
	lock *os.File
}

// NewScratchDir makes one, which the caller closes. kind is part of its name.
func NewScratchDir(kind string) (*ScratchDir, error) {
	stem := Prefix + kind + "-"
	sweepScratch(stem)
	for range 100 {
		dir, err := os.MkdirTemp("", stem+"*")
		if err != nil {
			return nil, err
		}
		name := filepath.Join(dir, scratchLock)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // a sweep took it for a leftover
		case err != nil:
			return nil, errors.Join(err, os.Remove(dir))
		}
		if hold(f) { // a sweep may have removed it before that, and no sweep does after it
			if _, err := os.Stat(name); err == nil {
				return &ScratchDir{dir, f}, nil
			}
		}
		_ = f.Close()
	}
	return nil, fmt.Errorf("folder %s* in %s: it is removed all the time: %w", stem, os.TempDir(), fs.ErrExist)
}

// Path is the path of the folder.
func (d *ScratchDir) Path() string { return d.path }

// Close removes the folder with all that is in it.
func (d *ScratchDir) Close() error {
	return errors.Join(d.lock.Close(), removeScratch(d.path))
}

// removeScratch removes a folder, its lock after all else: if this is killed, the lock shows
// the next one that nobody uses the folder.
func removeScratch(dir string) error {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		if e.Name() != scratchLock {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// sweepScratch removes folders of dead processes. What cannot be removed stays,
// since that is no reason not to go on.
func sweepScratch(stem string) {
	all, err := os.ReadDir(os.TempDir())
	if err != nil {
		return
	}
	for _, e := range all {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), stem) {
			continue
		}
		dir := filepath.Join(os.TempDir(), e.Name())
		err := unused(filepath.Join(dir, scratchLock), func() error { return removeScratch(dir) })
		if errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(dir) // killed before it had a lock: it is empty
		}
	}
}

// Scratch is a file for what does not fit into memory. It has no name, where the
// system allows that, so that nothing of it is left whenever the process ends.
type Scratch struct {
	*os.File
	named bool
}

// NewScratch makes one in a folder, "" being the system's for temporary files. The
// caller closes it.
func NewScratch(dir string) (*Scratch, error) {
	f, err := os.CreateTemp(dir, Prefix+"scratch-*")
	if err != nil {
		return nil, err
	}
	return &Scratch{File: f, named: os.Remove(f.Name()) != nil}, nil
}

// Close closes the file, which is gone then.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if s.named && !errors.Is(err, os.ErrClosed) {
		err = errors.Join(err, os.Remove(s.Name()))
	}
	return err
}
