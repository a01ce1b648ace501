package unrealpak_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/aes256"
)

// The key of the samples that UnrealPak made for repak's tests, and of those
// for CUE4Parse's.
const (
	repakKey = "lNJbw660IOC+kU7cnVQ1oeqrXyhk4J6UAZrCBbcnp94="
	cueKey   = "CUE4ParseFixtureAESKey0123456789"
)

func keyed(t testing.TB, text string) *codecs.Options {
	t.Helper()
	key, err := aes256.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return &codecs.Options{Keys: func([16]byte) []byte { return key }}
}

func keyFor(path string) string {
	if strings.Contains(path, "cue4parse") {
		return cueKey
	}
	return repakKey
}

// samples lists the paks below a folder of the samples.
func samples(t testing.TB, elem ...string) []string {
	t.Helper()
	var paks []string
	err := filepath.WalkDir(codecstest.Sample(t, elem...), func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".pak") {
			paks = append(paks, path)
		}
		return err
	})
	if err != nil || len(paks) == 0 {
		t.Fatalf("%d paks: %v", len(paks), err)
	}
	return paks
}

func openSample(t testing.TB, path string) codecs.Archive {
	t.Helper()
	return codecstest.Open(t, unrealpak.Format(), codecstest.OpenFile(t, path), keyed(t, keyFor(path)))
}

// originals are the files that the UnrealPak samples were made from.
func originals(t testing.TB) map[string][]byte {
	t.Helper()
	root := codecstest.Sample(t, "unreal-pak", "unrealpak", "original")
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestUnrealPakSamples(t *testing.T) {
	want := originals(t)
	paks := samples(t, "unreal-pak", "unrealpak")
	if len(paks) != 24 {
		t.Errorf("%d paks", len(paks))
	}
	for _, path := range paks {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := openSample(t, path)
			if got := codecstest.Contents(t, a); !maps.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("content differs: %v", slices.Sorted(maps.Keys(got)))
			}
			info := a.Info()
			if info.MountPoint != "../mount/point/root/" || len(info.Warnings) != 0 ||
				info.Encrypted != strings.Contains(path, "encrypt") {
				t.Errorf("%+v", info)
			}
			noProblems(t, a)
		})
	}
}

// noProblems requires a clean bill, not even a departure from the format.
func noProblems(t *testing.T, a codecs.Archive) {
	t.Helper()
	err := a.(codecs.Verifier).Verify(context.Background(), func(e *codecs.FormatError) { t.Error(e) })
	if err != nil {
		t.Error(err)
	}
}

// sumsOf returns the sums of all entries, wherever they stand.
func sumsOf(a codecs.Archive) ([]codecs.Sum, error) {
	sums, err := a.(codecs.Summer).Sums(context.Background())
	if sums != nil || err != nil {
		return sums, err
	}
	for e := range a.Entries() {
		sums = append(sums, e.Sum)
	}
	return sums, nil
}

// Sums without reading content: in the index up to version 9, in the file
// beyond.
func TestSums(t *testing.T) {
	for _, path := range samples(t, "unreal-pak") {
		a := openSample(t, path)
		sums, err := sumsOf(a)
		if err != nil {
			t.Fatal(err)
		}
		for e := range a.Entries() {
			raw, err := a.OpenRaw(e)
			if err != nil {
				t.Fatal(err)
			}
			s := sums[e.Ordinal]
			if s.Len > 0 {
				raw = io.NewSectionReader(raw, 0, s.Len)
			}
			if got := sha1Of(t, raw); s.Kind != codecs.SHA1Stored || !bytes.Equal(got, s.Bytes) {
				t.Errorf("%s: %s: %x, sum says %x", filepath.Base(path), e.Name, got, s.Bytes)
			}
			if e.Sum.Kind != codecs.NoSum && !bytes.Equal(e.Sum.Bytes, s.Bytes) {
				t.Errorf("%s: %s: two sums", filepath.Base(path), e.Name)
			}
		}
	}
}

