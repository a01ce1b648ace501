package calligraphy_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/calligraphy"
)

func ptp() *writer { return new(writer).raw("PTP\x0a") }

// A group whose one simple field is cut off before its type.
func group() *writer { return ptp().u8(2).u16(1).u64(7).u8(0) }

func nested(depth int) []byte {
	w := ptp()
	for range depth {
		w.u8(2).u16(1).u64(7).u8(0).u16(1).u64(8).u8('R')
	}
	return w.u8(0).raw(string(make([]byte, 2*depth))).b // each group ends with an empty list of lists
}

func TestMalformed(t *testing.T) {
	tests := []struct {
		name, file string
		body       []byte
		class      error
		off        int64
		fatal      bool // no facts at all
	}{
		{"empty", "Calligraphy/Empty.curve", nil, codecs.ErrTruncated, 0, true},
		{"header cut", "a.curve", []byte("CRV"), codecs.ErrTruncated, 0, true},
		{"magic of another kind", "a.curve", []byte("TYP\x0a\x00\x00"), codecs.ErrCorrupt, 0, true},
		{"directory without magic", "Calligraphy/Curve.directory", []byte("CRV\x0a\x00\x00"), codecs.ErrCorrupt, 0, true},
		{"version 9", "a.type", []byte("TYP\x09\x00\x00"), errors.ErrUnsupported, 3, true},
		{"version 12", "Curve.directory", []byte("CDR\x0c\x00\x00\x00\x00"), errors.ErrUnsupported, 3, true},
		{"resource head cut", "Resource/a.cell", make([]byte, 11), codecs.ErrTruncated, 0, true},

		{"directory without count", "Curve.directory", []byte("CDR\x0b\x00\x00"), codecs.ErrTruncated, 4, false},
		{"more records than bytes", "Curve.directory", new(writer).raw("CDR\x0a").u16(2).raw(string(make([]byte, 37))).b, codecs.ErrCorrupt, 4, false},
		{"negative count", "Prototype.directory", new(writer).raw("PDR\x0b").u32(0x80000000).b, codecs.ErrCorrupt, 4, false},
		{"path cut", "Type.directory", new(writer).raw("TDR\x0a").u16(1).u64(1).u64(2).u8(0).u16(5).raw("abc").b, codecs.ErrTruncated, 25, false},
		{"path not UTF-8", "Type.directory", new(writer).raw("TDR\x0a").u16(1).u64(1).u64(2).u8(0).str("a\xff").b, codecs.ErrCorrupt, 25, false},
		{"bytes after a directory", "Type.directory", new(writer).raw("TDR\x0a").u16(0).u8(0).b, codecs.ErrNonStrict, 6, false},
		{"replacement cut", "Replacement.directory", new(writer).raw("RDR\x0a").u16(1).u64(1).u64(2).u16(1).b, codecs.ErrTruncated, 24, false},

		{"curve end before start", "a.curve", new(writer).raw("CRV\x0a").u32(5).u32(2).b, codecs.ErrCorrupt, 8, false},
		{"curve longer than bytes", "a.curve", new(writer).raw("CRV\x0a").u32(0).u32(1).u64(0).b, codecs.ErrCorrupt, 12, false},
		{"curve of 2^32", "a.curve", new(writer).raw("CRV\x0a").u32(0x80000000).u32(0x7fffffff).b, codecs.ErrCorrupt, 12, false},
		{"bytes after a curve", "a.curve", new(writer).raw("CRV\x0a").u32(0).u32(0).u64(0).u8(1).b, codecs.ErrNonStrict, 20, false},

		{"more assets than bytes", "a.type", new(writer).raw("TYP\x0a").u16(0xffff).u64(0).b, codecs.ErrCorrupt, 4, false},
		{"asset name not UTF-8", "a.type", new(writer).raw("TYP\x0a").u16(1).u64(1).u64(2).u8(0).str("\xc0").b, codecs.ErrCorrupt, 25, false},

		{"blueprint class cut", "a.blueprint", new(writer).raw("BPT\x0a").u16(9).raw("abc").b, codecs.ErrTruncated, 6, false},
		{"more parents than bytes", "a.blueprint", new(writer).raw("BPT\x0a").str("").u64(0).u16(1).b, codecs.ErrCorrupt, 14, false},
		{"member type", "a.blueprint", new(writer).raw("BPT\x0a").str("").u64(0).u16(0).u16(0).u16(1).u64(1).str("").raw("XS").b, codecs.ErrCorrupt, 30, false},
		{"member structure", "a.blueprint", new(writer).raw("BPT\x0a").str("").u64(0).u16(0).u16(0).u16(1).u64(1).str("").raw("LX").b, codecs.ErrCorrupt, 31, false},
		{"subtype cut", "a.blueprint", new(writer).raw("BPT\x0a").str("").u64(0).u16(0).u16(0).u16(1).u64(1).str("").raw("AS").u32(0).b, codecs.ErrTruncated, 32, false},

		{"prototype without body", "a.prototype", ptp().b, codecs.ErrTruncated, 4, false},
		{"unknown flag", "a.prototype", ptp().u8(9).u64(0).b, codecs.ErrCorrupt, 4, false},
		{"parent cut", "a.prototype", ptp().u8(1).u32(0).b, codecs.ErrTruncated, 5, false},
		{"more groups than bytes", "a.prototype", ptp().u8(2).u16(1).b, codecs.ErrCorrupt, 5, false},
		{"value type", "a.prototype", group().u16(1).u64(1).raw("X").u64(0).u16(0).b, codecs.ErrCorrupt, 26, false},
		{"value cut", "a.prototype", group().u16(1).u64(1).raw("L").u32(0).b, codecs.ErrTruncated, 27, false},
		{"more listed than bytes", "a.prototype", group().u16(0).u16(1).u64(1).raw("L").u16(2).u64(0).b, codecs.ErrCorrupt, 29, false},
		{"listed body cut", "a.prototype", group().u16(0).u16(1).u64(1).raw("R").u16(2).u8(0).u8(1).b, codecs.ErrTruncated, 33, false},
		{"too deep", "a.prototype", nested(65), codecs.ErrLimit, 4 + 65*23, false},
		{"extra newline", "a.prototype", ptp().u8(0x0d).u8(1).u64(5).b, codecs.ErrCorrupt, 4, false},
		{"extra newline alone", "a.prototype", ptp().u8(0x0d).b, codecs.ErrCorrupt, 4, false},
		{"no newline in version 11", "a.prototype", new(writer).raw("PTP\x0b").u8(0x0d).u8(1).u64(5).b, codecs.ErrCorrupt, 4, false},
		{"bytes after a body", "a.defaults", ptp().u8(0).u8(0).b, codecs.ErrNonStrict, 5, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			facts, err := inspect(test.file, test.body)
			if (err != nil) != test.fatal {
				t.Fatalf("err = %v", err)
			}
			if facts != nil {
				if len(facts.Problems) == 0 {
					t.Fatalf("no problem in %+v", facts)
				}
				err = facts.Problems[0]
			}
			checkError(t, err, test.class, test.off)
		})
	}
}

