package overlay_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
)

// Every operation of writing a patch is killed, and fails: what has a name is whole,
// and of what failed nothing else is left.
func TestFaultsWrite(t *testing.T) {
	dir := t.TempDir()
	k := kind{"11", compress.Zlib, false}
	old, new := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	build{"a.pak": {"a": []byte("1"), "b": []byte("same")}, "b.pak": {"c": []byte("2")}}.write(t, old, k)
	build{"a.pak": {"a": []byte("3"), "b": []byte("same")}, "b.pak": {"c": []byte("4")}}.write(t, new, k)
	p := planOf(t, catalog(t, old, new), "old", "new", overlay.Options{Number: -1})
	for name, before := range map[string]faulttest.Tree{
		"fresh":        {},
		"over another": {"other.txt": "stays", p.Parts[0].Name: "an older patch"},
	} {
		t.Run(name, func(t *testing.T) {
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := filepath.Join(t.TempDir(), "out")
					before.Write(t, dir)
					return dir
				},
				Run: func(ctx context.Context, dir string) error {
					_, _, err := p.Write(ctx, testDisk(), overlay.Output{Dir: dir, Overwrite: true})
					return err
				},
				Mixed: true, // the manifest comes last
				Look: func(t *testing.T, dir string, at faulttest.Point) {
					seen := faulttest.Files(t, dir)
					for name := range seen {
						if filepath.Ext(name) != ".json" || name[0] == '.' {
							continue
						}
						for i := range p.Parts {
							if content, there := seen[p.Parts[i].Name]; !there || content == before[p.Parts[i].Name] {
								t.Errorf("%v: the manifest is there and %s is not", at, p.Parts[i].Name)
							}
						}
					}
				},
			}, 200)
		})
	}
}

// A patch that could not be written leaves no folder that was made for it.
func TestFailedWriteLeavesNoFolder(t *testing.T) {
	dir := t.TempDir()
	k := kind{"11", compress.Zlib, false}
	old, new := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	build{"a.pak": {"a": []byte("1")}}.write(t, old, k)
	build{"a.pak": {"a": []byte("3")}}.write(t, new, k)
	p := planOf(t, catalog(t, old, new), "old", "new", overlay.Options{Number: -1})
	out := filepath.Join(dir, "out")
	ctx := atomicfile.WithGuard(t.Context(), func(op atomicfile.Op) error {
		if op.Kind == atomicfile.OpWrite {
			return syscall.ENOSPC
		}
		return nil
	})
	if _, _, err := p.Write(ctx, testDisk(), overlay.Output{Dir: out}); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}

// failingFrom is a file whose disk fails from its n-th read on.
type failingFrom struct {
	io.ReaderAt
	n int
}

func (f *failingFrom) ReadAt(b []byte, off int64) (int, error) {
	if f.n--; f.n < 0 {
		return 0, &fs.PathError{Op: "read", Path: "a.pak", Err: syscall.EIO}
	}
	return f.ReaderAt.ReadAt(b, off)
}

// A failure of the machine is never damage of an archive, whichever read fails.
func TestFailedReadIsNoDamage(t *testing.T) {
	dir := t.TempDir()
	build{"a.pak": {"a": []byte("1"), "b": []byte("2")}}.write(t, dir, kind{"11", compress.Zlib, false})
	path := filepath.Join(dir, "a.pak")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n, whole := 0, false; !whole; n++ {
		source := func() codecs.Source {
			f := &failingFrom{bytes.NewReader(content), n}
			return codecs.Source{ReaderAt: f, Size: int64(len(content)), Name: "a.pak"}
		}
		d := testDisk()
		d.Virtual = func(string) (codecs.Source, bool) { return source(), true }
		s, err := d.Stack(t.Context(), "", []string{path}, false)
		if whole = err == nil; whole && len(s.Damage) > 0 || !whole && !errors.Is(err, syscall.EIO) {
			t.Fatalf("read %d: %v, damage %v", n, err, s.Damage)
		}
		found, err := d.Registry.Damage(t.Context(), "a.pak", source(), d.Options)
		if len(found) > 0 || err != nil && !errors.Is(err, syscall.EIO) {
			t.Fatalf("read %d: damage %v, %v", n, found, err)
		}
	}
}
