package retropak_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/retropak"
)

func noise(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// Content is compressed where the cooker would, and where it pays.
func TestCookerRules(t *testing.T) {
	for _, tt := range []struct {
		version, typ string
		data         []byte
		method       compress.Method
		want         compress.Method
	}{
		{"MP1", "TXTR", text(1000), "", compress.Zlib},
		{"MP1", "STRG", text(1000), "", compress.None},
		{"MP1", "PART", text(0x3ff), "", compress.None},
		{"MP1", "PART", text(0x400), "", compress.Zlib},
		{"MP1", "MREA", text(1000), compress.Zlib, compress.Zlib},
		{"MP1", "TXTR", noise(1000), "", compress.None},
		{"MP1", "TXTR", text(32), "", compress.None},
		{"MP2", "TXTR", text(1000), "", compress.LZO1X},
		{"MP1/MP2", "TXTR", text(1000), "", compress.None},
		{"MP3-E3", "STRG", text(1000), "", compress.LZO1X},
		{"MP3", "STRG", text(1000), "", compress.LZO1X},
		{"MP3", "PART", text(0x7f), "", compress.None},
		{"MP3", "PART", text(0x180), "", compress.LZO1X},
		{"MP3", "MREA", text(1000), "", compress.None},
		{"DKCR", "DCLN", text(1000), "", compress.Zlib},
		{"MP3/DKCR", "TXTR", text(1000), "", compress.None},
	} {
		id := codecs.ID64(7)
		if idBits(tt.version) == 32 {
			id = codecs.ID32(7)
		}
		items := []codecstest.Item{{Entry: &codecs.Entry{Type: tt.typ, ID: id}, Data: tt.data}}
		b := codecstest.Write(t, retropak.Format(), &codecs.CreateOptions{Version: tt.version, Method: tt.method}, items)
		e := entries(t, codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil))[0]
		if e.Method != tt.want {
			t.Errorf("%s: %s of %d bytes is %s, want %s", tt.version, tt.typ, len(tt.data), e.Method, tt.want)
		}
		if e.Stored > int64(len(tt.data)+63)&^31 {
			t.Errorf("%s: %d bytes stored for %d", tt.version, e.Stored, len(tt.data))
		}
	}
}

// A folder of extracted files gives names only.
func TestNameTellsTypeAndID(t *testing.T) {
	items := []codecstest.Item{{Entry: &codecs.Entry{Name: "A%2FC%20/00c0ffee"}, Data: text(32)}}
	b := codecstest.Write(t, retropak.Format(), nil, items)
	e := entries(t, codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil))[0]
	if e.Type != "A/C " || e.ID != codecs.ID32(0xc0ffee) || e.Name != "A%2FC%20/00c0ffee" {
		t.Errorf("%+v", e)
	}
}

func TestWriterRefuses(t *testing.T) {
	id := codecs.ID64(7)
	for _, tt := range []struct {
		name string
		e    codecs.Entry
		want error
	}{
		{"narrow id", codecs.Entry{Type: "TXTR", ID: codecs.ID32(7)}, codecs.ErrName},
		{"no id", codecs.Entry{Type: "TXTR"}, codecs.ErrName},
		{"short type", codecs.Entry{Type: "TX", ID: id}, codecs.ErrName},
		{"odd type", codecs.Entry{Type: "TX\x00R", ID: id}, codecs.ErrName},
		{"other name", codecs.Entry{Name: "TXTR/0000000000000008", Type: "TXTR", ID: id}, codecs.ErrName},
		{"no such name", codecs.Entry{Name: "Game/A.uasset"}, codecs.ErrName},
		{"narrow name", codecs.Entry{Name: "TXTR/00000007"}, codecs.ErrName},
		{"delete record", codecs.Entry{Type: "TXTR", ID: id, Flags: codecs.Deleted}, errors.ErrUnsupported},
	} {
		w := newWriter(t, new(codecstest.Buffer), &codecs.CreateOptions{Version: "MP3"})
		if err := w.Add(t.Context(), &tt.e, bytes.NewReader(nil)); !errors.Is(err, tt.want) {
			t.Errorf("%s: Add: %v", tt.name, err)
		}
		if err := w.Close(); !errors.Is(err, tt.want) {
			t.Errorf("%s: Close: %v", tt.name, err)
		}
	}
}

// Stored bytes of another game would make a pak that no game reads.
func TestRawOfAnotherGame(t *testing.T) {
	raw := cmpd(block{0xa0, lzo(text(100)), 100})
	for _, tt := range []struct {
		version string
		bits    uint8
		method  compress.Method
		stored  []byte
	}{
		{"MP2", 32, compress.LZO1X, raw},
		{"MP3", 64, compress.LZO1X, sized(100, lzo(text(100)))},
		{"DKCR", 64, compress.LZO1X, raw},
		{"MP3", 64, compress.LZO1X, raw[:3]},
		{"MP3", 64, compress.None, raw[:70]}, // shorter than Stored
	} {
		e := &codecs.Entry{Type: "TXTR", ID: codecs.ID{Lo: 7, Bits: tt.bits}, Method: tt.method, Stored: 128}
		w := newWriter(t, new(codecstest.Buffer), &codecs.CreateOptions{Version: tt.version})
		if err := w.AddRaw(t.Context(), e, bytes.NewReader(tt.stored)); err == nil {
			t.Errorf("%s takes % x", tt.version, tt.stored[:3])
		}
	}
}