func checkError(t *testing.T, err, class error, off int64) {
	t.Helper()
	var at *codecs.FormatError
	if !errors.As(err, &at) {
		t.Fatalf("%v is a %T", err, err)
	}
	if !errors.Is(err, class) || at.Off != off || at.Field == "" || at.Format != "calligraphy" {
		t.Errorf("%v (offset %d), want %v at %d", err, at.Off, class, off)
	}
}

func TestTooLarge(t *testing.T) {
	for name, limit := range map[string]int64{"a.curve": calligraphy.MaxFile, "Curve.directory": calligraphy.MaxDirectory} {
		e := &codecs.Entry{Name: name}
		_, err := calligraphy.Inspector().Inspect(context.Background(), zeros{}, limit+1, e)
		checkError(t, err, codecs.ErrLimit, 0)
		_, err = calligraphy.Inspector().Inspect(context.Background(), zeros{}, limit, e)
		checkError(t, err, codecs.ErrCorrupt, 0)
	}
}

type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) { return len(p), nil }

// Bodies may be as deep as the limit.
func TestDepth(t *testing.T) {
	f, err := inspect("a.prototype", nested(64))
	if err != nil || len(f.Problems) > 0 {
		t.Fatal(err, f.Problems)
	}
	same(t, "bodies", len(detail(f).Prototype.Bodies), 65)
}

