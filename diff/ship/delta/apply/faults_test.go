package apply

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
)

// faultPoints are how many operations of a command fail at most, in each mode.
const faultPoints = 120

// fault is an update that fails at each of its operations: a pak, files beside it,
// what comes, and what goes.
type fault struct {
	old, new faulttest.Tree
	patch    string
}

func newFault(t *testing.T) *fault {
	t.Helper()
	if testing.Short() {
		t.Skip("hundreds of runs, which differ in where they are stopped")
	}
	o := &codecs.CreateOptions{Version: "11", Method: "zlib"}
	kept, text := deltatest.Noisy(77, 9000), deltatest.Words(3, 9000)
	pak := func(list ...deltatest.Content) string { return string(deltatest.WritePak(t, o, list)) }
	f := &fault{patch: filepath.Join(t.TempDir(), "p.pkdelta"),
		old: faulttest.Tree{
			"x.pak":     pak(deltatest.Content{Name: "a", Data: kept}, deltatest.Content{Name: "b", Data: text}),
			"sub/y.pak": pak(deltatest.Content{Name: "y", Data: deltatest.Noisy(78, 9000)}, deltatest.Content{Name: "z", Data: text}),
			"note.txt":  string(deltatest.Words(1, 500)), "same.txt": "the same",
			"gone/a.txt": "goes", "swap": "a file", "back/in/x.txt": "a folder",
		},
		new: faulttest.Tree{
			"x.pak":     pak(deltatest.Content{Name: "a", Data: kept}, deltatest.Content{Name: "b", Data: deltatest.Words(4, 2000)}),
			"sub/y.pak": pak(deltatest.Content{Name: "y", Data: deltatest.Noisy(78, 9000)}, deltatest.Content{Name: "c", Data: deltatest.Words(2, 900)}),
			"note.txt":  string(deltatest.Words(2, 500)), "more/new.pak": pak(deltatest.Content{Name: "y", Data: kept}), "same.txt": "the same",
			"swap/in/a.txt": "a folder", "swap/b.txt": "of two files", "back": "a file",
		}}
	from, to := t.TempDir(), t.TempDir()
	f.old.Write(t, from)
	f.new.Write(t, to)
	makeFolders(t, f.patch, from, to)
	return f
}

// folder has the old files.
func (f *fault) folder(t *testing.T) string {
	dir := t.TempDir()
	f.old.Write(t, dir)
	return dir
}

// apply brings a folder up to date, from its own files or those of another one.
func (f *fault) apply(ctx context.Context, from, dir string, o *ApplyOptions) (err error) {
	p, err := NewPlan(ctx, f.patch, []string{from}, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.Prepare(ctx, o); err != nil {
		return err
	}
	return p.Apply(ctx)
}

// emptied are removals of folders, which may stay.
func emptied(op atomicfile.Op) bool {
	return op.Kind == atomicfile.OpRemove && slices.Contains([]string{"gone", "back", "in"}, filepath.Base(op.Path))
}

// recovered finishes what was interrupted, as the next command does.
func recovered(t *testing.T, dir string, at faulttest.Point) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	before := IsInterrupted(dir)
	ctx := atomicfile.WithGuard(t.Context(), (&faulttest.Faults{}).Guard)
	if did, err := Recover(ctx, root); err != nil || did && !before || IsInterrupted(dir) {
		t.Errorf("%v: recovered: %v, %v, %v", at, before, did, err)
	}
}

func TestFaultsFresh(t *testing.T) {
	f := newFault(t)
	from := f.folder(t)
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string { return filepath.Join(t.TempDir(), "new") },
		Run: func(ctx context.Context, dir string) error {
			return f.apply(ctx, from, dir, nil)
		},
		Look:  recovered,
		Mixed: true, // nothing makes way, so that there is no journal
	}, faultPoints)
}

// In all others the files of a folder are updated, all or none of them.
func TestFaultsReplacing(t *testing.T) {
	f := newFault(t)
	faulttest.Sweep(t, faulttest.Command{
		Prepare: f.folder,
		Run: func(ctx context.Context, dir string) error {
			return f.apply(ctx, dir, dir, nil)
		},
		Look: recovered, MayFail: emptied,
	}, faultPoints)
}

func TestFaultsInPlace(t *testing.T) {
	f := newFault(t)
	faulttest.Sweep(t, faulttest.Command{
		Prepare: f.folder,
		Run: func(ctx context.Context, dir string) error {
			return f.apply(ctx, dir, dir, &ApplyOptions{Mode: InPlace})
		},
		Look: recovered, MayFail: emptied,
	}, faultPoints)
}

// Recovering may be killed as well.
func TestFaultsRecovering(t *testing.T) {
	for name, o := range map[string]*ApplyOptions{"replacing": nil, "in place": {Mode: InPlace}} {
		t.Run(name, func(t *testing.T) {
			f := newFault(t)
			live := 0 // the operation by which the journal gets its name
			count := &faulttest.Faults{}
			dir := f.folder(t)
			if err := f.apply(atomicfile.WithGuard(t.Context(), count.Guard), dir, dir, o); err != nil {
				t.Fatal(err)
			}
			for i, op := range count.Ops() {
				if op.Kind == atomicfile.OpRename && filepath.Base(op.To) == journalName {
					live = i + 1
				}
			}
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := f.folder(t)
					stop := &faulttest.Faults{At: live + 1}
					if err := f.apply(atomicfile.WithGuard(t.Context(), stop.Guard), dir, dir, o); !errors.Is(err, faulttest.ErrStopped) || !IsInterrupted(dir) {
						t.Fatalf("not interrupted: %v", err)
					}
					return dir
				},
				Run: func(ctx context.Context, dir string) (err error) {
					root, err := os.OpenRoot(dir)
					if err != nil {
						return err
					}
					defer func() { err = errors.Join(err, root.Close()) }()
					_, err = Recover(ctx, root)
					return err
				},
				Look: recovered, MayFail: emptied,
				Mixed: true,
			}, faultPoints)
		})
	}
}

func TestFaultsMaking(t *testing.T) {
	f := newFault(t)
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	old := f.folder(t)
	to := t.TempDir()
	f.new.Write(t, to)
	open := func(dir string) []delta.Input {
		files, err := delta.OpenFiles([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = files.Close() })
		return files.Inputs
	}
	before, after := open(old), open(to)
	unsigned, err := os.ReadFile(f.patch)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		before faulttest.Tree
		run    func(ctx context.Context, file string) error
	}{
		"make": {faulttest.Tree{"p.pkdelta": "another one"}, func(ctx context.Context, file string) error {
			_, _, err := maker.MakeFile(ctx, file, before, after, &maker.MakeOptions{Registry: deltatest.Paks()})
			return err
		}},
		"sign": {faulttest.Tree{"p.pkdelta": string(unsigned)}, func(ctx context.Context, file string) error {
			return delta.SignFile(ctx, file, key)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := t.TempDir()
					c.before.Write(t, dir)
					return dir
				},
				Run: func(ctx context.Context, dir string) error { return c.run(ctx, filepath.Join(dir, "p.pkdelta")) },
			}, faultPoints)
		})
	}
}
