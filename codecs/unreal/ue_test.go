package unreal_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

func reader(b []byte) *bin.Reader { return bin.NewReader(b, 0, binary.LittleEndian) }

func TestFString(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []byte
		want string
		bare bool
	}{
		{"empty", []byte{0, 0, 0, 0}, "", false},
		{"ascii", []byte("\x03\x00\x00\x00ab\x00"), "ab", false},
		{"utf-8", []byte("\x03\x00\x00\x00\xc3\xa9\x00"), "é", false},
		{"latin-1", []byte("\x02\x00\x00\x00\xe9\x00"), "é", false},
		{"wide", []byte("\xfe\xff\xff\xff\xe9\x00\x00\x00"), "é", false},
		{"no NUL", []byte("\x02\x00\x00\x00ab"), "ab", true},
		{"wide, no NUL", []byte("\xff\xff\xff\xff\xe9\x00"), "é", true},
		{"lone surrogate", []byte("\xfe\xff\xff\xff\x00\xd8\x00\x00"), "\ufffd", false},
	} {
		r := reader(tt.in)
		got := unreal.FString(r)
		if got.String() != tt.want || got.Bare != tt.bare || r.Err() != nil || r.Len() != 0 {
			t.Errorf("%s: %q, bare %v, err %v, %d left", tt.name, got, got.Bare, r.Err(), r.Len())
		}
	}
}

func TestFStringHostile(t *testing.T) {
	for name, in := range map[string][]byte{
		"too long":      {5, 0, 0, 0, 'a'},
		"most negative": {0, 0, 0, 0x80, 'a', 0},
		"cut length":    {1, 0},
	} {
		r := reader(in)
		if unreal.FString(r); !errors.Is(r.Err(), bin.ErrCount) && !errors.Is(r.Err(), bin.ErrShort) {
			t.Errorf("%s: %v", name, r.Err())
		}
	}
}

func TestAppendFString(t *testing.T) {
	for _, s := range []string{"", "Game/A.uasset", "Ünï/日本.txt", "\U0001F600"} {
		b := unreal.AppendUtf8String(unreal.AppendFString(nil, s), s)
		r := reader(b)
		if a, c := unreal.FString(r).String(), unreal.Utf8String(r).String(); a != s || c != s || r.Len() != 0 {
			t.Errorf("%q: read back %q and %q", s, a, c)
		}
	}
}

// Vectors from an index that UnrealPak 4.27 wrote, and from the format's notes.
func TestPathHash(t *testing.T) {
	for path, want := range map[string]uint64{
		"directory/nested.txt": 0x7510982b7a90019c,
		"test.png":             0x6fca1a4597faf520,
		"TEST.txt":             0x22aa734f1fea5939,
		"zeros.bin":            0xb30848af896c1dcb,
	} {
		if got := unreal.PathHash(path, 0x536b165c); got != want {
			t.Errorf("%s: %x, want %x", path, got, want)
		}
	}
	if got := unreal.PathHash("directory/nested.txt", 0); got != 0x182de9b6502ca438 {
		t.Errorf("seed 0: %x", got)
	}
	if got := unreal.PathHashSwapped("directory/nested.txt", 0); got != 0xbc93ca460cd5062e {
		t.Errorf("version 10: %x", got)
	}
	if unreal.PathHash("ÉA", 1) != unreal.PathHash("éa", 1) {
		t.Error("case matters")
	}
}

func TestGUID(t *testing.T) {
	const text = "00112233445566778899AABBCCDDEEFF"
	g, err := unreal.ParseGUID("00112233-4455-6677-8899-aabbccddeeff")
	if err != nil || g.String() != text || g[0] != 0x33 {
		t.Errorf("%v %v %x", g, err, g[:])
	}
	if _, err := unreal.ParseGUID("12"); err == nil {
		t.Error("short GUID accepted")
	}
}

// FuzzFString checks that whatever decodes is valid and comes back from the
// writer's form.
func FuzzFString(f *testing.F) {
	f.Add([]byte("\x03\x00\x00\x00ab\x00"))
	f.Add([]byte("\xfe\xff\xff\xff\xe9\x00\x00\x00"))
	f.Add([]byte{0, 0, 0, 0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := reader(b)
		s := unreal.FString(r).String()
		if r.Err() != nil {
			return
		}
		if got := unreal.FString(reader(unreal.AppendFString(nil, s))).String(); got != s {
			t.Errorf("%q came back as %q", s, got)
		}
	})
}