// The prototype of client 1.10 with an extra byte is parsed nevertheless.
func TestExtraNewline(t *testing.T) {
	good := ptp().body(sampleTree()).b
	want, err := inspect("a.prototype", good)
	if err != nil {
		t.Fatal(err)
	}
	got, err := inspect("a.prototype", slices.Insert(bytes.Clone(good), 4, '\r'))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "problems", len(got.Problems), 1)
	same(t, "detail", got.Detail, want.Detail)
	same(t, "refs", got.Refs, want.Refs)
}

// What stands before the damage is told, whatever the place of the damage.
func TestCutAnywhere(t *testing.T) {
	for _, f := range everyKind() {
		if f.name == "a.cell" {
			continue
		}
		for n := 4; n < len(f.body); n++ {
			facts, err := inspect(f.name, f.body[:n])
			if err != nil {
				t.Fatalf("%s cut at %d: %v", f.name, n, err)
			}
			if len(facts.Problems) != 1 {
				t.Fatalf("%s cut at %d: problems %v", f.name, n, facts.Problems)
			}
			if err := checkFacts(facts); err != nil {
				t.Fatalf("%s cut at %d: %v", f.name, n, err)
			}
		}
	}
}

func TestPartialFacts(t *testing.T) {
	cut := func(name string, n int) *codecs.Facts {
		for _, f := range everyKind() {
			if f.name == name {
				facts, err := inspect(name, f.body[:len(f.body)-n])
				if err != nil {
					t.Fatal(err)
				}
				return facts
			}
		}
		t.Fatal("no such vector")
		return nil
	}
	same(t, "records", len(detail(cut("Prototype.directory", 1)).Records), 1)
	same(t, "assets", len(detail(cut("a.type", 1)).Assets), 1)
	same(t, "members", len(detail(cut("a.blueprint", 1)).Blueprint.Members), 3)
	same(t, "refs", len(cut("a.blueprint", 1).Refs), 4)
	same(t, "groups", len(detail(cut("a.prototype", 4)).Prototype.Groups), 4)
}

// However broken the names of a file are, its problems stay few.
func TestProblemsAreBounded(t *testing.T) {
	w := new(writer).raw("TYP\x0a").u16(1000)
	for range 1000 {
		w.u64(1).u64(2).u8(0).str("\xff")
	}
	f, err := inspect("a.type", w.b)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Problems) > 17 {
		t.Errorf("%d problems", len(f.Problems))
	}
	same(t, "assets", len(detail(f).Assets), 1000)
	same(t, "name", detail(f).Assets[999].Name, "\uFFFD")
}

// lists returns a prototype of n lists of 65,535 values.
func lists(n int, t string, value string) []byte {
	w := group().u16(0).u16(n)
	for range n {
		w.u64(1).raw(t).u16(0xffff).raw(strings.Repeat(value, 0xffff))
	}
	return w.b
}

func TestTooManyBodies(t *testing.T) {
	f, err := inspect("a.prototype", lists(17, "R", "\x00"))
	if err != nil || len(f.Problems) != 1 {
		t.Fatal(err, f)
	}
	checkError(t, f.Problems[0], codecs.ErrLimit, 20+16*(11+0xffff)+11+15)
	same(t, "bodies", len(detail(f).Prototype.Bodies), 1<<20)
	if err := checkFacts(f); err != nil {
		t.Error(err)
	}
}

// The dearest files of their size: nothing but references, nothing but bodies.
func BenchmarkHostile(b *testing.B) {
	for name, body := range map[string][]byte{
		"refs":   lists(15, "P", "abcdefgh"),
		"bodies": lists(127, "R", "\x00"),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := inspect("a.prototype", body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
