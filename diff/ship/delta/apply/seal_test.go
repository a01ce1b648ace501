package apply

import (
	"bytes"
	"context"
	"crypto/aes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/aes256"
	"pakdb/internal/testkit"
)

var (
	keyA = bytes.Repeat([]byte{0xa5}, aes256.KeySize)
	keyB = bytes.Repeat([]byte{0x5b}, aes256.KeySize)
)

func opened(key []byte) *codecs.Options {
	return &codecs.Options{Keys: func([16]byte) []byte { return key }}
}

// makeSealed makes a patch with a key for each side.
func makeSealed(t testing.TB, old, new []delta.Input, oldKey, newKey []byte) ([]byte, *delta.Header, *maker.Stats) {
	t.Helper()
	var out bytes.Buffer
	h, s, err := maker.Make(context.Background(), old, new, &out, t.TempDir(), &maker.MakeOptions{
		Registry: &codecs.Registry{Formats: []*codecs.Format{unrealpak.Format(), iostore.Format()}},
		Open:     opened(oldKey), OpenNew: opened(newKey),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), h, s
}

// applySealed applies a patch with keys, and returns what is in the folder then.
func applySealed(t testing.TB, patch []byte, old []delta.Input, keys ...[]byte) (map[string][]byte, error) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	r, err := delta.NewReader(bytes.NewReader(patch))
	if err != nil {
		t.Fatal(err)
	}
	var files []io.ReaderAt
	for _, in := range old {
		files = append(files, in.ReaderAt)
	}
	err = Apply(context.Background(), r, files, root, &ApplyOptions{Keys: keys})
	list, dirErr := os.ReadDir(dir)
	if dirErr != nil {
		t.Fatal(dirErr)
	}
	made := map[string][]byte{}
	for _, f := range list {
		if made[f.Name()], dirErr = os.ReadFile(filepath.Join(dir, f.Name())); dirErr != nil {
			t.Fatal(dirErr)
		}
	}
	return made, err
}

// sealedPak is a pak that is encrypted with key; nil: it is plain.
func sealedPak(t testing.TB, o codecs.CreateOptions, key []byte, index bool, contents ...[]byte) []byte {
	t.Helper()
	o.Keys, o.Encrypt, o.EncryptIndex = opened(key).Keys, key != nil, key != nil && index
	return deltatest.PakWith(t, &o, contents...)
}

// TestSealed: what is encrypted costs hardly more than what is not, whatever the
// version, and other keys nearly nothing.
func TestSealed(t *testing.T) {
	t.Parallel()
	a, b, c, d := deltatest.Words(1, 200_000), deltatest.Words(2, 3000), deltatest.Words(3, 15), deltatest.Noisy(4, 32*1024)
	edited := append(append(bytes.Clone(a[:150_000]), "inserted"...), a[150_000:]...)
	edited[7] ^= 1 // in the first block, which pads the others
	repainted := bytes.Clone(d)
	copy(repainted[20_000:], "repainted")
	few := []string{"11", "8A", "3"}
	versions := testkit.Some(unrealpak.Format().Versions, 3)
	if testing.Short() {
		versions = few[:1]
	}
	for _, version := range versions {
		methods := []compress.Method{compress.Zlib}
		if slices.Contains(few, version) {
			methods = append(methods, compress.None)
		}
		for _, method := range methods {
			o := codecs.CreateOptions{Version: version, Method: method}
			pak := func(key []byte, contents ...[]byte) []delta.Input {
				index := version != "3" // which cannot encrypt it
				return []delta.Input{deltatest.Input("x.pak", sealedPak(t, o, key, index, contents...))}
			}
			plain, _, _ := makeSealed(t, pak(nil, a, b, c, d), pak(nil, edited, b, c, repainted), nil, nil)
			for name, run := range map[string]struct {
				old, new       []delta.Input
				oldKey, newKey []byte
				most           int
			}{
				"an edit":           {pak(keyA, a, b, c, d), pak(keyA, edited, b, c, repainted), keyA, keyA, len(plain) + 250},
				"another key":       {pak(keyA, a, b, c, d), pak(keyB, a, b, c, d), keyA, keyB, 600},
				"a key":             {pak(nil, a, b, c, d), pak(keyB, a, b, c, d), nil, keyB, 800},
				"no key any more":   {pak(keyA, a, b, c, d), pak(nil, a, b, c, d), keyA, nil, 800},
				"an edit and a key": {pak(keyA, a, b, c, d), pak(keyB, edited, b, c, repainted), keyA, keyB, len(plain) + 600},
			} {
				t.Run(fmt.Sprintf("%s %s %s", version, method, name), func(t *testing.T) {
					sealedTrip(t, run.old, run.new, run.oldKey, run.newKey, run.most)
				})
			}
		}
	}
}

func sealedTrip(t *testing.T, old, new []delta.Input, oldKey, newKey []byte, most int) {
	t.Helper()
	sealedTripWith(t, old, new, oldKey, newKey, most, keyB, keyA)
}

