package all_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
)

// checkFS opens the archive at path and tests it as a file system: each entry that
// is no delete record is one file, of the content that the archive gives.
func checkFS(t *testing.T, path string, o *codecs.Options) {
	t.Helper()
	a, err := all.OpenFile(t.Context(), path, o)
	if err != nil {
		t.Error(err)
		return
	}
	f, err := codecs.FS(t.Context(), a)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	entries := 0
	for e := range a.Entries() {
		if e.Flags&codecs.Deleted == 0 {
			entries++
		}
	}
	var paths []string
	err = fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		paths = append(paths, name)
		st, err := d.Info()
		if err != nil {
			return err
		}
		want, err := codecstest.ReadEntry(t.Context(), a, st.Sys().(*codecs.Entry))
		if err != nil {
			return err
		}
		got, err := f.ReadFile(name)
		if err == nil && (!bytes.Equal(got, want) || st.Size() != int64(len(got))) {
			t.Errorf("%s: %s has other content", path, name)
		}
		return err
	})
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if len(paths) != entries {
		t.Errorf("%s: %d files of %d entries", path, len(paths), entries)
	}
	if err := fstest.TestFS(f, paths...); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("%s: close: %v", path, err)
	}
}

// TestFSOfFixtures: the archives of testdata are file systems.
func TestFSOfFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(codecstest.ModuleRoot(t), "testdata", "*.sip"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if filepath.Base(file) != "damaged.sip" {
			checkFS(t, file, nil)
		}
	}
}

