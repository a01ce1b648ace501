package retropak_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
)

// asset is content of a type with an id of 32 or 64 bits.
func asset(typ string, bits uint8, data []byte) codecstest.Item {
	id := codecs.ID64(0xabcdef)
	if bits == 32 {
		id = codecs.ID32(0xabcdef)
	}
	return codecstest.Item{Entry: &codecs.Entry{Name: typ + "/" + id.String(), Type: typ, ID: id}, Data: data}
}

func words(parts ...any) (b []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = u32(b, uint32(p))
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		}
	}
	return b
}

func zeros(n int) []byte { return make([]byte, n) }

// The layouts that no sample has.
func TestReferences(t *testing.T) {
	image := func(id int) []byte { return words(id, zeros(24)) }
	tests := []struct {
		name     string
		item     codecstest.Item
		want     string
		complete bool
	}{
		{"SCAN of Prime", asset("SCAN", 32, words(5, 0x0badbeef, 0x11111, 0x22222, zeros(9), image(0x33333), image(-1), image(0x44444), image(0x33333))),
			"FRME 00011111,STRG 00022222,TXTR 00033333,TXTR 00044444", true},
		{"SCAN of Echoes", asset("SCAN", 32, words("SCAN", 1)), "", false},
		{"MLVL of Prime", asset("MLVL", 32, words(0xdeafbabe, 0x11, 1, 2, 3,
			1, zeros(11), // memory relay
			1, 1, // areas
			4, zeros(72), 5, 99, 1, zeros(2),
			1, 6, "CSNG", 1, 7, "CMDL", 1, 0, // lazy, dependencies, layers
			1, 2, zeros(16), 4, zeros(48), // dock
			8, zeros(5), 1, 77, 9)), // map, audio group
			"STRG 1,SAVW 2,CMDL 3,STRG 4,MREA 5,CSNG 6,CMDL 7,MAPW 8,AGSC 9", true},
		{"MLVL of Echoes", asset("MLVL", 32, words(0xdeafbabe, 0x17, 1, 10, 99, 2, 3,
			2,
			4, zeros(72), 5, 99, 0, 0, 1, 7, "CMDL", 0, 0, 1, "module\x00", 1, 0, "area\x00",
			4, zeros(72), 6, 99, 0, 0, 0, 0, 0, 0, 0, "\x00",
			8)),
			"STRG 1,STRG a,SAVW 2,CMDL 3,STRG 4,MREA 5,CMDL 7,MREA 6,MAPW 8", true},
		{"MLVL of Donkey Kong", asset("MLVL", 64, words(0xdeafbabe, 0x1b, zeros(64))), "", false},
		{"MLVL of another width", asset("MLVL", 64, words(0xdeafbabe, 0x11, zeros(64))), "", false},
		{"MAPW of another version", asset("MAPW", 32, words(0xdeadf00d, 2, 0)), "", false},
		{"CMDL of Echoes", asset("CMDL", 32, words(0xdeadbabe, 4, 0, zeros(24), 2, 1, 32, 32, zeros(12), 2, 1, 2, zeros(20), zeros(32))),
			"TXTR 1,TXTR 2", true},
		{"CMDL with visibility groups", asset("CMDL", 64, words(0xdeadbabe, 5, 0x10, zeros(24))), "", false},
		{"CMDL with an unknown pass", asset("CMDL", 64, words(0xdeadbabe, 5, 0, zeros(24), 1, 1, 64, zeros(16), 1, 36, zeros(28), "WHAT", 0, zeros(20))), "", false},
		{"TXTR", asset("TXTR", 64, words(7)), "", true},
		{"unknown type", asset("PART", 64, words(7)), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := inspectItem(t, tt.item)
			for _, p := range f.Problems {
				t.Error(p)
			}
			var got []string
			for i, r := range f.Refs {
				got = append(got, f.Detail.(*retropak.Facts).Types[i]+" "+r.ID.String())
			}
			if !slices.EqualFunc(got, split(tt.want), sameRef) {
				t.Errorf("refers to %v, want %s", got, tt.want)
			}
			if f.Detail.(*retropak.Facts).Complete != tt.complete {
				t.Errorf("complete: %v", !tt.complete)
			}
			if scan := retropak.Scan(tt.item.Entry, f) != nil; scan == tt.complete {
				t.Errorf("to be scanned: %v", scan)
			}
		})
	}
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// sameRef compares "TYPE id" without regard to leading zeros.
func sameRef(a, b string) bool {
	return a[:5] == b[:5] && strings.TrimLeft(a[5:], "0") == strings.TrimLeft(b[5:], "0")
}