// sealedTripWith applies with keys, among which are those of both sides.
func sealedTripWith(t *testing.T, old, new []delta.Input, oldKey, newKey []byte, most int, keys ...[]byte) {
	t.Helper()
	p, h, _ := makeSealed(t, old, new, oldKey, newKey)
	if len(p) > most {
		t.Errorf("%d bytes, at most %d expected", len(p), most)
	}
	for _, key := range keys {
		if bytes.Contains(p, key) {
			t.Error("the patch has a key in it")
		}
	}
	made, err := applySealed(t, p, old, keys...)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range new {
		want := make([]byte, in.Size)
		if _, err := in.ReadAt(want, 0); err != nil && err != io.EOF || !bytes.Equal(made[in.Name], want) {
			t.Errorf("%s differs: %v", in.Name, err)
		}
	}
	if len(h.Keys) == 0 {
		t.Fatal("the patch needs no key")
	}
	for name, keys := range map[string][][]byte{
		"no key": nil, "another key": {bytes.Repeat([]byte{1}, aes256.KeySize)}, "short keys": {keyA[:16], keyB[:31]},
	} {
		if made, err := applySealed(t, p, old, keys...); !errors.Is(err, delta.ErrNoKey) || len(made) > 0 {
			t.Errorf("%s: %v, %d files", name, err, len(made))
		}
	}
}

// TestUnsealedWithoutKeys: without keys a patch needs none.
func TestUnsealedWithoutKeys(t *testing.T) {
	a := deltatest.Words(1, 100_000)
	old := []delta.Input{deltatest.Input("x.pak", sealedPak(t, codecs.CreateOptions{Method: compress.Zlib}, keyA, true, a))}
	new := []delta.Input{deltatest.Input("x.pak", sealedPak(t, codecs.CreateOptions{Method: compress.Zlib}, keyA, true, a[1000:]))}
	p, h, s := makeSealed(t, old, new, nil, nil)
	if len(h.Keys) > 0 || s.Sealed > 0 {
		t.Errorf("keys %v, %d bytes encrypted", h.Keys, s.Sealed)
	}
	if bytes.Contains(p, a[2000:2016]) {
		t.Error("the patch has content in the clear")
	}
	if _, err := applySealed(t, p, old); err != nil {
		t.Error(err)
	}
}

// TestForeignPadding: padding that is not UnrealPak's is kept as it is.
func TestForeignPadding(t *testing.T) {
	for _, method := range []compress.Method{compress.Zlib, compress.None} {
		o := codecs.CreateOptions{Version: "5", Method: method}
		old := sealedPak(t, o, keyA, false, deltatest.Words(1, 100_001))
		new := sealedPak(t, o, keyA, false, deltatest.Words(1, 100_003)[2:])
		for _, b := range [][]byte{old, new} {
			repad(t, b)
		}
		p, _, _ := makeSealed(t, []delta.Input{deltatest.Input("x.pak", old)}, []delta.Input{deltatest.Input("x.pak", new)}, keyA, keyA)
		made, err := applySealed(t, p, []delta.Input{deltatest.Input("x.pak", old)}, keyA)
		if err != nil || !bytes.Equal(made["x.pak"], new) {
			t.Errorf("%q: %v", method, err)
		}
		if method == compress.None && len(p) > 1000 {
			t.Errorf("%d bytes", len(p))
		}
	}
}

// repad changes the padding of the first entry of a pak.
func repad(t *testing.T, pak []byte) {
	t.Helper()
	a, err := unrealpak.Format().Open(t.Context(), deltatest.Input("x.pak", pak).Source, opened(keyA))
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(keyA)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		last := pak[e.Offset+e.Stored-aes256.Block:][:aes256.Block]
		aes256.DecryptECB(block, last)
		last[aes256.Block-1] ^= 0x55
		aes256.EncryptECB(block, last)
	}
}

// TestSealedSamples: what UnrealPak encrypted is made again from its twin that is
// not, Oodle included.
func TestSealedSamples(t *testing.T) {
	repak, err := delta.ParseKey("lNJbw660IOC+kU7cnVQ1oeqrXyhk4J6UAZrCBbcnp94=")
	if err != nil {
		t.Fatal(err)
	}
	cue := []byte("CUE4ParseFixtureAESKey0123456789")
	for _, c := range []struct {
		old, new string
		key      []byte
		most     int
	}{
		{"unrealpak/pack_v5_compress.pak", "unrealpak/pack_v5_compress_encrypt.pak", repak, 400},
		{"unrealpak/pack_v8b_compress.pak", "unrealpak/pack_v8b_compress_encrypt_encryptindex.pak", repak, 700},
		{"unrealpak/pack_v11_compress.pak", "unrealpak/pack_v11_compress_encrypt.pak", repak, 400},
		{"unrealpak/pack_v11_encrypt.pak", "unrealpak/pack_v11_compress_encrypt_encryptindex.pak", repak, 700},
		{
			"cue4parse-ue5.8/LegacyPak/Tagged/Oodle/CUE4ParseFixtures-Legacy-Tagged-Oodle.pak",
			"cue4parse-ue5.8/LegacyPak/Tagged/OodleEncrypted/CUE4ParseFixtures-Legacy-Tagged-OodleEncrypted.pak", cue, 1000,
		},
	} {
		var sides [2][]delta.Input
		for i, name := range []string{c.old, c.new} {
			b, err := os.ReadFile(codecstest.Sample(t, append([]string{"unreal-pak"}, strings.Split(name, "/")...)...))
			if err != nil {
				t.Fatal(err)
			}
			sides[i] = []delta.Input{deltatest.Input("x.pak", b)}
		}
		t.Run(filepath.Base(c.new), func(t *testing.T) { sealedTripWith(t, sides[0], sides[1], c.key, c.key, c.most, c.key) })
	}
}

