package unrealpak_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"io"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
)

// small is a pak of two files, one of them in three zlib blocks of 1 KiB.
func small(t testing.TB, o codecs.CreateOptions) []byte {
	t.Helper()
	o.Method, o.BlockSize, o.MountPoint = compress.Zlib, 1024, "../../../"
	return codecstest.Write(t, unrealpak.Format(), &o, []codecstest.Item{
		{Entry: &codecs.Entry{Name: "a/stored.txt"}, Data: []byte("stored content")},
		{Entry: &codecs.Entry{Name: "a/packed.txt"}, Data: bytes.Repeat([]byte("packed content, "), 180)},
	})
}

// Where things are in small, for versions without encryption.
type places struct{ footer, index, size int }

func find(pak []byte) places {
	footer := bytes.LastIndex(pak, []byte{0xE1, 0x12, 0x6F, 0x5A})
	return places{footer, int(le.Uint64(pak[footer+8:])), int(le.Uint64(pak[footer+16:]))}
}

// patchIndex changes the index and corrects its hash.
func patchIndex(pak []byte, off int, repl ...byte) []byte {
	c := codecstest.Patch(pak, off, repl...)
	p := find(c)
	sum := sha1.Sum(c[p.index : p.index+p.size])
	copy(c[p.footer+24:], sum[:])
	return c
}

