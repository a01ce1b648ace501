package atomicfile

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// maxBase is how much of a file's name goes into that of its temporary file:
// with the rest that stays below the 255 bytes that file systems allow.
const maxBase = 200

// TempName is the name that a file has until it is complete: beside the place
// where it will be. mark distinguishes it from others for the same place.
func TempName(name, mark string) string {
	dir, base := path.Split(name)
	return dir + tempStem(base) + mark
}

func tempStem(base string) string {
	if len(base) > maxBase {
		base = strings.ToValidUTF8(base[:maxBase], "")
	}
	return Prefix + base + "-"
}

// Temp is a file under a temporary name, until Place or Commit gives it its own.
// It is locked until then, so that Sweep leaves it alone; on Windows only while it is open.
type Temp struct {
	*File
	dir        *Dir
	own        bool // dir is closed with the file
	temp, name string
	closed     bool
	lock       io.Closer // keeps it locked after Close; nil: nothing does
	done       bool      // it has its name, or was removed
}

// Create begins a file that is to be at path. Leftovers of killed processes that
// were writing the same file are removed. perm is less the user's umask.
func Create(ctx context.Context, file string, perm fs.FileMode) (*Temp, error) {
	base := filepath.Base(file)
	d, err := Open(ctx, filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	d.Sweep(".", base)
	t, err := d.Create(base, perm)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	t.own = true
	return t, nil
}

// Replace gives a file of the folder other bytes, unless it has them already: whenever it is
// stopped, the file has either.
func (d *Dir) Replace(name string, b []byte) error {
	if old, err := d.ReadFile(name); err == nil && bytes.Equal(old, b) {
		return nil
	}
	f, err := d.Create(name, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Place()
	}
	return errors.Join(err, f.Discard())
}

// Create begins a file that is to have a name in the folder. It removes no
// leftovers.
func (d *Dir) Create(name string, perm fs.FileMode) (*Temp, error) {
	for range 100 {
		temp := TempName(name, rand.Text())
		f, err := d.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err != nil {
			return nil, err
		}
		f.named = d.Path(name)
		if hold(f.File) && d.hasFile(temp, f.File) {
			return &Temp{File: f, dir: d, temp: temp, name: name}, nil
		}
		_ = f.Close() // a sweep took it for a leftover
	}
	return nil, &fs.PathError{Op: string(OpCreate), Path: d.Path(name), Err: fmt.Errorf("its temporary file is removed all the time: %w", fs.ErrExist)}
}

// hasFile reports whether a name is still that of an open file.
func (d *Dir) hasFile(name string, f *os.File) bool {
	there, err := d.root.Lstat(name)
	if err != nil {
		return false
	}
	st, err := f.Stat()
	return err == nil && os.SameFile(there, st)
}

// TempPath is the path that the file has now.
func (t *Temp) TempPath() string { return t.dir.Path(t.temp) }

// Close closes the file, and keeps it under its temporary name.
func (t *Temp) Close() error {
	if t.closed {
		return nil
	}
	t.closed = true
	t.lock = keep(t.File.File)
	return t.File.Close()
}

// unlock lets others have the file, which was closed.
func (t *Temp) unlock() {
	if t.lock != nil {
		_ = t.lock.Close() // nothing was written by it
		t.lock = nil
	}
}

// As changes the name that the file will have, in the same folder.
func (t *Temp) As(name string) { t.name, t.named = name, t.dir.Path(name) }

// SetTime sets when the file was changed, once nothing more is written to it.
func (t *Temp) SetTime(mod time.Time) error { return t.dir.Chtimes(t.temp, mod) }

// Place gives the file its name, in place of what has it, and syncs nothing.
func (t *Temp) Place() error {
	if err := t.Close(); err != nil {
		return err
	}
	if err := t.dir.Rename(t.temp, t.name); err != nil {
		return err
	}
	t.done = true
	t.unlock()
	return nil
}

// Commit syncs the file, gives it its name, and syncs the folder. After an error
// the caller still calls Discard.
func (t *Temp) Commit() error {
	if err := t.Sync(); err != nil {
		return err
	}
	if err := t.Place(); err != nil {
		return err
	}
	return errors.Join(t.dir.Sync(), t.release())
}

// Discard removes the file, unless it has its name. More than once does no harm,
// so that it may be deferred.
func (t *Temp) Discard() error {
	var err error
	if !t.done {
		t.done = true
		err = errors.Join(t.Close(), t.dir.Remove(t.temp))
		t.unlock()
	}
	return errors.Join(err, t.release())
}

func (t *Temp) release() error {
	if !t.own {
		return nil
	}
	t.own = false
	return t.dir.Close()
}

// Sweep removes what killed processes left of a file in a folder, as far as
// nobody is writing to it; base is the file's name, or "" for that of any. What
// cannot be removed stays, since that is no reason not to go on.
func (d *Dir) Sweep(folder, base string) {
	f, err := d.Open(folder)
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(-1)
	_ = f.Close()
	for _, name := range names {
		at := len(name) - len(rand.Text())
		if at > 0 && isMark(name[at:]) && strings.HasPrefix(name, Prefix) && (base == "" || name[:at] == tempStem(base)) {
			_ = d.sweep(path.Join(folder, name))
		}
	}
}

// isMark reports whether text may be one of rand.Text.
func isMark(text string) bool {
	return strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// sweep removes a file that nobody is writing to.
func (d *Dir) sweep(name string) error {
	if st, err := d.root.Lstat(name); err != nil || !st.Mode().IsRegular() {
		return err
	}
	return unused(d.Path(name), func() error { return d.Remove(name) })
}
