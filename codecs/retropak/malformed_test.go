package retropak_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
)

// The first entry of these paks starts at 0x60 and 0x140; its record at 0x24
// and 0xc4.
func vectors() []codecstest.Vector {
	long := text(1000)
	mp1 := func(data []byte) []byte { return primePak(4, false, rawEntry{1, "TXTR", 1 << 20, data}) }
	mp3 := func(data []byte) []byte { return corruptionPak(rawEntry{1, "TXTR", 1 << 20, data}) }
	ok1, ok3 := mp1(sized(1000, deflate(long))), mp3(cmpd(block{0xa0, lzo(long), 1000}))
	patch := codecstest.Patch
	max := []byte{0xff, 0xff, 0xff, 0xff}
	small := &codecs.Options{Limits: codecs.Limits{Entry: 900, Name: 4}}
	tf, mpr := tropicalFreeze().bytes(), remastered().bytes()
	return []codecstest.Vector{
		{Name: "prime cut after its head", Bytes: ok1[:8], Want: codecs.ErrTruncated, Field: "tables", Off: 8},
		{Name: "prime cut in names", Bytes: ok1[:20], Want: codecs.ErrCorrupt, Field: "tables", Off: 8},
		{Name: "prime cut in entries", Bytes: ok1[:0x30], Want: codecs.ErrCorrupt, Field: "tables", Off: 0x19},
		{Name: "prime cut in data", Bytes: ok1[:0x60], Want: codecs.ErrTruncated, Field: "offset", Off: 0x2d, Entry: "TXTR/00100000"},
		{Name: "prime name count", Bytes: patch(ok1, 8, max...), Want: codecs.ErrCorrupt, Field: "tables", Off: 8},
		{Name: "prime name length", Bytes: patch(ok1, 0x14, max...), Want: codecs.ErrLimit, Field: "named resource", Off: 0x14},
		{Name: "prime entry count", Bytes: patch(ok1, 0x19, max...), Want: codecs.ErrCorrupt, Field: "tables", Off: 0x19},
		{Name: "prime flag", Bytes: patch(ok1, 0x20, 7), Want: codecs.ErrCorrupt, Field: "compressed", Off: 0x1d},
		{Name: "prime type", Bytes: patch(ok1, 0x21, 0), Want: codecs.ErrCorrupt, Field: "type", Off: 0x21},
		{Name: "prime offset", Bytes: patch(ok1, 0x2d, max...), Want: codecs.ErrTruncated, Field: "offset", Off: 0x2d},
		{Name: "prime unreachable size", Bytes: mp1(sized(1<<30, deflate(long))), Want: codecs.ErrCorrupt, Field: "decoded size", Off: 0x40},
		{Name: "prime larger than said", Bytes: mp1(sized(999, deflate(long))), Want: codecs.ErrCorrupt, Field: "zlib stream", Off: 0x44},
		{Name: "prime smaller than said", Bytes: mp1(sized(1001, deflate(long))), Want: codecs.ErrTruncated, Field: "zlib stream", Off: 0x44},
		{Name: "prime checksum", Bytes: mp1(sized(1000, patch(deflate(long), len(deflate(long))-1, 0))), Want: codecs.ErrCorrupt, Field: "zlib stream", Off: 0x44},
		{Name: "prime damaged stream", Bytes: mp1(sized(1000, patch(deflate(long), 4, max...))), Want: codecs.ErrCorrupt, Field: "zlib stream", Off: 0x44},
		{Name: "prime no room for a size", Bytes: primePak(4, false, rawEntry{1, "TXTR", 1 << 20, nil}), Want: codecs.ErrTruncated, Field: "compressed data", Off: 0x40},
		{Name: "entry limit", Bytes: ok1, Options: small, Want: codecs.ErrLimit, Field: "size", Off: 0x40},
		{Name: "segment of nothing", Bytes: mp1(sized(1000, segment(0, nil))), Want: codecs.ErrCorrupt, Field: "segment", Off: 0x44},
		{Name: "segment over the end", Bytes: mp1(sized(100, segment(0x7000, long[:50]))), Want: codecs.ErrTruncated, Field: "segment", Off: 0x44},
		{Name: "stored segment too large", Bytes: mp1(sized(999, stored(long))), Want: codecs.ErrCorrupt, Field: "segment", Off: 0x44},
		{Name: "second segment damaged", Bytes: mp1(sized(1100, stored(long), segment(5, max))), Want: codecs.ErrCorrupt, Field: "segment", Off: 0x44 + 1002 + 2},

		{Name: "header cut", Bytes: ok3[:0x14], Want: codecs.ErrTruncated, Field: "header", Off: 0},
		{Name: "header size", Bytes: patch(ok3, 4, max...), Want: codecs.ErrCorrupt, Field: "header size", Off: 4},
		{Name: "header cut before sections", Bytes: ok3[:0x42], Want: codecs.ErrTruncated, Field: "section count", Off: 0x40},
		{Name: "section count", Bytes: patch(ok3, 0x40, max...), Want: codecs.ErrCorrupt, Field: "section count", Off: 0x40},
		{Name: "sections cut", Bytes: ok3[:0x50], Want: codecs.ErrTruncated, Field: "sections", Off: 0x44},
		{Name: "no RSHD", Bytes: patch(ok3, 0x4c, 'X'), Want: codecs.ErrCorrupt, Field: "sections", Off: 0x40},
		{Name: "RSHD cut", Bytes: ok3[:0xd0], Want: codecs.ErrTruncated, Field: "RSHD", Off: 0xc0},
		{Name: "RSHD over the limit", Bytes: append(patch(ok3, 0x50, 0x7f), make([]byte, 100)...), Want: codecs.ErrTruncated, Field: "RSHD", Off: 0xc0},
		{Name: "RSHD count", Bytes: patch(ok3, 0xc0, max...), Want: codecs.ErrCorrupt, Field: "RSHD", Off: 0xc0},
		{Name: "STRG count is a warning", Bytes: patch(ok3, 0x80, max...), Want: codecs.ErrCorrupt, Field: "STRG", Off: 0x80},
		{Name: "DATA cut is a warning", Bytes: ok3[:0x100], Want: codecs.ErrTruncated, Field: "DATA", Off: 0x100},
		{Name: "no CMPD", Bytes: mp3(long), Want: codecs.ErrCorrupt, Field: "CMPD", Off: 0x100},
		{Name: "block count", Bytes: mp3(append([]byte("CMPD"), max...)), Want: codecs.ErrLimit, Field: "block count", Off: 0x104},
		{Name: "block table cut", Bytes: mp3(append([]byte("CMPD"), 0, 0, 0, 9)), Want: codecs.ErrCorrupt, Field: "block count", Off: 0x104},
		{Name: "block size", Bytes: mp3(cmpd(block{0xa0, long, 2000}))[:0x140], Want: codecs.ErrTruncated, Field: "DATA", Off: 0x100},
		{Name: "block over the entry", Bytes: mp3(patch(cmpd(block{0xa0, lzo(long), 1000}), 9, 0xff)), Want: codecs.ErrCorrupt, Field: "block size", Off: 0x108},
		{Name: "unreachable block size", Bytes: mp3(patch(cmpd(block{0xa0, lzo(long), 1000}), 12, 0xff)), Want: codecs.ErrCorrupt, Field: "decoded size", Off: 0x10c},
		{Name: "block larger than said", Bytes: mp3(cmpd(block{0xa0, lzo(long), 999})), Want: codecs.ErrCorrupt, Field: "segment", Off: 0x14e},

		{Name: "not TOCC", Bytes: patch(tf, 32+20, 'X'), Want: codecs.ErrCorrupt, Field: "form", Off: 32 + 20},
		{Name: "Prime 4", Bytes: patch(mpr, 32+24, 4), Want: errors.ErrUnsupported, Field: "TOCC version", Off: 32 + 24},
		{Name: "RFRM cut", Bytes: tf[:70], Want: codecs.ErrTruncated, Field: "form size", Off: 4},
		{Name: "chunk size", Bytes: patch(tf, 64+4, 1), Want: codecs.ErrTruncated, Field: "chunk size", Off: 64 + 4},
		{Name: "no ADIR", Bytes: patch(tf, 64, 'X'), Want: codecs.ErrCorrupt, Field: "TOCC", Off: 64},
		{Name: "ADIR count", Bytes: patch(tf, 64+24, max...), Want: codecs.ErrCorrupt, Field: "ADIR", Off: 64 + 24},
		{Name: "ADIR of other records", Bytes: patch(tf, 64+24+3, 0), Want: errors.ErrUnsupported, Field: "ADIR", Off: 64 + 24},
		{Name: "RFRM offset", Bytes: patch(tf, 64+24+4+20, max...), Want: codecs.ErrTruncated, Field: "offset", Off: 64 + 24 + 4 + 20},
		{Name: "LZSS", Bytes: mpr, Want: errors.ErrUnsupported, Field: "compressed data", Off: int64(len(mpr) - 7)},
	}
}

