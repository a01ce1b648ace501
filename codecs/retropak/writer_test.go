package retropak_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/retropak"
)

// rewrite copies every entry raw, with the names and habits of the original.
func rewrite(t testing.TB, a codecs.Archive, version string) []byte {
	t.Helper()
	var out codecstest.Buffer
	w := newWriter(t, &out, &codecs.CreateOptions{Version: version})
	if err := w.(codecs.Imitator).Imitate(a); err != nil {
		t.Fatal(err)
	}
	for n, err := range a.(codecs.Namer).Named() {
		if err = errors.Join(err, w.(codecs.NameWriter).AddName(n)); err != nil {
			t.Fatal(err)
		}
	}
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
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
	return out.Bytes()
}

func newWriter(t testing.TB, out io.WriteSeeker, o *codecs.CreateOptions) codecs.Writer {
	t.Helper()
	w, err := retropak.Format().Create(out, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func readAll(t testing.TB, src codecs.Source) []byte {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSampleRewrittenIsIdentical(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			src := sampleSource(t, s.file)
			a := codecstest.Open(t, retropak.Format(), src, nil)
			if got := rewrite(t, a, a.Info().Version); !bytes.Equal(got, readAll(t, src)) {
				t.Errorf("differs at 0x%x", firstDifference(got, readAll(t, src)))
			}
		})
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// A sample's contents, compressed anew, read back equal.
func TestSampleRecompressed(t *testing.T) {
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			items := codecstest.Items(t, openSample(t, s.file))
			b := codecstest.Write(t, retropak.Format(), &codecs.CreateOptions{Version: s.version}, items)
			a := codecstest.Open(t, retropak.Format(), codecstest.Bytes(s.file, b), nil)
			if a.Info().Version != s.version {
				t.Errorf("version %s", a.Info().Version)
			}
			equalFilled(t, a, items)
			noProblems(t, b)
		})
	}
}

// equalFilled compares in order, each content filled up to the boundary.
func equalFilled(t rapid.TB, a codecs.Archive, want []codecstest.Item) {
	t.Helper()
	i := 0
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		data, err := codecstest.ReadEntry(context.Background(), a, e)
		if err != nil {
			t.Fatal(err)
		}
		if w := want[i].Entry; e.Type != w.Type || e.ID != w.ID {
			t.Fatalf("entry %d is %s %s, want %s %s", i, e.Type, e.ID, w.Type, w.ID)
		}
		if !bytes.Equal(filled(a, codecstest.Item{Entry: e, Data: data}), filled(a, want[i])) {
			t.Fatalf("entry %d: content differs", i)
		}
		if e.Method != compress.None && !bytes.Equal(data, want[i].Data) {
			t.Fatalf("entry %d: compressed, but not exact", i)
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("%d entries, want %d", i, len(want))
	}
}

func noProblems(t rapid.TB, b []byte) {
	t.Helper()
	for _, p := range codecstest.Problems(context.Background(), retropak.Format(), codecstest.Bytes("written", b), nil) {
		t.Errorf("problem: %v", p)
	}
}

var types = []string{"TXTR", "CMDL", "STRG", "MREA", "PART", "DGRP", "CSKR", "SCAN"}

// drawItem makes an entry of the id width that the version has.
func drawItem(t *rapid.T, bits uint8) codecstest.Item {
	e := &codecs.Entry{Type: rapid.SampledFrom(types).Draw(t, "type")}
	if e.ID = codecs.ID64(rapid.Uint64().Draw(t, "id")); bits == 32 {
		e.ID = codecs.ID32(uint32(e.ID.Lo))
	}
	size := rapid.OneOf(rapid.IntRange(0, 200), rapid.IntRange(0x3ff0, 0x4010), rapid.IntRange(0, 0x9000)).Draw(t, "size")
	alphabet := rapid.SampledFrom([]int{1, 3, 256}).Draw(t, "alphabet")
	data := make([]byte, size)
	x := rapid.Uint32().Draw(t, "seed") | 1
	for i := range data {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		data[i] = byte(int(x>>8) % alphabet)
	}
	return codecstest.Item{Entry: e, Data: data}
}

func idBits(version string) uint8 {
	if version == "MP1" || version == "MP2" || version == "MP1/MP2" {
		return 32
	}
	return 64
}

// What is written reads back, in order, without a finding, and rewriting it raw
// gives the same bytes.
func TestWriteThenRead(t *testing.T) {
	for i, version := range retropak.Format().Versions {
		if testing.Short() && i%2 != 0 {
			continue
		}
		t.Run(version, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				bits := idBits(version)
				items := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) codecstest.Item { return drawItem(t, bits) }), 0, 8).Draw(rt, "items")
				names := rapid.SliceOfN(rapid.StringMatching(`[A-Za-z_0-9é]{0,12}`), 0, 4).Draw(rt, "names")
				b := writeNamed(t, version, items, names)
				src := codecstest.Bytes("a.pak", b)
				a := codecstest.Open(t, retropak.Format(), src, nil)
				hasData := slices.ContainsFunc(items, func(it codecstest.Item) bool { return len(it.Data) > 0 })
				if got := a.Info(); hasData && idBits(got.Version) != bits {
					rt.Fatalf("version %s reads as %s", version, got.Version)
				}
				if idBits(a.Info().Version) != bits {
					return // a prototype pak without data fits either width of id
				}
				equalFilled(rt, a, items)
				var got []string
				for n, err := range a.(codecs.Namer).Named() {
					if err != nil {
						rt.Fatal(err)
					}
					got = append(got, n.Name)
				}
				if len(items) > 0 && !slices.Equal(got, names) {
					rt.Fatalf("names %q, want %q", got, names)
				}
				if again := rewrite(t, a, a.Info().Version); !bytes.Equal(again, b) {
					rt.Fatalf("rewritten differs at 0x%x", firstDifference(again, b))
				}
			})
		})
	}
}

// writeNamed gives names to the first item, over and over.
func writeNamed(t testing.TB, version string, items []codecstest.Item, names []string) []byte {
	t.Helper()
	var out codecstest.Buffer
	w := newWriter(t, &out, &codecs.CreateOptions{Version: version})
	for i, it := range items {
		if i == 0 {
			for _, name := range names {
				if err := w.(codecs.NameWriter).AddName(codecs.NamedResource{Name: name, Type: it.Entry.Type, ID: it.Entry.ID}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Add(context.Background(), it.Entry, bytes.NewReader(it.Data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
