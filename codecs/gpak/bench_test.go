package gpak_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
	"pakdb/internal/testkit"
	"pakdb/testdata/gen/fixture"
)

// millionEntries is a KAPG of a million entries with paths as long as real ones.
func millionEntries(b *testing.B) []byte {
	b.Helper()
	entries := make([]kapgEntry, 1_000_000)
	for i := range entries {
		entries[i] = raw(fmt.Sprintf("Calligraphy/Powers/Player/Hero%03d/Traits/Power%07d.prototype", i%977, i), 0)
		entries[i].csz, entries[i].size = 0, 0
	}
	return kapgFile(nil, entries...)
}

func BenchmarkListMillion(b *testing.B) {
	src := codecstest.Bytes("million.sip", millionEntries(b))
	b.SetBytes(src.Size)
	b.ReportAllocs()
	for b.Loop() {
		a, err := gpak.Format().Open(context.Background(), src, nil)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range a.Entries() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1_000_000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, file := range []string{"Calligraphy_1.10_names.sip", "mu_cdata_1.5.sip", "mu_cdata_1.6.sip"} {
		b.Run(file, func(b *testing.B) {
			a := codecstest.Open(b, gpak.Format(), sample(b, file), nil)
			b.SetBytes(drain(b, a))
			b.ReportAllocs()
			for b.Loop() {
				drain(b, a)
			}
		})
	}
}

// BenchmarkDecodeLarge reads entries of 1 MiB, where decoding dominates.
func BenchmarkDecodeLarge(b *testing.B) {
	text := bytes.Repeat([]byte("Calligraphy/Powers/Player/"), 40_000)
	for i := range text {
		if i%7 == 0 {
			text[i] = byte(i * i >> 8)
		}
	}
	block, err := compress.Encode(compress.LZ4, nil, text)
	if err != nil {
		b.Fatal(err)
	}
	e := raw("A", 0)
	e.csz, e.size = int32(len(block)), int32(len(text))
	a := codecstest.Open(b, gpak.Format(), codecstest.Bytes("a.sip", kapgFile(block, e)), nil)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		drain(b, a)
	}
}

func drain(b *testing.B, a codecs.Archive) (n int64) {
	b.Helper()
	for e, err := range a.Entries() {
		if err != nil {
			b.Fatal(err)
		}
		r, err := a.Open(context.Background(), e)
		if err != nil {
			b.Fatal(err)
		}
		m, err := io.Copy(io.Discard, r)
		if err != nil {
			b.Fatal(err)
		}
		n += m
		_ = r.Close()
	}
	return n
}

func BenchmarkRepack(b *testing.B) {
	src := sample(b, "Calligraphy_1.10_names.sip")
	b.SetBytes(src.Size)
	b.ReportAllocs()
	for b.Loop() {
		repack(b, src, nil)
	}
}

func BenchmarkProbe(b *testing.B) {
	db := codecstest.Bytes("a.sip", database(b, table, ver15, rowA))
	other := codecstest.Bytes("a.bin", make([]byte, 4096))
	for name, src := range map[string]codecs.Source{"database": db, "other": other} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := gpak.Format().Probe(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	const path = "Calligraphy/Mods/EnemyBoosts/Sets/EndGameNoAnimAffixes.prototype"
	b.SetBytes(int64(len(path)))
	b.ReportAllocs()
	for b.Loop() {
		gpak.Hash(path)
	}
}

// The table stays in the file: opening takes two parts of it, one for each time it is read.
func TestTableStaysInTheFile(t *testing.T) {
	testkit.NotShort(t)
	var out bytes.Buffer
	if err := fixture.Large(&out, 50_000, 1); err != nil {
		t.Fatal(err)
	}
	src := codecstest.Bytes("large.sip", out.Bytes())
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := gpak.Format().Open(context.Background(), src, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	if used := result.AllocedBytesPerOp(); used > 512<<10 {
		t.Errorf("opening allocates %d bytes", used)
	}
	a := codecstest.Open(t, gpak.Format(), src, nil)
	for want, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if want.Ordinal%777 != 0 && want.Ordinal != 49_999 {
			continue
		}
		got, err := a.(codecs.Indexed).At(want.Ordinal)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Fatalf("entry %d: %v (-Entries +At)\n%s", want.Ordinal, err, d)
		}
	}
	for _, ordinal := range []int{-1, 50_000} {
		if _, err := a.(codecs.Indexed).At(ordinal); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("entry %d: %v", ordinal, err)
		}
	}
}
