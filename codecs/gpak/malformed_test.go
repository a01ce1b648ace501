package gpak_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
)

// kapgEntry is an entry of a hand-made KAPG, right or wrong.
type kapgEntry struct {
	name           string
	hash           uint64
	nameLen        int32
	off, csz, size int32
}

// raw is a well-formed entry: one LZ4 block of literals.
func raw(name string, off int32) kapgEntry {
	return kapgEntry{name, gpak.Hash(name), int32(len(name)), off, 4, 3}
}

var block = []byte{0x30, 'a', 'b', 'c'} // decodes to abc

func kapgFile(data []byte, entries ...kapgEntry) []byte {
	le := binary.LittleEndian
	b := append([]byte("KAPG"), 1, 0, 0, 0)
	b = le.AppendUint32(b, uint32(len(entries)))
	for _, e := range entries {
		b = le.AppendUint64(b, e.hash)
		b = le.AppendUint32(b, uint32(e.nameLen))
		b = append(b, e.name...)
		for _, v := range []int32{1_400_000_000, e.off, e.csz, e.size} {
			b = le.AppendUint32(b, uint32(v))
		}
	}
	return append(b, data...)
}

// change returns the file of two entries, A and B, after editing the second.
func change(edit func(*kapgEntry)) []byte {
	first, second := raw("B", 0), raw("A", 4) // in hash order
	if first.hash > second.hash {
		first, second = raw("A", 0), raw("B", 4)
	}
	edit(&second)
	return kapgFile(bytes.Repeat(block, 2), first, second)
}

func TestHandMadeKAPGIsHealthy(t *testing.T) {
	b := change(func(*kapgEntry) {})
	isStrict(t, b)
	for _, it := range readPak(t, b) {
		if string(it.Data) != "abc" {
			t.Errorf("%s: %q", it.Entry.Name, it.Data)
		}
	}
}

func TestMalformedKAPG(t *testing.T) {
	good := change(func(*kapgEntry) {})
	second := int64(12 + 29) // where the second record starts
	small := &codecs.Options{Limits: codecs.Limits{Table: 40, Entry: 2, Name: 8}}
	codecstest.Malformed(t, gpak.Format(), []codecstest.Vector{
		{Name: "header cut", Bytes: good[:10], Want: codecs.ErrTruncated, Field: "header", Off: 0},
		{Name: "version 2", Bytes: codecstest.Patch(good, 4, 2), Want: errors.ErrUnsupported, Field: "version", Off: 4},
		{Name: "negative count", Bytes: codecstest.Patch(good, 11, 0x80), Want: codecs.ErrCorrupt, Field: "entry count", Off: 8},
		{Name: "count over file", Bytes: codecstest.Patch(good, 10, 0x7f), Want: codecs.ErrTruncated, Field: "entry count", Off: 8},
		{Name: "table cut", Bytes: kapgFile(nil, raw("A", 0), raw("B", 4))[:69], Want: codecs.ErrTruncated, Field: "entry table", Off: 53},
		{Name: "negative name length", Bytes: change(func(e *kapgEntry) { e.nameLen = -1 }),
			Want: codecs.ErrCorrupt, Field: "name length", Off: second + 8},
		{Name: "name over limit", Bytes: change(func(e *kapgEntry) { e.nameLen = 1 << 20 }),
			Want: codecs.ErrLimit, Field: "name length", Off: second + 8},
		{Name: "name over file", Bytes: change(func(e *kapgEntry) { e.nameLen = 1000 }),
			Want: codecs.ErrTruncated, Field: "entry table", Off: second + 12},
		{Name: "table over limit", Bytes: good, Options: small, Want: codecs.ErrLimit, Field: "entry table", Off: 12},
		{Name: "negative offset", Bytes: change(func(e *kapgEntry) { e.off = -4 }),
			Want: codecs.ErrCorrupt, Field: "offset", Off: second + 13 + 4},
		{Name: "negative compressed size", Bytes: change(func(e *kapgEntry) { e.csz = -4 }),
			Want: codecs.ErrCorrupt, Field: "compressed size", Off: second + 13 + 8},
		{Name: "negative size", Bytes: change(func(e *kapgEntry) { e.size = -3 }),
			Want: codecs.ErrCorrupt, Field: "uncompressed size", Off: second + 13 + 12},
		{Name: "offset over file", Bytes: change(func(e *kapgEntry) { e.off = 9 }),
			Want: codecs.ErrTruncated, Field: "offset", Off: second + 13 + 4},
		{Name: "data over file", Bytes: change(func(e *kapgEntry) { e.csz = 5 }),
			Want: codecs.ErrTruncated, Field: "compressed size", Off: second + 13 + 8},
		{Name: "size beyond LZ4", Bytes: change(func(e *kapgEntry) { e.size = 4*255 + 1 }),
			Want: codecs.ErrCorrupt, Field: "uncompressed size", Off: second + 13 + 12},
		{Name: "size beyond block", Bytes: change(func(e *kapgEntry) { e.size = 4 }),
			Want: codecs.ErrCorrupt, Field: "data", Off: int64(len(good) - 4)},
		{Name: "block beyond size", Bytes: change(func(e *kapgEntry) { e.size = 2 }),
			Want: codecs.ErrCorrupt, Field: "data", Off: int64(len(good) - 4)},
		{Name: "stored bytes shared", Bytes: change(func(e *kapgEntry) { e.off = 0 }),
			Want: codecs.ErrNonStrict, Field: "offset", Off: second + 13 + 4},
		{Name: "name not UTF-8", Bytes: change(func(e *kapgEntry) { e.name, e.hash = "\xe9", gpak.Hash("\xe9") }),
			Want: codecs.ErrNonStrict, Field: "name", Off: second + 12, Entry: "é"},
		{Name: "wrong hash", Bytes: change(func(e *kapgEntry) { e.hash++ }), Want: codecs.ErrCorrupt, Field: "path hash", Off: second},
		{Name: "gap", Bytes: kapgFile(append([]byte{0}, block...), raw("A", 1)), Want: codecs.ErrNonStrict, Field: "offset", Off: 12 + 13 + 4},
		{Name: "trailing bytes", Bytes: append(bytes.Clone(good), 0), Want: codecs.ErrNonStrict, Field: "trailing bytes", Off: int64(len(good))},
		{Name: "same entry twice", Bytes: kapgFile(bytes.Repeat(block, 2), raw("A", 0), raw("A", 4)),
			Want: codecs.ErrCorrupt, Field: "path hash", Off: second},
		{Name: "names differ in case", Bytes: kapgFile(bytes.Repeat(block, 2), raw("A", 0), raw("a", 4)),
			Want: codecs.ErrCorrupt, Field: "path hash", Off: second},
		{Name: "signed order", Bytes: signedOrder(), Want: codecs.ErrNonStrict, Field: "path hash", Off: second},
		{Name: "entry over limit", Bytes: kapgFile(block, raw("A", 0)), Options: small,
			Want: codecs.ErrLimit, Field: "size", Off: -1},
	})
}

