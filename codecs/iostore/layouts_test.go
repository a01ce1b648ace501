package iostore_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
	"pakdb/internal/aes256"
	"pakdb/internal/perfect"
)

// tables are the offsets of the arrays of a .utoc, found without the reader.
type tables struct{ ids, extents, seeds, left, blocks, methods, dir, metas int }

func tablesOf(toc []byte) (t tables) {
	u32 := func(off int) int { return int(binary.LittleEndian.Uint32(toc[off:])) }
	t.ids = u32(20)
	t.extents = t.ids + 12*u32(24)
	t.seeds = t.extents + 10*u32(24)
	t.left = t.seeds + 4*u32(84)
	t.blocks = t.left + 4*u32(96)
	t.methods = t.blocks + 12*u32(28)
	t.dir = t.methods + u32(36)*u32(40)
	t.metas = t.dir + u32(48)
	return t
}

func insert(b []byte, at int, more []byte) []byte { return slices.Insert(bytes.Clone(b), at, more...) }

// toCTR makes a container of version 10 out of a plain one of version 8: every
// block and the directory index under an IV of its own. first tells whether
// the directory's IV is the first one or the last.
func toCTR(t *testing.T, p pair, first bool) codecs.Source {
	t.Helper()
	toc, data := bytes.Clone(p[""].Bytes()), bytes.Clone(p[".ucas"].Bytes())
	at := tablesOf(toc)
	c, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	n := int(binary.LittleEndian.Uint32(toc[28:]))
	ivs := noise(12 * (n + 1))
	iv := func(i int) [12]byte { return [12]byte(ivs[12*i:]) }
	dirIV, shift := iv(n), 0
	if first {
		dirIV, shift = iv(0), 1
	}
	for i := range n {
		b := toc[at.blocks+12*i:]
		off, size := binary.LittleEndian.Uint64(b)&(1<<40-1), binary.LittleEndian.Uint32(b[4:])>>8
		aes256.XORKeyStreamCTR(c, iv(i+shift), 0, data[off:off+uint64(aes256.Align(int64(size)))])
	}
	aes256.XORKeyStreamCTR(c, dirIV, 0, toc[at.dir:at.metas])
	toc[16], toc[80], toc[81] = 10, toc[80]|2, 2
	binary.LittleEndian.PutUint32(toc[104:], uint32(n+1))
	src := codecstest.Bytes("Game.utoc", insert(toc, at.methods, ivs))
	src.Dir = fstest.MapFS{"Game.ucas": {Data: data}}
	return src
}

func TestVersion10(t *testing.T) {
	if testing.Short() {
		t.Skip("compresses much, to read it in one goroutine")
	}
	for _, first := range []bool{false, true} {
		src := toCTR(t, build(t, codecs.CreateOptions{Method: compress.Zlib, MountPoint: "../../../"}, assorted()), first)
		a := codecstest.Open(t, iostore.Format(), src, &codecs.Options{Keys: keys})
		if found := verify(t, a); len(found) > 0 {
			t.Error(found)
		}
		got := codecstest.Contents(t, a)
		for _, it := range assorted() {
			if !bytes.Equal(got[it.Entry.Name], it.Data) {
				t.Errorf("IV of the directory first: %v: %s differs", first, it.Entry.Name)
			}
		}
	}
}

// signed puts signatures into a container, and the SHA-1 of every block, with
// its padding or without.
func signed(p pair, padded bool) codecs.Source {
	toc, data := bytes.Clone(p[""].Bytes()), p[".ucas"].Bytes()
	at := tablesOf(toc)
	toc[80] |= 4
	sig := binary.LittleEndian.AppendUint32(nil, 64)
	sig = append(sig, make([]byte, 128)...)
	for i := range int(binary.LittleEndian.Uint32(toc[28:])) {
		b := toc[at.blocks+12*i:]
		off, size := binary.LittleEndian.Uint64(b)&(1<<40-1), int64(binary.LittleEndian.Uint32(b[4:])>>8)
		if padded {
			size = aes256.Align(size)
		}
		h := sha1.Sum(data[off : off+uint64(size)])
		sig = append(sig, h[:]...)
	}
	src := codecstest.Bytes("Game.utoc", insert(toc, at.dir, sig))
	src.Dir = fstest.MapFS{"Game.ucas": {Data: bytes.Clone(data)}}
	return src
}