// Twins hold the same files in other ways. Those in Oodle take part once there
// is a decoder.
func TestTwins(t *testing.T) {
	tagged := "cue4parse-ue5.8/LegacyPak/Tagged/"
	oodle := []string{tagged + "Oodle/CUE4ParseFixtures-Legacy-Tagged-Oodle.pak",
		tagged + "OodleEncrypted/CUE4ParseFixtures-Legacy-Tagged-OodleEncrypted.pak"}
	if !compress.CanDecode(compress.Oodle) {
		t.Log("no Oodle decoder: those twins are left out")
		oodle = nil
	}
	for name, twins := range map[string][]string{
		"version 12": append([]string{tagged + "Uncompressed/CUE4ParseFixtures-Legacy-Tagged-Uncompressed.pak",
			tagged + "Zlib/CUE4ParseFixtures-Legacy-Tagged-Zlib.pak"}, oodle...),
		"unrealmodding": {"unrealmodding/000-TestPak-off-NoC_P.pak", "unrealmodding/000-TestPak-off-C_P.pak",
			"unrealmodding/000-TestPak-cus-NoC_P.pak", "unrealmodding/000-TestPak-cus-C_P.pak"},
	} {
		t.Run(name, func(t *testing.T) {
			want := codecstest.Contents(t, openSample(t, codecstest.Sample(t, "unreal-pak", twins[0])))
			for _, twin := range twins[1:] {
				got := codecstest.Contents(t, openSample(t, codecstest.Sample(t, "unreal-pak", twin)))
				if !maps.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%s differs from %s", twin, twins[0])
				}
			}
		})
	}
}

// The patch replaces two files of its base and hides none.
func TestPatchPair(t *testing.T) {
	dir := codecstest.Sample(t, "unreal-pak", "cue4parse-ue5.8", "Patch", "Pak")
	base := openSample(t, filepath.Join(dir, "CUE4ParseFixtures-PatchBase.pak"))
	patch := openSample(t, filepath.Join(dir, "CUE4ParseFixtures-PatchBase_0_P.pak"))
	if b, p := base.Info().MountPoint, patch.Info().MountPoint; b != p {
		t.Errorf("mount points %q and %q", b, p)
	}
	order := unrealpak.MountOrder
	if b, p := order("CUE4ParseFixtures-PatchBase.pak"), order("CUE4ParseFixtures-PatchBase_0_P.pak"); p != b+100 {
		t.Errorf("mount orders %d and %d", b, p)
	}
	old := codecstest.Contents(t, base)
	n := 0
	for name, data := range codecstest.Contents(t, patch) {
		if oldData, ok := old[name]; !ok || bytes.Equal(oldData, data) {
			t.Errorf("%s: in the base %v, unchanged %v", name, ok, ok)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d files", n)
	}
}

// Every sample written again from its stored bytes: the same file where the
// packer's order is that of its index.
func TestRewriteRaw(t *testing.T) {
	// These packers wrote data and index in different orders.
	other := []string{"000-TestPak-cus-NoC_P.pak", "integration_old.pak", "integration_new.pak"}
	for _, path := range samples(t, "unreal-pak") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := openSample(t, path)
			b := rewriteRaw(t, a)
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			same := bytes.Equal(b, want)
			if expected := !slices.Contains(other, filepath.Base(path)); same != expected {
				t.Errorf("identical: %v, expected %v; %d bytes of %d, first difference at 0x%x", same, expected, len(b), len(want), firstDiff(b, want))
			}
			sameArchive(t, a, codecstest.Open(t, unrealpak.Format(), codecstest.Bytes(filepath.Base(path), b), keyed(t, keyFor(path))))
		})
	}
}