// signedOrder returns a pak whose table is in ascending signed order.
func signedOrder() []byte {
	a, b := raw("A", 0), raw("B", 4)
	if int64(a.hash) > int64(b.hash) {
		a, b = raw("B", 0), raw("A", 4)
	}
	if a.hash < b.hash {
		a, b = raw("C", 0), raw("B", 4)
	}
	return kapgFile(bytes.Repeat(block, 2), a, b)
}

// An entry that cannot be has no content: not even when asked for directly.
func TestImpossibleEntryDoesNotOpen(t *testing.T) {
	a := codecstest.Open(t, gpak.Format(), codecstest.Bytes("a.sip", change(func(e *kapgEntry) { e.csz = -4 })), nil)
	failed := 0
	for e, err := range a.Entries() {
		if err == nil {
			continue
		}
		failed++
		if _, err := a.Open(context.Background(), e); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("Open: %v", err)
		}
		if _, err := a.OpenRaw(e); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("OpenRaw: %v", err)
		}
	}
	if failed != 1 {
		t.Errorf("%d entries failed", failed)
	}
}

// Offsets are honoured whatever their order.
func TestDataInAnyOrder(t *testing.T) {
	data := []byte{0x30, 'x', 'y', 'z', 0x30, 'a', 'b', 'c'}
	a := codecstest.Open(t, gpak.Format(), codecstest.Bytes("a.sip", kapgFile(data, raw("A", 4), raw("B", 0))), nil)
	if w := a.Info().Warnings; len(w) > 0 {
		t.Errorf("warnings %v", w)
	}
	got := codecstest.Contents(t, a)
	if string(got["A"]) != "abc" || string(got["B"]) != "xyz" {
		t.Errorf("%q", got)
	}
}

// Both ways to store an empty file: nothing, and LZ4's empty block.
func TestEmptyFiles(t *testing.T) {
	none, zero := raw("A", 0), raw("B", 0)
	none.csz, none.size = 0, 0
	zero.csz, zero.size = 1, 0
	for name, data := range codecstest.Contents(t, codecstest.Open(t, gpak.Format(),
		codecstest.Bytes("a.sip", kapgFile([]byte{0}, none, zero)), nil)) {
		if len(data) > 0 {
			t.Errorf("%s: %q", name, data)
		}
	}
}

func TestBrokenSamples(t *testing.T) {
	ctx := context.Background()
	t.Run("BROKEN_truncated_table.sip", func(t *testing.T) {
		found := codecstest.Problems(ctx, gpak.Format(), sample(t, "BROKEN_truncated_table.sip"), nil)
		if len(found) != 1 || !errors.Is(found[0], codecs.ErrTruncated) {
			t.Errorf("got %v", found)
		}
		t.Log(found)
	})
	t.Run("BROKEN_lz4.sip", func(t *testing.T) {
		want := decode[truth](t, readTruth(t)["BROKEN_lz4.sip"]).Damaged
		found := codecstest.Problems(ctx, gpak.Format(), sample(t, "BROKEN_lz4.sip"), nil)
		var fe *codecs.FormatError
		if len(found) != 1 || !errors.Is(found[0], codecs.ErrCorrupt) || !errors.As(found[0], &fe) || fe.Entry != want || fe.Off < 0 {
			t.Errorf("got %v", found)
		}
		t.Log(found)
	})
}
