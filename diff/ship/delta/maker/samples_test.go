package maker_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/delta/maker"
	"pakdb/internal/testkit"
)

// TestSamplePairs makes and applies the patches between real builds. The sizes
// are what they were when this was written, with a little room; of public tools,
// zstd --patch-from does best on both Unreal pairs, with 65,806 and 4,767 bytes.
func TestSamplePairs(t *testing.T) {
	for _, c := range testkit.Some([]struct {
		name, old, new string
		atMost         int
	}{
		{"sandboxutilities", "unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak", 23_400},
		{"integration", "unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak", 4_030},
		{"mp3", "retro-pak/mp3_small.pak", "retro-pak/mp3_small_v2.pak", 490},
		{"sqlite", "gpak/mu_cdata_1.5.sip", "gpak/mu_cdata_1.6.sip", 6_080},
		{"kapg", "gpak/Calligraphy_v10_mhpaktool.sip", "gpak/Calligraphy_v11_mhpaktool.sip", 3_720},
		{"equal", "unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_old.pak", 70},
		{"kapg cut down", "gpak/Calligraphy_1.10_names.sip", "gpak/Calligraphy_v11_mhpaktool.sip", 5_700},
	}, 5) {
		t.Run(c.name, func(t *testing.T) {
			old, new := codecstest.Sample(t, c.old), codecstest.Sample(t, c.new)
			size := roundTrip(t, []string{old}, []string{new})
			t.Logf("%d bytes", size)
			if size > c.atMost {
				t.Errorf("%d bytes, at most %d expected", size, c.atMost)
			}
		})
	}
}

// TestSampleFolders patches folders of several files, IoStore's pairs among them.
func TestSampleFolders(t *testing.T) {
	for _, name := range testkit.Some([]string{"iostore/cue4parse-ue5.8", "unreal-pak/cue4parse-ue5.8"}, 1) {
		t.Run(name, func(t *testing.T) {
			dir := codecstest.Sample(t, name)
			roundTrip(t, []string{dir}, []string{dir})
		})
	}
}

// roundTrip makes a patch, applies it, compares, and returns its size.
func roundTrip(t *testing.T, old, new []string) int {
	t.Helper()
	p := makePatch(t, old, new)
	dir := t.TempDir()
	if err := applyTo(t, p, old, dir); err != nil {
		t.Fatal(err)
	}
	files := open(t, new)
	for i, in := range files.Inputs {
		want, err := os.ReadFile(files.Path(i))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(in.Name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs", in.Name)
		}
	}
	return len(p)
}

func open(t testing.TB, paths []string) *delta.Opened {
	t.Helper()
	f, err := delta.OpenFiles(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func makePatch(t *testing.T, old, new []string) []byte {
	t.Helper()
	var out bytes.Buffer
	_, _, err := maker.Make(context.Background(), open(t, old).Inputs, open(t, new).Inputs, &out, t.TempDir(), &maker.MakeOptions{Registry: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// applyTo applies a patch as a command does, and returns its error.
func applyTo(t testing.TB, p []byte, old []string, dir string) error {
	t.Helper()
	r, err := delta.NewReader(bytes.NewReader(p))
	if err != nil {
		return err
	}
	files := open(t, old)
	var candidates []apply.Candidate
	for _, in := range files.Inputs {
		candidates = append(candidates, apply.Candidate{Name: in.Name, Size: in.Size, ReaderAt: in.ReaderAt})
	}
	found, err := apply.Find(context.Background(), r.Header, candidates)
	if err != nil {
		return err
	}
	var readers []io.ReaderAt
	for _, i := range found {
		readers = append(readers, candidates[i])
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return apply.Apply(context.Background(), r, readers, root, nil)
}