func TestMalformed(t *testing.T) { codecstest.Malformed(t, retropak.Format(), vectors()) }

// Damage to one entry leaves the others readable.
func TestDamageIsLocal(t *testing.T) {
	b := corruptionPak(rawEntry{1, "TXTR", 1, []byte("JUNK")}, rawEntry{0, "MREA", 2, text(64)})
	a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", b), nil)
	var errs, good int
	for e, err := range a.Entries() {
		if err != nil {
			errs++
			if e == nil || e.Name != "TXTR/0000000000000001" || e.Stored != 64 {
				t.Errorf("entry %+v", e)
			}
			continue
		}
		data, err := codecstest.ReadEntry(t.Context(), a, e)
		if err != nil || !bytes.Equal(data, text(64)) {
			t.Errorf("entry %s: %v", e.Name, err)
		}
		good++
	}
	if errs != 1 || good != 1 {
		t.Errorf("%d errors, %d entries", errs, good)
	}
}

// What departs from the games' own paks is found, and is no more than a warning.
func TestVerify(t *testing.T) {
	long := text(1000)
	plain := corruptionPak(rawEntry{0, "STRG", 1 << 20, text(64)}, rawEntry{1, "TXTR", 1 << 21, cmpd(block{0xa0, lzo(long), 1000})})
	twice := func(a, b rawEntry) []byte { return corruptionPak(a, b) }
	patch := codecstest.Patch
	for _, tt := range []struct {
		name  string
		bytes []byte
		field string
		off   int64
	}{
		{"nothing", plain, "", 0},
		{"zeros of the header", patch(plain, 0x20, 1), "header", 0x20},
		{"zeros of the sections", patch(plain, 0x7f, 1), "sections", 0x7f},
		{"zeros of the table", patch(plain, 0xff, 1), "RSHD", 0xff},
		{"bytes after the data", append(bytes.Clone(plain), 1), "DATA", int64(len(plain))},
		{"gap", patch(plain, 0xf3, 0x80), "offset", 0xf0},
		{"fill", patch(plain, len(plain)-1, 0), "padding", int64(len(plain) - 1)},
		{"md5", patch(plain, 8, 1), "md5", 8},
		{"types differ", twice(rawEntry{0, "STRG", 9, text(64)}, rawEntry{0, "TXTR", 9, text(64)}), "type", 0xe0},
		{"copies differ", twice(rawEntry{0, "STRG", 9, text(64)}, rawEntry{0, "STRG", 9, long[1:65]}), "content", 0x140},
		{"copies stored otherwise", twice(rawEntry{0, "STRG", 9, text(60)}, rawEntry{1, "STRG", 9, cmpd(block{0xa0, text(60), 60})}), "", 0},
		{"name of nothing", patch(primePak(4, false, rawEntry{0, "STRG", 9, text(64)}), 0x13, 8), "named resource", 12},
		{"name of another type", patch(primePak(4, false, rawEntry{0, "STRG", 9, text(64)}), 12, 'X'), "named resource", 12},
		{"zeros before the data", patch(primePak(4, false, rawEntry{0, "STRG", 9, text(64)}), 0x3f, 1), "tables", 0x3f},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", tt.bytes), nil)
			var found []*codecs.FormatError
			if err := a.(codecs.Verifier).Verify(t.Context(), func(e *codecs.FormatError) { found = append(found, e) }); err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if !errors.Is(f, codecs.ErrNonStrict) {
					t.Errorf("%v is more than a warning", f)
				}
			}
			switch {
			case tt.field == "" && len(found) > 0:
				t.Errorf("found %v", found)
			case tt.field != "" && (len(found) == 0 || found[0].Field != tt.field || found[0].Off != tt.off):
				t.Errorf("found %v, want %s at 0x%x", found, tt.field, tt.off)
			}
		})
	}
}

