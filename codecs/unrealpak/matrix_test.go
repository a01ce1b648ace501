package unrealpak_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/testkit"
)

// files are contents that reach every path: empty, tiny, one block, exactly one
// and several blocks, incompressible, more than the reader decodes one by one.
func files() []codecstest.Item {
	rnd := rand.New(rand.NewPCG(1, 2))
	item := func(name string, data []byte) codecstest.Item {
		return codecstest.Item{Entry: &codecs.Entry{Name: name}, Data: data}
	}
	return []codecstest.Item{
		item("Game/Content/Maps/Level.umap", append([]byte{0xC1, 0x83, 0x2A, 0x9E}, halfRandom(rnd, 5000)...)),
		item("Game/Config/DefaultGame.ini", []byte(strings.Repeat("[Section]\nKey=Value\n", 200))),
		item("root.txt", []byte("hello")),
		item("Game/Empty.txt", nil),
		item("Game/Content/Block.bin", make([]byte, 4096)),
		item("Game/Content/Noise.bin", noise(rnd, 10_000)),
		item("Game/Content/Ünïcode/日本.txt", []byte(strings.Repeat("日本", 400))),
		item("Game/Content/Big.ubulk", halfRandom(rnd, 150_001)),
	}
}

func noise(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

var zlibOnly = []compress.Method{compress.None, compress.Zlib, compress.Gzip}

func methodsOf(version string) []compress.Method {
	if len(version) == 1 && version < "8" {
		return zlibOnly
	}
	return unrealpak.Format().Methods
}

// Version x method x encryption x delete record: what is written reads back
// equal, verifies, and passes through from its stored bytes unchanged.
func TestWriteMatrix(t *testing.T) {
	f := unrealpak.Format()
	key := keyed(t, repakKey)
	one := testkit.Of(4, 1) // of so many
	for i, version := range f.Versions {
		for k, m := range methodsOf(version) {
			for mask := range 8 {
				if (i+k+mask)%one != 0 {
					continue
				}
				o := &codecs.CreateOptions{Version: version, Method: m, MountPoint: "../../../Game/", BlockSize: 4096, Keys: key.Keys,
					Encrypt: mask&1 != 0, EncryptIndex: mask&2 != 0}
				deleted := mask&4 != 0
				if testing.Short() && mask != 7 || (o.EncryptIndex && version == "3") || (deleted && version < "6" && len(version) == 1) {
					continue
				}
				name := fmt.Sprintf("%s %s encrypt %v index %v delete %v", version, m, o.Encrypt, o.EncryptIndex, deleted)
				t.Run(name, func(t *testing.T) { roundTrip(t, o, key, deleted) })
			}
		}
	}
}

func roundTrip(t *testing.T, o *codecs.CreateOptions, key *codecs.Options, deleted bool) {
	f := unrealpak.Format()
	items := files()
	var out codecstest.Buffer
	w, err := f.Create(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if err := w.Add(context.Background(), it.Entry, bytes.NewReader(it.Data)); err != nil {
			t.Fatal(err)
		}
	}
	if deleted {
		if err := w.Add(context.Background(), &codecs.Entry{Name: "Game/Gone.txt", Flags: codecs.Deleted}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := codecstest.Open(t, f, codecstest.Bytes("m.pak", out.Bytes()), key)
	noProblems(t, a)
	checkEntries(t, a, items, o, deleted)
	again := rewriteRaw(t, a)
	if !bytes.Equal(again, out.Bytes()) {
		t.Errorf("rewriting from stored bytes differs at 0x%x of %d, %d", firstDiff(again, out.Bytes()), len(again), len(out.Bytes()))
	}
}

func checkEntries(t *testing.T, a codecs.Archive, items []codecstest.Item, o *codecs.CreateOptions, deleted bool) {
	t.Helper()
	if i := a.Info(); i.Version != o.Version || i.MountPoint != o.MountPoint || i.Encrypted != (o.Encrypt || o.EncryptIndex) {
		t.Errorf("%+v", i)
	}
	n := 0
	compressed := false
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Flags&codecs.Deleted != 0 {
			if e.Name != "Game/Gone.txt" || !deleted || e.Ordinal != len(items) {
				t.Errorf("delete record %+v", e)
			}
			if _, err := a.Open(context.Background(), e); !errors.Is(err, codecs.ErrNotFound) {
				t.Errorf("a delete record opens: %v", err)
			}
			deleted = false
			continue
		}
		data, err := codecstest.ReadEntry(context.Background(), a, e)
		if err != nil || e.Name != items[n].Entry.Name || !bytes.Equal(data, items[n].Data) {
			t.Errorf("%d %q: %v, %d bytes", n, e.Name, err, len(data))
		}
		if (e.Flags&codecs.Encrypted != 0) != o.Encrypt {
			t.Errorf("%s: flags %x", e.Name, e.Flags)
		}
		compressed = compressed || e.Method != compress.None
		n++
	}
	if n != len(items) || deleted || compressed != (o.Method != compress.None) {
		t.Errorf("%d of %d entries, delete record missing %v, compressed %v", n, len(items), deleted, compressed)
	}
}

// UnrealPak pads every block of an entry from the start of the first: seen in
// the OodleEncrypted sample, which has one with three blocks.
func TestBlockPadding(t *testing.T) {
	key := keyed(t, cueKey)
	block, err := aes.NewCipher([]byte(cueKey))
	if err != nil {
		t.Fatal(err)
	}
	var paks []codecs.Archive
	o := &codecs.CreateOptions{Method: compress.Zlib, BlockSize: 4096, Encrypt: true, Keys: key.Keys}
	paks = append(paks, codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("p.pak", codecstest.Write(t, unrealpak.Format(), o, files())), key))
	paks = append(paks, openSample(t, codecstest.Sample(t, "unreal-pak", "cue4parse-ue5.8", "LegacyPak", "Tagged", "OodleEncrypted",
		"CUE4ParseFixtures-Legacy-Tagged-OodleEncrypted.pak")))
	for _, a := range paks {
		n := 0
		for e := range a.Entries() {
			raw, err := a.OpenRaw(e)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(raw)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(plain); i += 16 {
				block.Decrypt(plain[i:], plain[i:])
			}
			for _, b := range e.Blocks {
				end := int(b.Offset - e.Offset + b.Stored)
				if pad := plain[end : (end+15)&^15]; !bytes.HasPrefix(plain, pad) {
					t.Errorf("%s: block ends at %d with the padding %x", e.Name, end, pad)
				}
				n++
			}
		}
		if n < 5 {
			t.Errorf("%d blocks", n)
		}
	}
}

// Stored bytes pass between any two versions.
func TestAddRawAcrossVersions(t *testing.T) {
	testkit.NotShort(t)
	f := unrealpak.Format()
	key := keyed(t, repakKey)
	for i, from := range f.Versions {
		if testing.Short() && i%4 != 0 {
			continue
		}
		b := codecstest.Write(t, f, &codecs.CreateOptions{Version: from, Method: compress.Zlib, BlockSize: 4096, Encrypt: true, Keys: key.Keys}, files())
		a := codecstest.Open(t, f, codecstest.Bytes("from.pak", b), key)
		for _, to := range f.Versions {
			var out codecstest.Buffer
			w, err := f.Create(&out, &codecs.CreateOptions{Version: to})
			if err != nil {
				t.Fatal(err)
			}
			for e := range a.Entries() {
				raw, err := a.OpenRaw(e)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.AddRaw(context.Background(), e, raw); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			again := codecstest.Open(t, f, codecstest.Bytes("to.pak", out.Bytes()), key)
			noProblems(t, again)
			if diff := codecstest.Equal(files(), codecstest.Items(t, again)); diff != "" {
				t.Errorf("%s to %s: %s", from, to, diff)
			}
		}
	}
}

// Any names and contents survive any version.
func TestRoundTripProperty(t *testing.T) {
	f := unrealpak.Format()
	key := keyed(t, cueKey)
	rapid.Check(t, func(rt *rapid.T) {
		version := rapid.SampledFrom(f.Versions).Draw(rt, "version")
		o := &codecs.CreateOptions{
			Version:   version,
			Method:    rapid.SampledFrom(methodsOf(version)).Draw(rt, "method"),
			Encrypt:   rapid.Bool().Draw(rt, "encrypt"),
			BlockSize: rapid.IntRange(1024, 5000).Draw(rt, "block size"),
			Align:     rapid.SampledFrom([]int64{0, 1, 16, 2048}).Draw(rt, "align"),
			Keys:      key.Keys,
		}
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`([a-zé]{1,4}/){0,3}[A-Zß-ö0-9]{1,8}\.[a-z]{2}`), 0, 8, strings.ToLower).Draw(rt, "names")
		var items []codecstest.Item
		for _, name := range names {
			data := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "data"), rapid.IntRange(0, 300).Draw(rt, "times"))
			items = append(items, codecstest.Item{Entry: &codecs.Entry{Name: name}, Data: data})
		}
		var out codecstest.Buffer
		if err := writeAll(&out, o, items); err != nil {
			rt.Fatal(err)
		}
		a, err := f.Open(context.Background(), codecstest.Bytes("p.pak", out.Bytes()), key)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := codecstest.Equal(items, codecstest.Items(t, a)); diff != "" {
			rt.Fatal(diff)
		}
		err = a.(codecs.Verifier).Verify(context.Background(), func(e *codecs.FormatError) { rt.Error(e) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

func writeAll(out *codecstest.Buffer, o *codecs.CreateOptions, items []codecstest.Item) error {
	w, err := unrealpak.Format().Create(out, o)
	if err != nil {
		return err
	}
	for _, it := range items {
		if err := w.Add(context.Background(), it.Entry, bytes.NewReader(it.Data)); err != nil {
			return err
		}
	}
	return w.Close()
}

func TestCreateRefuses(t *testing.T) {
	f := unrealpak.Format()
	key := keyed(t, repakKey).Keys
	for name, tt := range map[string]struct {
		o    codecs.CreateOptions
		want error
	}{
		"version":         {codecs.CreateOptions{Version: "15"}, errors.ErrUnsupported},
		"method":          {codecs.CreateOptions{Version: "5", Method: compress.Zstd}, errors.ErrUnsupported},
		"no key":          {codecs.CreateOptions{Encrypt: true}, codecs.ErrEncrypted},
		"short key":       {codecs.CreateOptions{Encrypt: true, Keys: func([16]byte) []byte { return []byte("x") }}, codecs.ErrWrongKey},
		"key id":          {codecs.CreateOptions{Version: "5", KeyID: [16]byte{1}}, errors.ErrUnsupported},
		"encrypted index": {codecs.CreateOptions{Version: "3", EncryptIndex: true, Keys: key}, errors.ErrUnsupported},
		"seed":            {codecs.CreateOptions{Version: "9", Seed: 1}, errors.ErrUnsupported},
		"block size":      {codecs.CreateOptions{BlockSize: 1}, errors.ErrUnsupported},
		"alignment":       {codecs.CreateOptions{Align: -1}, errors.ErrUnsupported},
		"template":        {codecs.CreateOptions{Template: 1}, errors.ErrUnsupported},
	} {
		var fe *codecs.FormatError
		if _, err := f.Create(&codecstest.Buffer{}, &tt.o); !errors.Is(err, tt.want) || !errors.As(err, &fe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	for name, e := range map[string]codecs.Entry{
		"no name":       {},
		"absolute":      {Name: "/a"},
		"folder":        {Name: "a/"},
		"repeated":      {Name: "THERE"},
		"delete record": {Name: "a", Flags: codecs.Deleted},
		"encrypted":     {Name: "a", Flags: codecs.Encrypted},
	} {
		w, err := unrealpak.Format().Create(&codecstest.Buffer{}, &codecs.CreateOptions{Version: "5"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(context.Background(), &codecs.Entry{Name: "there"}, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(context.Background(), &e, strings.NewReader("x")); err == nil {
			t.Errorf("%s: accepted", name)
		} else if w.Close() == nil {
			t.Errorf("%s: closes after %v", name, err)
		}
	}
}

// AddRaw does not let stored bytes pass that are not what they should be.
func TestAddRawChecks(t *testing.T) {
	w, err := unrealpak.Format().Create(&codecstest.Buffer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &codecs.Entry{Name: "a", Size: 3, Stored: 3, Sum: codecs.Sum{Kind: codecs.SHA1Stored, Bytes: make([]byte, 20)}}
	if err := w.AddRaw(context.Background(), e, strings.NewReader("abc")); !errors.Is(err, codecs.ErrChecksum) {
		t.Errorf("wrong sum: %v", err)
	}
	w, _ = unrealpak.Format().Create(&codecstest.Buffer{}, nil)
	e = &codecs.Entry{Name: "a", Size: 3, Stored: 3}
	if err := w.AddRaw(context.Background(), e, strings.NewReader("ab")); !errors.Is(err, codecs.ErrTruncated) {
		t.Errorf("short: %v", err)
	}
}

// Large contents leave memory for a temporary file and come back.
func TestSpool(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 20 MB")
	}
	data := make([]byte, 10<<20)
	for i := range data {
		data[i] = byte(i >> 12)
	}
	items := []codecstest.Item{{Entry: &codecs.Entry{Name: "big"}, Data: data}, {Entry: &codecs.Entry{Name: "noise"}, Data: noise(rand.New(rand.NewPCG(3, 3)), 9<<20)}}
	f := unrealpak.Format()
	b := codecstest.Write(t, f, &codecs.CreateOptions{Method: compress.LZ4}, items)
	if diff := codecstest.Equal(items, codecstest.Items(t, codecstest.Open(t, f, codecstest.Bytes("big.pak", b), nil))); diff != "" {
		t.Error(diff)
	}
}