func TestMalformed(t *testing.T) {
	v5, v11 := small(t, codecs.CreateOptions{Version: "5"}), small(t, codecs.CreateOptions{Version: "11"})
	p5, p11 := find(v5), find(v11)
	mount := len(fstring(nil, "../../../"))
	rec := p5.index + mount + 4 + len(fstring(nil, "a/stored.txt")) // first record
	next := rec + 53 + len(fstring(nil, "a/packed.txt"))            // second record
	enc := p11.index + mount + 4 + 8 + 2*40 + 4                     // encoded entries
	// Version 5 of a pak whose payload was cut out of the middle.
	gone := append(bytes.Clone(v5[:10]), v5[p5.index:]...)
	key := keyed(t, repakKey)
	locked := small(t, codecs.CreateOptions{Version: "11", EncryptIndex: true, Keys: key.Keys})
	sealed := small(t, codecs.CreateOptions{Version: "8B", Encrypt: true, Keys: key.Keys})
	packed := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Version: "8B", Encrypt: true, Keys: key.Keys, Method: compress.Zlib},
		[]codecstest.Item{{Entry: &codecs.Entry{Name: "packed.txt"}, Data: bytes.Repeat([]byte("packed "), 15_000)}})
	lockedAt := int64(find(locked).index)
	v9 := small(t, codecs.CreateOptions{Version: "9"})

	codecstest.Malformed(t, unrealpak.Format(), []codecstest.Vector{
		{Name: "no footer", Bytes: v5[:p5.footer], Want: codecs.ErrUnknown, Off: -1},
		{Name: "future version", Bytes: codecstest.Patch(v5, p5.footer+4, 16), Want: errors.ErrUnsupported, Field: "version", Off: int64(p5.footer + 4)},
		{Name: "unexplained tail", Bytes: append(bytes.Clone(v5), make([]byte, 20)...), Want: errors.ErrUnsupported, Field: "footer", Off: int64(p5.footer)},
		{Name: "frozen", Bytes: codecstest.Patch(v9, find(v9).footer+44, 1), Want: errors.ErrUnsupported, Field: "frozen index", Off: int64(find(v9).footer + 44)},
		{Name: "index after the end", Bytes: gone, Want: codecs.ErrTruncated, Field: "index", Off: int64(10 + p5.size + 1 + 8)},
		{Name: "negative index size", Bytes: codecstest.Patch(v5, p5.footer+23, 0xff), Want: codecs.ErrCorrupt, Field: "index", Off: int64(p5.footer + 8)},
		{Name: "index hash", Bytes: codecstest.Patch(v5, p5.footer+24, v5[p5.footer+24]^1), Want: codecs.ErrChecksum, Field: "index", Off: int64(p5.index)},
		{Name: "entry count", Bytes: patchIndex(v5, p5.index+mount, 0xff, 0xff), Want: codecs.ErrCorrupt, Field: "index", Off: int64(p5.index + mount)},
		{Name: "one entry less", Bytes: patchIndex(v5, p5.index+mount, 3), Want: codecs.ErrTruncated, Field: "index", Off: int64(p5.index + p5.size)},
		{Name: "negative offset", Bytes: patchIndex(v5, rec+7, 0x80), Want: codecs.ErrCorrupt, Field: "entry", Off: int64(rec), Entry: "a/stored.txt"},
		{Name: "size after the end", Bytes: patchIndex(v5, rec+8, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff), Want: codecs.ErrTruncated, Field: "entry", Off: int64(rec)},
		{Name: "stored sizes differ", Bytes: patchIndex(v5, rec+8, 13), Want: codecs.ErrCorrupt, Field: "size", Off: int64(rec)},
		{Name: "unknown mask", Bytes: patchIndex(v5, next+24, 8), Want: errors.ErrUnsupported, Field: "method", Off: int64(next), Entry: "a/packed.txt"},
		{Name: "block order", Bytes: patchIndex(v5, next+52+16, 0), Want: codecs.ErrCorrupt, Field: "blocks", Off: int64(next)},
		{Name: "block size", Bytes: patchIndex(v5, next+52+48+1, 0, 0), Want: codecs.ErrCorrupt, Field: "block size", Off: int64(next)},
		{Name: "bomb", Bytes: patchIndex(v5, next+16, 0, 0, 0x80, 0, 0, 0, 0, 0), Want: codecs.ErrCorrupt, Field: "block size", Off: int64(next)},
		{Name: "decodes to less", Bytes: patchIndex(v5, next+16, 0x41), Want: codecs.ErrCorrupt, Field: "blocks[2]", Off: int64(le.Uint64(v5[next+52+32:])) + 67},
		{Name: "payload", Bytes: codecstest.Patch(v5, 53, 'S'), Want: codecs.ErrChecksum, Field: "SHA-1", Off: 53, Entry: "a/stored.txt"},
		{Name: "payload of version 11", Bytes: codecstest.Patch(v11, 53, 'S'), Want: codecs.ErrChecksum, Field: "SHA-1", Off: 53, Entry: "a/stored.txt"},
		{Name: "method number", Bytes: patchIndex(v11, enc+12+3, v11[enc+12+3]|1), Want: codecs.ErrCorrupt, Field: "method", Off: int64(enc + 12)},
		{Name: "unnamed method", Bytes: codecstest.Patch(v11, p11.footer+44, 0, 0, 0, 0), Want: codecs.ErrCorrupt, Field: "method", Off: int64(enc + 12)},
		{Name: "record count", Bytes: patchIndex(v11, p11.index+mount, 3), Want: codecs.ErrNonStrict, Field: "entry count", Off: int64(p11.index + mount)},
		{Name: "no key", Bytes: locked, Want: codecs.ErrEncrypted, Field: "index", Off: lockedAt},
		{Name: "wrong key", Bytes: locked, Options: keyed(t, cueKey), Want: codecs.ErrWrongKey, Field: "index", Off: lockedAt},
		{Name: "short key", Bytes: locked, Options: &codecs.Options{Keys: func([16]byte) []byte { return []byte("k") }}, Want: codecs.ErrWrongKey, Field: "key", Off: int64(len(locked) - 221)},
		{Name: "no key for content", Bytes: sealed, Want: codecs.ErrEncrypted, Off: -1, Entry: "a/stored.txt"},
		{Name: "wrong key for content", Bytes: sealed, Options: keyed(t, cueKey), Want: codecs.ErrWrongKey, Field: "key", Off: 53, Entry: "a/stored.txt"},
		{Name: "wrong key for blocks", Bytes: packed, Options: keyed(t, cueKey), Want: codecs.ErrWrongKey, Field: "blocks[0]", Off: 53 + 4 + 2*16, Entry: "packed.txt"},
	})
}