func firstDiff(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func rewriteRaw(t testing.TB, a codecs.Archive) []byte {
	t.Helper()
	f := unrealpak.Format()
	o, err := f.Like(a)
	if err != nil {
		t.Fatal(err)
	}
	var out codecstest.Buffer
	w, err := f.Create(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := sumsOf(a)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := a.OpenRaw(e)
		if err != nil {
			t.Fatal(err)
		}
		e.Sum = sums[e.Ordinal]
		if err := w.AddRaw(context.Background(), e, raw); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sameArchive compares everything that does not depend on places.
func sameArchive(t testing.TB, a, b codecs.Archive) {
	t.Helper()
	type key struct {
		name         string
		stored, size int64
		method       string
		flags        codecs.Flags
		sum          string
	}
	list := func(a codecs.Archive) (keys []key) {
		sums, err := sumsOf(a)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key{e.Name, e.Stored, e.Size, e.Method.String(), e.Flags, string(sums[e.Ordinal].Bytes)})
		}
		return keys
	}
	if x, y := list(a), list(b); !slices.Equal(x, y) {
		t.Errorf("entries differ:\n%v\n%v", x, y)
	}
	if x, y := a.Info(), b.Info(); x.MountPoint != y.MountPoint || x.Version != y.Version || x.Encrypted != y.Encrypted {
		t.Errorf("info differs: %+v, %+v", x, y)
	}
}

// Every sample that can be decoded written again from its content.
func TestRewriteContent(t *testing.T) {
	f := unrealpak.Format()
	for _, path := range samples(t, "unreal-pak", "unrealpak") {
		a := openSample(t, path)
		o, err := f.Like(a)
		if err != nil {
			t.Fatal(err)
		}
		items := codecstest.Items(t, a)
		b := codecstest.Write(t, f, o, items)
		again := codecstest.Open(t, f, codecstest.Bytes("again.pak", b), keyed(t, repakKey))
		if diff := codecstest.Equal(items, codecstest.Items(t, again)); diff != "" {
			t.Errorf("%s: %s", filepath.Base(path), diff)
		}
		// Deflate streams differ between compressors, and version 5 pads stored
		// entries with what happened to be in memory; all else is determined.
		determined := !strings.Contains(path, "compress") && !strings.HasSuffix(path, "v5_encrypt.pak") && !strings.HasSuffix(path, "v5_encrypt_encryptindex.pak")
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if determined && !bytes.Equal(b, want) {
			t.Errorf("%s: differs from UnrealPak's at 0x%x", filepath.Base(path), firstDiff(b, want))
		}
		if x, y := a.Info(), again.Info(); x.Encrypted != y.Encrypted || x.Version != y.Version || x.MountPoint != y.MountPoint {
			t.Errorf("%s: %+v became %+v", filepath.Base(path), x, y)
		}
		noProblems(t, again)
	}
}

func TestContractOnSamples(t *testing.T) {
	for _, path := range samples(t, "unreal-pak") {
		if testing.Short() && !strings.Contains(path, "v11_compress_encrypt_encryptindex") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			codecstest.Contract(t, unrealpak.Format(), codecstest.OpenFile(t, path),
				codecstest.ContractOptions{Open: keyed(t, keyFor(path))})
		})
	}
}

func TestByteCoverage(t *testing.T) {
	for _, path := range samples(t, "unreal-pak") {
		codecstest.ByteCoverage(t, unrealpak.Format(), codecstest.OpenFile(t, path), keyed(t, keyFor(path)))
		noProblems(t, openSample(t, path))
	}
}

// Every zlib sample packed again from its content: what UnrealPak wrote, bit for
// bit.
func TestPackAgain(t *testing.T) {
	n := 0
	for _, path := range samples(t, "unreal-pak") {
		a := openSample(t, path)
		if !usesZlib(t, a) {
			continue
		}
		b := packAgain(t, a)
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, want) {
			t.Errorf("%s: %d bytes of %d, first difference at 0x%x", filepath.Base(path), len(b), len(want), firstDiff(b, want))
		}
		n++
	}
	if n < 17 {
		t.Errorf("only %d paks use zlib", n)
	}
}

func usesZlib(t *testing.T, a codecs.Archive) bool {
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Method == compress.Zlib {
			return true
		}
	}
	return false
}

func packAgain(t *testing.T, a codecs.Archive) []byte {
	t.Helper()
	o, err := unrealpak.Format().Like(a)
	if err != nil {
		t.Fatal(err)
	}
	var out codecstest.Buffer
	w, err := unrealpak.Format().Create(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Open(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		plain := *e
		plain.Blocks = nil
		if err := w.Add(t.Context(), &plain, r); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
