package update

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/store"
	"pakdb/internal/process"
	"pakdb/internal/regular"
)

// placement puts files into place that were made, and removes what is gone. A crash
// in between leaves files of both builds, each of them whole; the next update
// completes it.
type placement struct {
	disk   *disk
	plan   *Plan
	build  *store.Build
	remove []string        // of the plan's, what is still there
	exec   map[string]bool // the build's files that are executable
	system System
	state  *overlayState // what the folder is to remember of an overlay; nil: there is none
}

// syncers is how many files are synced at a time: the system then writes what
// belongs to several at once.
const syncers = 16

// sync waits until what was made is on the disk.
func (p *placement) sync(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(syncers)
	for i := range p.plan.Files {
		g.Go(process.RescueFunc(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			file, err := p.disk.out.OpenFile(workOf(&p.plan.Files[i]), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return errors.Join(file.Sync(), file.Close())
		}))
	}
	return g.Wait()
}

// commit puts the files into place.
func (p *placement) commit() error {
	names := p.replaced()
	changes := map[string]bool{}
	for _, name := range names {
		changes[name] = true
	}
	// Some systems do not rename over open files.
	if err := p.disk.inputs.CloseOnly(func(name string) bool { return changes[name] }); err != nil {
		return err
	}
	if err := Free(p.system, p.disk.root, names); err != nil {
		return err
	}
	if err := p.moveAside(); err != nil {
		return err
	}
	if err := p.clear(); err != nil {
		return err
	}
	out := p.disk.out
	for i := range p.plan.Files {
		f := &p.plan.Files[i]
		if err := out.MkdirAll(path.Dir(f.Path)); err != nil {
			return err
		}
		if err := out.KeepMode(workOf(f), f.Path); err != nil {
			return err
		}
		if p.build.Modes && p.disk.hasModes() {
			if err := out.SetExec(workOf(f), p.exec[f.Path]); err != nil {
				return err
			}
		}
		if err := Insist(p.system, f.Path, func() error { return out.Rename(workOf(f), f.Path) }); err != nil {
			return err
		}
	}
	if err := p.placeOverlay(); err != nil {
		return err
	}
	for _, m := range p.plan.Modes {
		if err := out.SetExec(m.Path, m.Exec); err != nil {
			return err
		}
	}
	if err := p.noteEmptied(); err != nil {
		return err
	}
	for _, name := range p.remove {
		if p.isNew(name) && (p.plan.Overlay == nil || !slices.Contains(p.plan.Overlay.Replaces, name)) {
			continue
		}
		if err := Insist(p.system, name, func() error { return out.Remove(name) }); err != nil {
			return err
		}
	}
	return errors.Join(p.forgetOverlay(), out.Sync())
}

// placeOverlay gives the archive its name that was made over others. The folder remembers
// it before, so that whatever happens the next update knows it.
func (p *placement) placeOverlay() error {
	if p.state == nil || len(p.plan.Overlay.Made) == 0 {
		return nil
	}
	before, err := p.disk.overlayState()
	if err != nil {
		return err
	}
	both := *p.state
	both.Leaving = before.made()
	if err := p.disk.rememberOverlay(both); err != nil {
		return err
	}
	for _, m := range p.plan.Overlay.Made {
		if err := Insist(p.system, m.Path, func() error { return p.disk.out.Rename(path.Join(overlayDir, path.Base(m.Path)), m.Path) }); err != nil {
			return err
		}
	}
	return p.disk.out.Sync()
}

// forgetOverlay writes down which archive is mounted over others now.
func (p *placement) forgetOverlay() error {
	p.disk.out.Sweep(".", overlayName)
	switch {
	case p.state != nil && len(p.state.Archives) > 0:
		return p.disk.rememberOverlay(*p.state)
	case !p.disk.taken(overlayName):
		return nil
	}
	return p.disk.out.Remove(overlayName)
}

// moveAside moves what somebody changed out of the way of the game, over nothing else.
func (p *placement) moveAside() error {
	for _, a := range p.plan.Aside {
		if p.disk.taken(a.To) {
			return fmt.Errorf("%s: %w: it has come since the update was planned", a.To, ErrChanged)
		}
		if err := Insist(p.system, a.Path, func() error { return p.disk.out.Rename(a.Path, a.To) }); err != nil {
			return err
		}
	}
	return nil
}

// replaced are the files that are replaced, removed or moved.
func (p *placement) replaced() []string {
	names := slices.Clone(p.remove)
	for _, a := range p.plan.Aside {
		names = append(names, a.Path)
	}
	for i := range p.plan.Files {
		names = append(names, p.plan.Files[i].Path)
	}
	if p.plan.Overlay != nil {
		for _, m := range p.plan.Overlay.Made {
			names = append(names, m.Path)
		}
	}
	return names
}