// verifyFinds returns the first problem that Verify reports.
func verifyFinds(t *testing.T, pak []byte) *codecs.FormatError {
	t.Helper()
	a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("v.pak", pak), nil)
	var first *codecs.FormatError
	err := a.(codecs.Verifier).Verify(context.Background(), func(e *codecs.FormatError) {
		if first == nil {
			first = e
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// patchRegion changes the region that the index declares at off, and corrects
// all hashes.
func patchRegion(pak []byte, decl, off int, repl ...byte) []byte {
	start, size := int(le.Uint64(pak[decl:])), int(le.Uint64(pak[decl+8:]))
	c := codecstest.Patch(pak, start+off, repl...)
	sum := sha1.Sum(c[start : start+size])
	return patchIndex(c, decl+16, sum[:]...)
}

func TestVerifyFinds(t *testing.T) {
	v11 := small(t, codecs.CreateOptions{Version: "11", Align: 64})
	p := find(v11)
	hashes := p.index + len(fstring(nil, "../../../")) + 4 + 8 + 4 // where the regions are declared
	dirs := hashes + 36 + 4
	for _, tt := range []struct {
		name  string
		pak   []byte
		field string
		class error
	}{
		{"copy's size", codecstest.Patch(v11, 8, 1), "record before the payload: size", codecs.ErrCorrupt},
		{"copy's method", codecstest.Patch(v11, 128+24, 2), "record before the payload: method", codecs.ErrCorrupt},
		{"copy's flags", codecstest.Patch(v11, 48, 1), "record before the payload: flags", codecs.ErrCorrupt},
		{"copy's block size", codecstest.Patch(v11, 49, 1), "record before the payload: block size", codecs.ErrNonStrict},
		{"copy's offset", codecstest.Patch(v11, 0, 1), "record before the payload: offset", codecs.ErrNonStrict},
		{"payload", codecstest.Patch(v11, 60, 'X'), "SHA-1", codecs.ErrChecksum},
		{"gap", codecstest.Patch(v11, 100, 1), "gap", codecs.ErrNonStrict},
		{"path hash", patchRegion(v11, hashes, 4, 1, 2, 3), "path hash", codecs.ErrCorrupt},
		{"location of a path hash", patchRegion(v11, hashes, 4+8, 1), "path hash", codecs.ErrCorrupt},
		{"location in the directory", patchRegion(v11, dirs, 4+4+2+4+4+3+4+4+11, 12), "path hash", codecs.ErrCorrupt},
	} {
		if got := verifyFinds(t, tt.pak); got == nil || got.Field != tt.field || !errors.Is(got, tt.class) {
			t.Errorf("%s: %v; want %s, %v", tt.name, got, tt.field, tt.class)
		}
	}
	if got := verifyFinds(t, v11); got != nil {
		t.Errorf("healthy: %v", got)
	}
}

// A wrong key over a plain index shows in the padding and the magic only, of any
// of its entries.
func TestWrongKeyOfStored(t *testing.T) {
	key := keyed(t, repakKey)
	content := map[string]string{
		"padding.txt":  "content of seventeen",                       // 12 bytes of padding
		"magic.uasset": "\xC1\x83\x2A\x9E and twelve.",               // none
		"neither.bin":  "sixteen bytes..!",                           // nothing to go by
		"big.txt":      strings.Repeat("a large one ", 20_000) + "x", // several units
	}
	for _, version := range []string{"5", "8B", "11"} {
		for _, test := range []struct {
			names   []string
			noticed bool
		}{
			{[]string{"neither.bin", "padding.txt", "magic.uasset", "big.txt"}, true},
			{[]string{"neither.bin", "padding.txt"}, version != "5"},
			{[]string{"neither.bin", "big.txt"}, version != "5"},
			{[]string{"neither.bin", "magic.uasset"}, version == "5"},
			{[]string{"neither.bin"}, false},
		} {
			var items []codecstest.Item
			for _, name := range test.names {
				items = append(items, codecstest.Item{Entry: &codecs.Entry{Name: name}, Data: []byte(content[name])})
			}
			b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Version: version, Encrypt: true, Keys: key.Keys}, items)
			right := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("k.pak", b), key)
			wrong := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("k.pak", b), keyed(t, cueKey))
			for e := range right.Entries() {
				data, err := codecstest.ReadEntry(context.Background(), right, e)
				if err != nil || string(data) != content[e.Name] {
					t.Errorf("version %s, %q: %s: %v", version, test.names, e.Name, err)
				}
				_, err = codecstest.ReadEntry(context.Background(), wrong, e)
				if errors.Is(err, codecs.ErrWrongKey) != test.noticed {
					t.Errorf("version %s, %q: %s with the wrong key: %v", version, test.names, e.Name, err)
				}
			}
		}
	}
}