// A damaged stream is refused alike whatever was decoded before it, in this archive or
// another: a decoder that is used again took codes that the stream leaves empty from the last
// stream that had some.
func TestDamagedStreamsAfterOthers(t *testing.T) {
	healthy := make([]byte, 4000)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range healthy {
		healthy[i] = 'a' + byte(min(r.ExpFloat64()*4, 25)) // codes of many lengths
	}
	for _, rest := range []byte{0, 0x55, 0xff} {
		empty := append([]byte{0x78, 0x9c, 0x05, 0, 0}, bytes.Repeat([]byte{rest}, 60)...) // its lengths of codes have no codes
		empty[4] &= 0xfe
		pak := primePak(4, false, rawEntry{1, "TXTR", 1, sized(1000, empty)}, rawEntry{1, "TXTR", 2, sized(len(healthy), deflate(healthy))})
		a := codecstest.Open(t, retropak.Format(), codecstest.Bytes("a.pak", pak), nil)
		var entries []*codecs.Entry
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, e)
		}
		_, before := codecstest.ReadEntry(t.Context(), a, entries[0])
		if got, err := codecstest.ReadEntry(t.Context(), a, entries[1]); err != nil || !bytes.Equal(got, healthy) {
			t.Fatal(err)
		}
		_, after := codecstest.ReadEntry(t.Context(), a, entries[0])
		if !errors.Is(before, codecs.ErrCorrupt) || fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%x: %v, and after another stream %v", rest, before, after)
		}
	}
}
