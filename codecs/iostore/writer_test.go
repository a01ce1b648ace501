package iostore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
	"pakdb/internal/testkit"
)

// rewrite passes every chunk of a container through, in order.
func rewrite(t *testing.T, a codecs.Archive) func(codecs.Writer) error {
	t.Helper()
	var entries []*codecs.Entry
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return func(w codecs.Writer) error {
		for _, e := range entries {
			raw, err := a.OpenRaw(e)
			if err != nil {
				return err
			}
			if err := w.AddRaw(context.Background(), e, raw); err != nil {
				return err
			}
		}
		return nil
	}
}

// What the engine wrote comes out byte for byte, both files.
func TestRewriteSamples(t *testing.T) {
	for _, path := range samples(t) {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			a := codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, path), nil)
			o, err := iostore.Format().Like(a)
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), name)
			if err := codecs.WriteFile(context.Background(), out, iostore.Format(), o, rewrite(t, a)); err != nil {
				t.Fatal(err)
			}
			for _, ext := range []string{".ucas", ".utoc"} {
				want, got := read(t, strings.TrimSuffix(path, ".utoc")+ext), read(t, strings.TrimSuffix(out, ".utoc")+ext)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, %d in the original, differing at 0x%x", ext, len(got), len(want), firstDiff(got, want))
				}
			}
		})
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func firstDiff(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// Every version, method and encryption reads back what was written, and keeps
// its own claims.
func TestMatrix(t *testing.T) {
	for i, version := range iostore.Format().Versions {
		for _, method := range iostore.Format().Methods {
			for _, encrypt := range []bool{false, true} {
				if i%testkit.Of(len(iostore.Format().Versions), 1) != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s %v %v", version, method, encrypt), func(t *testing.T) {
					o := codecs.CreateOptions{Version: version, Method: method, Encrypt: encrypt, Keys: keys, MountPoint: "../../../"}
					checkWritten(t, build(t, o, assorted()), assorted(), version)
				})
			}
		}
	}
}

func checkWritten(t *testing.T, p pair, want []codecstest.Item, version string) {
	t.Helper()
	a := p.open(t, &codecs.Options{Keys: keys})
	if problems := verify(t, a); len(problems) > 0 {
		t.Error(problems)
	}
	if info := a.Info(); info.Version != version || info.EntryCount != len(want) || len(info.Warnings) > 0 {
		t.Errorf("%+v", info)
	}
	got := map[string][]byte{}
	for _, it := range codecstest.Items(t, a) {
		got[it.Entry.Name] = it.Data
		if i, ok := a.(iostore.Finder).Find(it.Entry.ID); !ok || i != it.Entry.Ordinal {
			t.Errorf("%s is found at %d, %v", it.Entry.Name, i, ok)
		}
	}
	for _, it := range want {
		data, ok := got[it.Entry.Name]
		if version == "1" { // has no paths
			continue
		}
		if !ok || !bytes.Equal(data, it.Data) {
			t.Errorf("%s: present %v, %d bytes of %d", it.Entry.Name, ok, len(data), len(it.Data))
		}
	}
}

func verify(t *testing.T, a codecs.Archive) (found []string) {
	t.Helper()
	if err := a.(codecs.Verifier).Verify(context.Background(), func(e *codecs.FormatError) { found = append(found, e.Error()) }); err != nil {
		t.Fatal(err)
	}
	return found
}

// Ids follow from paths.
func TestDerivedIDs(t *testing.T) {
	p := build(t, codecs.CreateOptions{MountPoint: "../../../"}, []codecstest.Item{
		{Entry: &codecs.Entry{Name: "CUE4ParseFixtures/Content/Fixtures/Blueprints/S_Fixture.uasset"}, Data: text(10)},
	})
	for e, err := range p.open(t, nil).Entries() {
		if id, ok := iostore.PackageOf(e.ID); err != nil || !ok || id != 310477927074192785 || e.Type != iostore.TypeExportBundleData {
			t.Errorf("%v is %s of package %d, %v", e.ID, e.Type, id, err)
		}
	}
}