// finish removes folders that are empty now, and the folder of work.
func (p *placement) finish() error {
	p.removeEmpty()
	if err := p.disk.out.RemoveAll(store.WorkDir); err != nil {
		return err
	}
	return p.disk.out.Sync()
}

// clear makes way for new files, by what will be removed anyhow and by empty
// folders.
func (p *placement) clear() error {
	paths := make([]string, len(p.plan.Files))
	for i := range p.plan.Files {
		paths[i] = p.plan.Files[i].Path
	}
	first := inTheWay(paths, p.remove)
	p.remove = slices.DeleteFunc(p.remove, func(name string) bool { _, found := slices.BinarySearch(first, name); return found })
	for _, name := range first {
		if err := p.disk.out.Remove(name); err != nil {
			return err
		}
	}
	for _, name := range paths {
		if err := p.clearFolder(name); err != nil {
			return err
		}
	}
	return nil
}

// clearFolder removes what is an empty folder and is to be a file.
func (p *placement) clearFolder(name string) error {
	if st, err := p.disk.root.Lstat(name); err != nil || !st.IsDir() {
		return nil
	}
	return p.disk.out.RemoveFolders(name)
}

// isNew reports that a file to be removed is one of the build's, on a system on
// which names in capitals and others are the same.
func (p *placement) isNew(name string) bool {
	old, err := p.disk.root.Stat(name)
	if err != nil {
		return false
	}
	for _, f := range p.build.Files {
		if !strings.EqualFold(f.Path, name) {
			continue
		}
		if st, err := p.disk.root.Stat(f.Path); err == nil && os.SameFile(st, old) {
			return true
		}
	}
	return false
}

// noteEmptied writes the list of emptied folders, below what an earlier update left of its own.
func (p *placement) noteEmptied() error {
	if len(p.remove) == 0 {
		return nil
	}
	list := p.emptied()
	for _, name := range p.remove {
		list = append(list, path.Dir(name))
	}
	slices.Sort(list)
	f, err := p.disk.out.OpenFile(emptiedName+"~", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(slices.Compact(list), "\n"))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return p.disk.out.Rename(emptiedName+"~", emptiedName)
}

// emptied reads it. Names that lead out of the folder are refused where they are
// used.
func (p *placement) emptied() (list []string) {
	b, err := p.disk.out.ReadFile(emptiedName)
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(string(b), "\n")
}

// removeEmpty removes folders in which nothing is left of what is gone.
func (p *placement) removeEmpty() {
	for _, dir := range slices.Backward(p.emptied()) {
		if fs.ValidPath(dir) {
			p.disk.out.RemoveEmpty(dir)
		}
	}
}

// ErrHeld means that another program holds a file open, so that it cannot be replaced:
// most often the game runs.
var ErrHeld = errors.New("another program holds the file open")

// System has the rules of a system about files that are open. Windows lets nobody
// rename or remove these; elsewhere there are none.
type System interface {
	// IsHeld reports whether an error is for that reason.
	IsHeld(err error) bool
	// Open opens a file as if it were to be written, and closes it, or fails.
	Open(root *os.Root, name string) error
	// Pause waits before another try.
	Pause(time.Duration)
}

// This returns the system that the program runs on.
func This() System { return system{} }

type system struct{}

// Open implements [System].
func (system) Open(root *os.Root, name string) error {
	f, err := regular.OpenIn(root, name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil // read-only: renaming reports it
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Pause implements [System].
func (system) Pause(d time.Duration) { time.Sleep(d) }

const (
	heldTries = 8                     // scanners of viruses let go after a moment
	heldPause = 50 * time.Millisecond // doubled after each: 6 s in all
)

// Insist does to a file what another program may keep from being done, again and again
// for some seconds. The error then wraps [ErrHeld].
func Insist(s System, name string, do func() error) error {
	for try, pause := 1, heldPause; ; try, pause = try+1, pause*2 {
		err := do()
		if err == nil || !s.IsHeld(err) {
			return err
		}
		if try == heldTries {
			return &heldError{name, err}
		}
		s.Pause(pause)
	}
}

// Free fails with [ErrHeld] if another program holds one of the files.
func Free(s System, root *os.Root, names []string) error {
	for _, name := range names {
		err := Insist(s, name, func() error { return s.Open(root, name) })
		if errors.Is(err, ErrHeld) {
			return err
		} // renaming reports all else
	}
	return nil
}

// heldError names the file.
type heldError struct {
	name string
	err  error
}

func (e *heldError) Error() string   { return fmt.Sprintf("%s: %v: %v", e.name, ErrHeld, e.err) }
func (e *heldError) Unwrap() []error { return []error{e.err, ErrHeld} }

// Hint says what to do.
func (e *heldError) Hint() string {
	return "close the game and what else uses its files, then update again"
}