func TestExtraBytesAreAWarning(t *testing.T) {
	for _, version := range []string{"5", "11"} {
		b := append(small(t, codecs.CreateOptions{Version: version}), 1, 2, 3, 4, 5, 6, 7, 8)
		a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("ark.pak", b), nil)
		if w := a.Info().Warnings; len(w) != 1 || !errors.Is(w[0], codecs.ErrNonStrict) {
			t.Errorf("version %s: %v", version, w)
		}
		if n := len(codecstest.Items(t, a)); n != 2 {
			t.Errorf("version %s: %d entries", version, n)
		}
	}
}

// Damage behind the first entries keeps those.
func TestBrokenDirectoryKeepsEntries(t *testing.T) {
	v11 := small(t, codecs.CreateOptions{Version: "11"})
	dirs := find(v11).index + len(fstring(nil, "../../../")) + 4 + 8 + 4 + 36 + 4
	b := patchRegion(v11, dirs, 4+4+2+4+4+3+4+4+13+4, 0xff, 0xff) // length of the second name
	a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("b.pak", b), nil)
	var names []string
	var last error
	for e, err := range a.Entries() {
		if last = err; e != nil {
			names = append(names, e.Name)
		}
	}
	if len(names) != 1 || !errors.Is(last, codecs.ErrCorrupt) {
		t.Errorf("%v, then %v", names, last)
	}
}

func TestUnknownMethodPassesThrough(t *testing.T) {
	f := unrealpak.Format()
	var out codecstest.Buffer
	w, err := f.Create(&out, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &codecs.Entry{Name: "a", Size: 100, Stored: 7, Method: "GameZip"}
	if err := w.AddRaw(context.Background(), e, strings.NewReader("secrets")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := codecstest.Open(t, f, codecstest.Bytes("a.pak", out.Bytes()), nil)
	noProblems(t, a)
	for got := range a.Entries() {
		if got.Method != "GameZip" {
			t.Errorf("method %s", got.Method)
		}
		if _, err := a.Open(context.Background(), got); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("opens: %v", err)
		}
		raw, err := a.OpenRaw(got)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(raw); err != nil || string(b) != "secrets" {
			t.Errorf("%q, %v", b, err)
		}
	}
}

func TestExplain(t *testing.T) {
	v11 := small(t, codecs.CreateOptions{Version: "11"})
	footer := find(v11).footer
	for _, tt := range []struct {
		name string
		b    []byte
		text string
	}{
		{"fork.pak", codecstest.Patch(v11, footer, 1, 2, 3, 4), "footer of version 11 with the magic 0x04030201"},
		{"wiped.pak", append(bytes.Clone(v11[:len(v11)-221]), make([]byte, 221)...), "half-written"},
		{"zero.pak", append(bytes.Clone(v11[:footer-17]), make([]byte, 700)...), "half-written"},
		{"cut.PAK", v11[:footer-20], "cut short"},
		{"empty.pak", nil, "empty"},
		{"quake.pak", append([]byte("PACK"), bytes.Repeat([]byte{7}, 600)...), "PACK"},
		{"other.pak", bytes.Repeat([]byte{9}, 600), "game fork"},
		{"healthy.pak", v11, ""},
		{"other.bin", bytes.Repeat([]byte{9}, 600), ""},
	} {
		src := codecstest.Bytes(tt.name, tt.b)
		got := unrealpak.Explain(src)
		if (got == nil) != (tt.text == "") || got != nil && !strings.Contains(got.Error(), tt.text) {
			t.Errorf("%s: %v", tt.name, got)
		}
		if m, err := unrealpak.Format().Probe(src); err != nil || (m == codecs.MagicMatch) != (tt.name == "healthy.pak") {
			t.Errorf("%s: probe %v %v", tt.name, m, err)
		}
	}
}

// The starts of other families' .pak files are nobody's business here.
func TestProbeLeavesOthersAlone(t *testing.T) {
	for _, head := range []string{"\x00\x03\x00\x05", "\x00\x00\x00\x02", "RFRM", "PACK"} {
		b := append([]byte(head), make([]byte, 4096)...)
		if m, err := unrealpak.Format().Probe(codecstest.Bytes("x.pak", b)); err != nil || m != codecs.NoMatch {
			t.Errorf("%q: %v %v", head, m, err)
		}
	}
}