// Large containers go into several files.
func TestPartitions(t *testing.T) {
	o := codecs.CreateOptions{Method: compress.Zlib}
	o.Template = iostore.PartitionTemplate(1 << 18)
	var items []codecstest.Item
	for i := range 20 {
		items = append(items, codecstest.Item{Entry: &codecs.Entry{Name: fmt.Sprintf("Game/Content/P%d.uasset", i)}, Data: noise(70_000)})
	}
	p := build(t, o, items)
	if len(p) != 1+7 || p["_s6.ucas"] == nil {
		t.Fatalf("%d files", len(p))
	}
	checkWritten(t, p, items, "8")
	delete(p, "_s3.ucas")
	a := p.open(t, nil)
	bad := 0
	for e := range a.Entries() {
		if _, err := codecstest.ReadEntry(context.Background(), a, e); err != nil {
			if bad++; !errors.Is(err, codecs.ErrTruncated) || !strings.Contains(err.Error(), "Game_s3.ucas") {
				t.Error(err)
			}
		}
	}
	if bad != 3 {
		t.Errorf("%d chunks are missing", bad)
	}
}

// Without the .ucas a container lists, has its sums, and says what is missing.
func TestWithoutData(t *testing.T) {
	src := build(t, codecs.CreateOptions{}, assorted()).source("Game")
	for name, dir := range map[string]fs.FS{"no folder": nil, "empty folder": fstest.MapFS{}} {
		src.Dir = dir
		a := codecstest.Open(t, iostore.Format(), src, nil)
		sums, err := a.(codecs.Summer).Sums(context.Background())
		if err != nil || len(sums) != len(assorted()) {
			t.Errorf("%s: %d sums, %v", name, len(sums), err)
		}
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			_, err := a.Open(context.Background(), e)
			if e.Size > 0 && (!errors.Is(err, codecs.ErrTruncated) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "Game.ucas")) {
				t.Errorf("%s: %s opens with %v", name, e.Name, err)
			}
		}
		if found := verify(t, a); len(found) != 1 || !strings.Contains(found[0], "Game.ucas") {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// Without its key a container lists by type and id.
func TestKeys(t *testing.T) {
	p := build(t, codecs.CreateOptions{Encrypt: true, Keys: keys, Method: compress.Zlib}, assorted())
	a := p.open(t, nil)
	for e, err := range a.Entries() {
		if err != nil || !strings.HasPrefix(e.Name, e.Type+"/") || e.Flags&codecs.Encrypted == 0 {
			t.Errorf("%+v, %v", e, err)
		}
		if _, err := a.Open(context.Background(), e); e.Size > 0 && !errors.Is(err, codecs.ErrEncrypted) {
			t.Errorf("%s without a key: %v", e.Name, err)
		}
	}
	if w := a.Info().Warnings; len(w) != 1 || !errors.Is(w[0], codecs.ErrEncrypted) {
		t.Errorf("without a key: %v", w)
	}
	a = p.open(t, &codecs.Options{Keys: func([16]byte) []byte { return make([]byte, 32) }})
	if w := a.Info().Warnings; len(w) != 1 || !errors.Is(w[0], codecs.ErrWrongKey) {
		t.Errorf("by a wrong key: %v", w)
	}
	for e := range a.Entries() {
		if _, err := codecstest.ReadEntry(context.Background(), a, e); e.Size > 0 && !errors.Is(err, codecs.ErrWrongKey) {
			t.Errorf("%s by a wrong key: %v", e.Name, err)
		}
	}
	a = p.open(t, &codecs.Options{Candidates: [][]byte{make([]byte, 32), []byte("short"), keys([16]byte{})}})
	if w := a.Info().Warnings; len(w) != 0 {
		t.Errorf("by the last of several keys: %v", w)
	}
	for e := range a.Entries() {
		if _, err := codecstest.ReadEntry(context.Background(), a, e); err != nil {
			t.Errorf("%s by the last of several keys: %v", e.Name, err)
		}
	}
	_, err := iostore.Format().Open(context.Background(), p.source("Game"), &codecs.Options{Keys: func([16]byte) []byte { return []byte("short") }})
	if !errors.Is(err, codecs.ErrWrongKey) {
		t.Errorf("by a short key: %v", err)
	}
}

// Stored bytes pass from any container to one of the same kind, encrypted ones
// without being decrypted.
func TestRawAcrossVersions(t *testing.T) {
	for _, encrypt := range []bool{false, true} {
		from := build(t, codecs.CreateOptions{Version: "8", Encrypt: encrypt, Keys: keys, Method: compress.LZ4}, assorted()).open(t, &codecs.Options{Keys: keys})
		p := pair{"": {}}
		o := codecs.CreateOptions{Version: "5", Encrypt: encrypt, Keys: keys, Sibling: func(s string) (io.WriteSeeker, error) {
			p[s] = &codecstest.Buffer{}
			return p[s], nil
		}}
		w, err := iostore.Format().Create(p[""], &o)
		if err != nil {
			t.Fatal(err)
		}
		if err := rewrite(t, from)(w); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		checkWritten(t, p, assorted(), "5")
	}
}

func TestRefusals(t *testing.T) {
	one := func(e codecs.Entry) []codecstest.Item { return []codecstest.Item{{Entry: &e}} }
	for name, tt := range map[string]struct {
		o     codecs.CreateOptions
		items []codecstest.Item
		want  error
	}{
		"version":       {codecs.CreateOptions{Version: "9"}, nil, errors.ErrUnsupported},
		"no key":        {codecs.CreateOptions{Encrypt: true}, nil, codecs.ErrEncrypted},
		"block size":    {codecs.CreateOptions{BlockSize: 1000}, nil, errors.ErrUnsupported},
		"alignment":     {codecs.CreateOptions{Align: 7}, nil, errors.ErrUnsupported},
		"seed":          {codecs.CreateOptions{Seed: 1}, nil, errors.ErrUnsupported},
		"template":      {codecs.CreateOptions{Template: 1}, nil, errors.ErrUnsupported},
		"no id":         {codecs.CreateOptions{}, one(codecs.Entry{Name: "a.txt"}), codecs.ErrName},
		"width of id":   {codecs.CreateOptions{}, one(codecs.Entry{Name: "a", ID: codecs.ID64(1)}), errors.ErrUnsupported},
		"type":          {codecs.CreateOptions{}, one(codecs.Entry{Name: "a", Type: "X", ID: codecs.ID{Bits: 96}}), errors.ErrUnsupported},
		"absolute":      {codecs.CreateOptions{}, one(codecs.Entry{Name: "/a", ID: codecs.ID{Bits: 96}}), codecs.ErrName},
		"deleted":       {codecs.CreateOptions{}, one(codecs.Entry{Name: "a", Flags: codecs.Deleted}), errors.ErrUnsupported},
		"no encoder":    {codecs.CreateOptions{Method: compress.Oodle}, []codecstest.Item{{Entry: &codecs.Entry{ID: codecs.ID{Bits: 96}}, Data: text(99)}}, errors.ErrUnsupported},
		"an id twice":   {codecs.CreateOptions{}, append(one(codecs.Entry{Name: "a", ID: codecs.ID{Bits: 96}}), one(codecs.Entry{Name: "b", ID: codecs.ID{Bits: 96}})...), codecs.ErrName},
		"a path twice":  {codecs.CreateOptions{}, append(one(codecs.Entry{Name: "a", ID: codecs.ID{Bits: 96}}), one(codecs.Entry{Name: "A", ID: codecs.ID{Bits: 96, Lo: 1}})...), codecs.ErrName},
		"method's name": {codecs.CreateOptions{Method: compress.Method(strings.Repeat("x", 40))}, nil, errors.ErrUnsupported},
	} {
		if _, err := tryBuild(tt.o, tt.items); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if _, err := iostore.Format().Create(&codecstest.Buffer{}, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("without a sibling: %v", err)
	}
}

// Whatever fails, both old files stay, and nothing is left beside them.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Game.utoc", "Game.ucas"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fail := errors.New("disk full")
	path := filepath.Join(dir, "Game.utoc")
	err := codecs.WriteFile(context.Background(), path, iostore.Format(), nil, func(w codecs.Writer) error {
		it := assorted()[0]
		return errors.Join(w.Add(context.Background(), it.Entry, bytes.NewReader(it.Data)), fail)
	})
	left, rerr := os.ReadDir(dir)
	if !errors.Is(err, fail) || rerr != nil || len(left) != 2 || string(read(t, path)) != "old" {
		t.Errorf("%v, the folder holds %v, %v", err, left, rerr)
	}
	if err := codecs.WriteFile(context.Background(), path, iostore.Format(), nil, func(codecs.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 || len(read(t, filepath.Join(dir, "Game.ucas"))) != 0 {
		t.Errorf("an empty container: %v", left)
	}
}