func TestSigned(t *testing.T) {
	if testing.Short() {
		t.Skip("compresses much, to read it in one goroutine")
	}
	for _, padded := range []bool{false, true} {
		src := signed(build(t, codecs.CreateOptions{Method: compress.Zlib}, assorted()), padded)
		a := codecstest.Open(t, iostore.Format(), src, nil)
		if found := verify(t, a); len(found) > 0 {
			t.Errorf("padded %v: %v", padded, found)
		}
		if _, err := iostore.Format().Like(a); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("like a signed container: %v", err)
		}
		if !strings.Contains(detail(a, "signature"), "signed") {
			t.Error("not noticed")
		}
		src.Dir.(fstest.MapFS)["Game.ucas"].Data[0] ^= 1
		found := strings.Join(verify(t, a), "\n")
		if !strings.Contains(found, "SHA-1") {
			t.Errorf("a changed block: %s", found)
		}
	}
}

func detail(a codecs.Archive, name string) string {
	for _, d := range a.Info().Details {
		if d.Name == name {
			return d.Value
		}
	}
	return ""
}

// Version 3 was written under both numberings of chunk types.
func TestEras(t *testing.T) {
	items := []codecstest.Item{{Entry: &codecs.Entry{Name: "Game/Content/A.uasset"}, Data: text(10)}}
	for version, number := range map[string]byte{"2": 2, "3": 2, "8": 1} {
		toc := build(t, codecs.CreateOptions{Version: version}, items)[""].Bytes()
		if got := toc[144+11]; got != number {
			t.Errorf("version %s writes type %d", version, got)
		}
		if version == "3" { // as 5.0 Early Access numbers it
			toc[144+11] = 1
		}
		a := codecstest.Open(t, iostore.Format(), codecstest.Bytes("a.utoc", toc), nil)
		for e, err := range a.Entries() {
			if err != nil || e.Type != iostore.TypeExportBundleData {
				t.Errorf("version %s: %v, %v", version, e, err)
			}
		}
	}
}

// Hashes of 32 bytes that UE4 wrote may be SHA-1.
func TestHashesOfUE4(t *testing.T) {
	p := build(t, codecs.CreateOptions{Version: "3"}, assorted()[:1])
	toc := p[""].Bytes()
	h := sha1.Sum(assorted()[0].Data)
	copy(toc[tablesOf(toc).metas:], append(h[:], make([]byte, 12)...))
	a := p.open(t, nil)
	for _, it := range codecstest.Items(t, a) {
		if it.Entry.Sum.Kind != codecs.HashDecoded || len(it.Entry.Sum.Bytes) != 20 {
			t.Errorf("%+v", it.Entry.Sum)
		}
	}
	p[".ucas"].Bytes()[5] ^= 1
	for e := range a.Entries() {
		if _, err := codecstest.ReadEntry(context.Background(), a, e); !errors.Is(err, codecs.ErrChecksum) {
			t.Errorf("changed content: %v", err)
		}
	}
}

func TestIsPartition(t *testing.T) {
	dir := fstest.MapFS{"A.utoc": {}, "A.ucas": {}, "A_s1.ucas": {}, "B.ucas": {}, "B_s2.ucas": {}, "C.UCAS": {}, "C.utoc": {}, "s1.ucas": {}, "_s1.ucas": {}}
	for name, want := range map[string]bool{
		"A.ucas": true, "A_s1.ucas": true, "A_S12.ucas": true, "C.UCAS": true,
		"B.ucas": false, "B_s2.ucas": false, "A.utoc": false, "s1.ucas": false, "_s1.ucas": false, "A_s.ucas": false, "": false,
	} {
		if got := iostore.IsPartition(name, dir); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if iostore.IsPartition("A.ucas", nil) {
		t.Error("without a folder")
	}
}

func TestMountOrder(t *testing.T) {
	for path, want := range map[string]int{
		"Game/Content/Paks/Game-Windows.utoc": 4,
		"Game/Content/Paks/Mod_P.utoc":        103,
		`X\Content\Paks\Mod_2_P.UTOC`:         303,
		"global.utoc":                         0,
		"X_P.pak":                             0,
	} {
		if got := iostore.MountOrder(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// The ids of the engine's own containers, in the order of their data.
func TestPerfectOfSamples(t *testing.T) {
	for _, kind := range []string{"Uncompressed", "Zlib", "Oodle"} {
		var ids [][12]byte
		for e := range minimal(t, kind).Entries() {
			var id [12]byte
			binary.BigEndian.PutUint32(id[:], uint32(e.ID.Hi))
			binary.BigEndian.PutUint64(id[4:], e.ID.Lo)
			ids = append(ids, id)
		}
		if _, _, left := perfect.Order(ids); len(left) > 0 {
			t.Errorf("%s: %d left out", kind, len(left))
		}
	}
}