// TestFSOfEveryFormat writes a small archive of each format and version, and reads
// it as a file system.
func TestFSOfEveryFormat(t *testing.T) {
	text := bytes.Repeat([]byte("what compresses well "), 50)
	names := map[string][]*codecs.Entry{
		"gpak":      {{Name: "A/B.curve"}, {Name: "A/C.curve"}},
		"umod":      {{Name: "System/A.u"}, {Name: "System/B.u"}},
		"uz2":       {{Name: "A.u"}},
		"quakepak":  {{Name: "maps/a.bsp"}, {Name: "maps/b.bsp"}},
		"unrealpak": {{Name: "Content/A.uasset"}, {Name: "B.uasset"}},
		"iostore":   {{Name: "Game/Content/A.uasset"}, {Name: "Game/Content/B.uasset"}, {Name: "Game/Content/C.uasset"}},
	}
	for _, f := range all.Registry().Formats {
		if f.Create == nil {
			continue
		}
		for _, version := range f.Versions {
			entries := names[f.Name]
			if f.Name == "retropak" {
				id := codecs.ID64(7)
				if strings.HasPrefix(version, "MP1") || strings.HasPrefix(version, "MP2") {
					id = codecs.ID32(7)
				}
				entries = []*codecs.Entry{{Type: "TXTR", ID: id}}
			}
			path := filepath.Join(t.TempDir(), "archive"+f.Exts[0])
			err := codecs.WriteFile(t.Context(), path, f, &codecs.CreateOptions{Version: version}, func(w codecs.Writer) error {
				for i, e := range entries {
					if err := w.Add(t.Context(), e, bytes.NewReader(text[i:])); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil || len(entries) == 0 {
				t.Errorf("%s %s: %d entries, %v", f.Name, version, len(entries), err)
				continue
			}
			checkFS(t, path, nil)
		}
	}
}

// TestFSOfSamples: archives that other people's tools made are file systems too.
func TestFSOfSamples(t *testing.T) {
	var ring unrealpak.Keyring
	for _, key := range []string{"lNJbw660IOC+kU7cnVQ1oeqrXyhk4J6UAZrCBbcnp94="} {
		if err := ring.Add(key); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"gpak/Calligraphy_v10_mhpaktool.sip", "retro-pak/mp1_small.pak", "retro-pak/mp3_small.pak", "unreal-package/DropStuff.umod",
		"unreal-pak/unrealpak/pack_v5_encrypt.pak", "unreal-pak/unrealpak/pack_v11_encryptindex.pak", "unreal-pak/pairs/integration_new.pak",
		"iostore/patch-pair/CUE4ParseFixtures-PatchBase.utoc",
	} {
		checkFS(t, codecstest.Sample(t, strings.Split(name, "/")...), &codecs.Options{Keys: ring.Key})
	}
}

func TestOpenFile(t *testing.T) {
	root := codecstest.ModuleRoot(t)
	before := descriptors()
	path := filepath.Join(root, "testdata", "Calligraphy.sip")
	a, err := all.OpenFile(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Stat(path); a.Format.Name != "gpak" || a.Path != path || a.Size != st.Size() || a.Info().Version != "KAPG 1" {
		t.Errorf("%s, %s, %d, %+v", a.Format.Name, a.Path, a.Size, a.Info())
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if after := descriptors(); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// A container of several files: the others are opened with the first, and closed
// with it.
func TestOpenFileOfParts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "game.utoc")
	format, _ := all.Registry().Format("iostore")
	err := codecs.WriteFile(t.Context(), path, format, nil, func(w codecs.Writer) error {
		return w.Add(t.Context(), &codecs.Entry{Name: "Game/Content/A.uasset"}, strings.NewReader("content"))
	})
	if err != nil {
		t.Fatal(err)
	}
	before := descriptors()
	a, err := all.OpenFile(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := codecs.FS(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := fs.ReadFile(f, "Game/Content/A.uasset"); err != nil || string(b) != "content" {
		t.Errorf("%q, %v", b, err)
	}
	if open := descriptors(); before >= 0 && open != before+2 {
		t.Errorf("%d files are open, of %d before", open, before)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if after := descriptors(); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
	if _, err := all.OpenFile(t.Context(), filepath.Join(dir, "game.ucas"), nil); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "game.utoc") {
		t.Errorf("the .ucas: %v", err)
	}
}

// descriptors returns how many files this process has open, -1 where the system
// does not tell.
func descriptors() int {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(open)
}

func TestOpenFileRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before := descriptors()
	for path, want := range map[string]error{
		write("readme.txt", "no archive"):            codecs.ErrUnknown,
		write("empty.sip", ""):                       codecs.ErrTruncated,
		write("cut.sip", "KAPG\x01\x00\x00\x00\x09"): codecs.ErrTruncated,
		filepath.Join(dir, "gone.pak"):               fs.ErrNotExist,
		dir:                                          nil,
	} {
		a, err := all.OpenFile(t.Context(), path, nil)
		if err == nil || a != nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", path, a, err)
			continue
		}
		if !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s is not in %q", path, err)
		}
	}
	if after := descriptors(); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// What cannot be decoded is an error of its class, by all ways of reading.
func TestFSErrors(t *testing.T) {
	locked := filepath.Join(t.TempDir(), "locked.pak")
	var ring unrealpak.Keyring
	if err := ring.Add("0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"); err != nil {
		t.Fatal(err)
	}
	err := codecs.WriteFile(t.Context(), locked, unrealpak.Format(), &codecs.CreateOptions{Keys: ring.Key, Encrypt: true}, func(w codecs.Writer) error {
		return w.Add(t.Context(), &codecs.Entry{Name: "A/secret.txt"}, strings.NewReader("content"))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, name string
		want       error
	}{
		{filepath.Join(codecstest.ModuleRoot(t), "testdata", "damaged.sip"), "Calligraphy/Entity/Characters/Mobs/Drone.prototype", codecs.ErrCorrupt},
		{locked, "A/secret.txt", codecs.ErrEncrypted},
	} {
		a, err := all.OpenFile(t.Context(), c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := codecs.FS(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := f.Stat(c.name); err != nil || st.Size() == 0 {
			t.Errorf("%s: stat: %v, %v", c.name, st, err)
		}
		if b, err := f.ReadFile(c.name); !errors.Is(err, c.want) {
			t.Errorf("%s: read: %q, %v", c.name, b, err)
		}
		file, err := f.Open(c.name)
		if err == nil {
			_, err = io.Copy(io.Discard, file)
		}
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path.Base(c.name)) {
			t.Errorf("%s: streamed: %v", c.name, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