// Damage is a problem with its place, and what stood before it counts.
func TestReferencesDamaged(t *testing.T) {
	tests := []struct {
		name  string
		item  codecstest.Item
		refs  int
		class error
		field string
		off   int64
	}{
		{"magic", asset("MLVL", 32, words(1, 2)), 0, codecs.ErrCorrupt, "magic", 0},
		{"empty", asset("CMDL", 32, nil), 0, codecs.ErrTruncated, "magic", 0},
		{"cut", asset("DGRP", 32, words(2, "TXTR", 1, "TXTR")), 0, codecs.ErrCorrupt, "dependencies", 0},
		{"count", asset("MAPW", 64, words(0xdeadf00d, 1, -1, zeros(64))), 0, codecs.ErrCorrupt, "areas", 8},
		{"area", asset("MLVL", 32, words(0xdeafbabe, 0x11, 1, 2, 3, 0, 1, 1, 4, zeros(72), 5, 99, -1, 0)), 5, codecs.ErrCorrupt, "area", 116},
		{"section sizes", asset("CMDL", 32, words(0xdeadbabe, 2, 0, zeros(24), -1, 1, 0)), 0, codecs.ErrCorrupt, "header", 44},
		{"more sets than sections", asset("CMDL", 32, words(0xdeadbabe, 2, 0, zeros(24), 0, 1, zeros(20))), 0, codecs.ErrCorrupt, "header", -1},
		{"set larger than its section", asset("CMDL", 32, words(0xdeadbabe, 2, 0, zeros(24), 1, 1, 4, zeros(16), 3, 1, 2, 3)), 3, codecs.ErrCorrupt, "material set", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := inspectItem(t, tt.item)
			if len(f.Refs) != tt.refs || len(f.Problems) != 1 {
				t.Fatalf("%d references, problems %v", len(f.Refs), f.Problems)
			}
			p := f.Problems[0]
			if !errors.Is(p, tt.class) || p.Field != tt.field || p.Off != tt.off || p.Format != "retro" || p.Entry != tt.item.Entry.Name {
				t.Errorf("%v (field %q, offset %d)", p, p.Field, p.Off)
			}
			if f.Detail.(*retropak.Facts).Complete {
				t.Error("said to be complete")
			}
		})
	}
}

func TestMatch(t *testing.T) {
	for _, e := range []*codecs.Entry{
		{Name: "a.txt"},
		{Name: "TXTR/x", Type: "TXTR", ID: codecs.ID32(1)},
		{Name: "TXTR/" + codecs.ID{Bits: 128}.String(), Type: "TXTR", ID: codecs.ID{Bits: 128}},
		{Name: "/00000001", Type: "", ID: codecs.ID32(1)},
	} {
		if retropak.Inspector().Match(e, nil) {
			t.Errorf("%+v matches", e)
		}
		if retropak.Scan(e, nil) != nil {
			t.Errorf("%+v is scanned", e)
		}
	}
}

func TestScanSkips(t *testing.T) {
	narrow := retropak.Scan(asset("PART", 32, nil).Entry, nil)
	wide := retropak.Scan(asset("PART", 64, nil).Entry, nil)
	if narrow.Flags != codecs.Weak || wide.Flags != 0 || narrow.Layout.Align != 4 || wide.Layout.Align != 1 ||
		!narrow.SkipCommon || !wide.SkipCommon {
		t.Errorf("%+v, %+v", narrow, wide)
	}
	for _, id := range []uint64{0, 1, 0xffff, 0xffffffff, 0x3f800000, 0xbf800000, 0x3dcccccd, 0x42c80000, 0x3e800000} {
		if !codecs.CommonValue(4, id) {
			t.Errorf("%08x is looked for", id)
		}
	}
	for _, id := range []uint64{0x10000, 0x7b2ea5b1, 0x40490fdc} {
		if codecs.CommonValue(4, id) || codecs.CommonValue(8, id) {
			t.Errorf("%08x is not looked for", id)
		}
	}
	if !codecs.CommonValue(8, ^uint64(0)) || codecs.CommonValue(8, 0x3f800000) {
		t.Error("ids of 64 bits")
	}
}

// FuzzInspect reads arbitrary content as every type that is understood.
func FuzzInspect(f *testing.F) {
	for _, it := range []codecstest.Item{
		asset("DGRP", 32, words(1, "TXTR", 1)),
		asset("MAPW", 32, words(0xdeadf00d, 1, 1, 2)),
		asset("MLVL", 32, words(0xdeafbabe, 0x17, zeros(200))),
		asset("CMDL", 64, words(0xdeadbabe, 5, 0, zeros(24), 1, 1, 64, zeros(16), 1, 36, zeros(28), "PASS", 0x18, zeros(24))),
	} {
		f.Add(it.Entry.Type, it.Entry.ID.Bits == 64, it.Data)
	}
	f.Fuzz(func(t *testing.T, typ string, wide bool, data []byte) {
		bits := uint8(32)
		if wide {
			bits = 64
		}
		it := asset(typ, bits, data)
		in := retropak.Inspector()
		if !in.Match(it.Entry, nil) {
			return
		}
		facts, err := in.Inspect(context.Background(), bytes.NewReader(data), int64(len(data)), it.Entry)
		if err != nil {
			t.Fatal(err)
		}
		if d := facts.Detail.(*retropak.Facts); len(d.Types) != len(facts.Refs) || d.Complete && len(facts.Problems) > 0 {
			t.Fatalf("%+v", facts)
		}
		if 4*len(facts.Refs) > len(data) {
			t.Fatalf("%d references in %d bytes", len(facts.Refs), len(data))
		}
	})
}