func TestWriterFails(t *testing.T) {
	e := &codecs.Entry{Type: "TXTR", ID: codecs.ID32(7)}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWriter(t, new(codecstest.Buffer), nil)
	if err := w.Add(done, e, bytes.NewReader(text(10))); !errors.Is(err, context.Canceled) {
		t.Errorf("Add with a cancelled context: %v", err)
	}
	broken := errors.New("disk full")
	for _, version := range []string{"MP1", "MP3"} {
		w := newWriter(t, fullDisk{broken}, &codecs.CreateOptions{Version: version})
		if err := w.Close(); !errors.Is(err, broken) {
			t.Errorf("%s: Close on a full disk: %v", version, err)
		}
	}
	w = newWriter(t, new(codecstest.Buffer), &codecs.CreateOptions{Version: "MP3"})
	if err := w.(codecs.NameWriter).AddName(codecs.NamedResource{Name: "a\x00b", Type: "TXTR", ID: codecs.ID64(1)}); !errors.Is(err, codecs.ErrName) {
		t.Errorf("name with a NUL: %v", err)
	}
}

type fullDisk struct{ err error }

func (d fullDisk) Write([]byte) (int, error)      { return 0, d.err }
func (d fullDisk) Seek(int64, int) (int64, error) { return 0, nil }

// A pak with a zero MD5 keeps it; one with a wrong one is put right.
func TestImitateMD5(t *testing.T) {
	b := corruptionPak(rawEntry{0, "STRG", 1 << 20, text(64)})
	for _, first := range []byte{0, 1} {
		a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", codecstest.Patch(b, 8, first)), nil)
		got := rewrite(t, a, a.Info().Version)
		if zero := bytes.Equal(got[8:24], make([]byte, 16)); zero != (first == 0) {
			t.Errorf("MD5 %x became % x", first, got[8:24])
		}
		if !bytes.Equal(got[24:], b[24:]) {
			t.Error("the rest differs")
		}
		noProblems(t, got)
	}
	w := newWriter(t, new(codecstest.Buffer), nil)
	a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil)
	if err := w.(codecs.Imitator).Imitate(a); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("another layout imitated: %v", err)
	}
}

// More data than is kept in memory.
func TestSpool(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 80 MB")
	}
	chunk := noise(1 << 20)
	var items []codecstest.Item
	for i := range 40 {
		items = append(items, codecstest.Item{Entry: &codecs.Entry{Type: "MREA", ID: codecs.ID64(uint64(i + 1))}, Data: chunk})
	}
	b := codecstest.Write(t, retropak.Format(), &codecs.CreateOptions{Version: "MP3"}, items)
	equalFilled(t, codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil), items)
	noProblems(t, b)
}

// TestPackedAsByTheOriginals: of samples that somebody else packed with liblzo2,
// every content of one block becomes the same bytes again, but for a texture whose
// stream is one byte longer there. Other textures have two blocks there, and one here.
func TestPackedAsByTheOriginals(t *testing.T) {
	for _, name := range []string{"mp3_small.pak", "mp3_small_v2.pak"} {
		src := sampleSource(t, name)
		a := codecstest.Open(t, retropak.Format(), src, nil)
		b := codecstest.Write(t, retropak.Format(), &codecs.CreateOptions{Version: "MP3"}, codecstest.Items(t, a))
		if int64(len(b)) > src.Size {
			t.Errorf("%s: packed again it has %d bytes, not %d", name, len(b), src.Size)
		}
		again := codecstest.Open(t, retropak.Format(), codecstest.Bytes(name, b), nil)
		theirs, ours := entries(t, a), entries(t, again)
		same := 0
		for i, e := range theirs {
			if len(e.Blocks) != 1 || len(ours[i].Blocks) != 1 {
				continue
			}
			if name == "mp3_small_v2.pak" && e.Name == "TXTR/9e29473e87dfc564" {
				continue
			}
			if same++; !bytes.Equal(raw(t, a, e), raw(t, again, ours[i])) {
				t.Errorf("%s: %s differs", name, e.Name)
			}
		}
		if same < 3 {
			t.Errorf("%s: only %d contents of one block", name, same)
		}
	}
}

func raw(t testing.TB, a codecs.Archive, e *codecs.Entry) []byte {
	t.Helper()
	r, err := a.OpenRaw(e)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