// TestSealedContainer: IoStore's blocks are encrypted each by itself.
func TestSealedContainer(t *testing.T) {
	a, b := deltatest.Words(1, 200_000), deltatest.Words(2, 3001)
	edited := append(append(bytes.Clone(a[:150_000]), "inserted"...), a[150_000:]...)
	write := func(key []byte, contents ...[]byte) []delta.Input {
		name := filepath.Join(t.TempDir(), "x.utoc")
		o := &codecs.CreateOptions{Method: compress.Zlib, Keys: opened(key).Keys, Encrypt: key != nil}
		err := codecs.WriteFile(t.Context(), name, iostore.Format(), o, func(w codecs.Writer) error {
			for i, c := range contents {
				if err := w.Add(t.Context(), &codecs.Entry{Name: fmt.Sprintf("Game/Content/%c.uasset", 'a'+i)}, bytes.NewReader(c)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		files, err := delta.OpenFiles([]string{filepath.Dir(name)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = files.Close() })
		return files.Inputs
	}
	plain, _, _ := makeSealed(t, write(nil, a, b), write(nil, edited, b), nil, nil)
	sealedTrip(t, write(keyA, a, b), write(keyA, edited, b), keyA, keyA, len(plain)+200)
	sealedTrip(t, write(keyA, a, b), write(keyB, a, b), keyA, keyB, 600)
}

// TestSealedAny: any entries, encrypted or not, of any sizes, become any others.
func TestSealedAny(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		side := func(name string) ([]delta.Input, []byte) {
			key := rapid.SampledFrom([][]byte{nil, keyA, keyB}).Draw(rt, name+" key")
			o := codecs.CreateOptions{
				Version: rapid.SampledFrom([]string{"11", "4", "8B"}).Draw(rt, "version"), BlockSize: 4096,
				Method: rapid.SampledFrom([]compress.Method{compress.Zlib, compress.None}).Draw(rt, "method"),
			}
			var contents [][]byte
			for i := range rapid.IntRange(0, 4).Draw(rt, "entries") {
				n := rapid.IntRange(0, 20_000).Draw(rt, "size")
				contents = append(contents, deltatest.Words(uint64(i), n+i)[i*n/8:])
			}
			return []delta.Input{deltatest.Input("x.pak", sealedPak(t, o, key, rapid.Bool().Draw(rt, "index"), contents...))}, key
		}
		old, oldKey := side("old")
		new, newKey := side("new")
		p, _, _ := makeSealed(t, old, new, oldKey, newKey)
		made, err := applySealed(t, p, old, keyA, keyB)
		want := make([]byte, new[0].Size)
		_, _ = new[0].ReadAt(want, 0)
		if err != nil || !bytes.Equal(made["x.pak"], want) {
			rt.Fatalf("%v", err)
		}
	})
}

// TestParseKey: an id before the key is passed over.
func TestParseKey(t *testing.T) {
	text := fmt.Sprintf("%X", keyA)
	for _, s := range []string{text, "0x" + text, "00112233445566778899AABBCCDDEEFF=" + text} {
		if key, err := delta.ParseKey(s); err != nil || !bytes.Equal(key, keyA) {
			t.Errorf("%s: %x, %v", s, key, err)
		}
	}
	if _, err := delta.ParseKey("nonsense=more"); err == nil {
		t.Error("nonsense is a key")
	}
}

// FuzzSealed executes anything that has the right hash, with a key at hand.
func FuzzSealed(f *testing.F) {
	old := sealedPak(f, codecs.CreateOptions{Method: compress.Zlib}, keyA, true, deltatest.Words(1, 6000), deltatest.Words(2, 300))
	new := sealedPak(f, codecs.CreateOptions{Method: compress.Zlib}, keyB, true, deltatest.Words(1, 6100)[100:], deltatest.Words(2, 300), deltatest.Words(3, 77))
	p, h, _ := makeSealed(f, []delta.Input{deltatest.Input("x.pak", old)}, []delta.Input{deltatest.Input("x.pak", new)}, keyA, keyB)
	r, err := delta.NewReader(bytes.NewReader(p))
	if err != nil {
		f.Fatal(err)
	}
	keys, err := h.Unlock([][]byte{keyA, keyB})
	if err != nil {
		f.Fatal(err)
	}
	fuzzSegments(f, r, old, len(new), keys)
}
