package deflate_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress/deflate"
	"pakdb/codecs/compress/exactzlib"
	"pakdb/codecs/compress/inflate"
)

func random(n, letters int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(letters)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(letters))
	}
	return b
}

// sources returns the Go files of the codecs, one behind the other.
func sources(t testing.TB) (all []byte) {
	names, err := filepath.Glob("../*/*.go")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d files: %v", len(names), err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// decodes fails unless both our decoder and the standard library's read the stream.
func decodes(t testing.TB, stream, want []byte) {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("the standard library decodes to %d of %d bytes: %v", len(got), len(want), err)
	}
	got := make([]byte, len(want))
	if n, err := new(inflate.Decoder).Zlib(got, stream); err != nil || n != len(stream) || !bytes.Equal(got, want) {
		t.Fatalf("decoding takes %d of %d bytes: %v", n, len(stream), err)
	}
}

func TestEncode(t *testing.T) {
	text := sources(t)
	far := random(40000, 256) // repeats that are within reach, at its limit and beyond
	cases := map[string][]byte{
		"nothing":           nil,
		"letters":           []byte("abcdefgh"),
		"zeroes":            make([]byte, 200000),
		"noise":             random(200000, 256),
		"two letters":       random(100000, 2),
		"ten letters":       random(100000, 10),
		"text":              text,
		"noise in text":     bytes.Join([][]byte{text[:50000], random(90000, 256), text[:50000]}, nil),
		"repeat at 32,768":  append(random(1<<15, 256), random(1<<15, 256)...),
		"repeat at 32,767":  append(random(1<<15-1, 256), random(1<<15-1, 256)...),
		"repeat beyond":     append(far, far...),
		"fixed":             []byte("a short text, a short text"),
		"all lengths":       repeats(),
		"frequencies grow":  skewed(),
		"literals, no dist": []byte("the quick brown fox jumps"),
	}
	for n := 1; n < 9; n++ {
		cases[fmt.Sprintf("%d bytes", n)] = text[:n]
		cases[fmt.Sprintf("%d zeroes", n)] = make([]byte, n)
	}
	for _, n := range []int{1<<15 - 1, 1 << 15, 1<<16 - 275, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<16 + 274, 3 << 15, 3<<15 + 1} {
		cases[fmt.Sprintf("text of %d", n)] = text[:n]
		cases[fmt.Sprintf("noise of %d", n)] = random(n, 256)
	}
	var used deflate.Encoder
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			got := used.Encode([]byte("before"), src)
			if !bytes.HasPrefix(got, []byte("before")) {
				t.Fatal("what was there is gone")
			}
			decodes(t, got[6:], src)
			if !bytes.Equal(got[6:], new(deflate.Encoder).Encode(nil, src)) {
				t.Error("a new encoder makes another stream")
			}
			if most := len(src) + 5*(len(src)/32000+1) + 6; len(got)-6 > most {
				t.Errorf("%d bytes for %d, more than %d", len(got)-6, len(src), most)
			}
		})
	}
}

// repeats has a match of each length.
func repeats() (all []byte) {
	noise := random(1000, 256)
	for n := 3; n < 300; n++ {
		all = append(append(all, noise[n:2*n]...), random(5, 256)...)
	}
	return all
}

// skewed has letters so rare beside others that codes without a limit would be too long.
func skewed() (all []byte) {
	a, b := 1, 1
	for i := range 22 {
		all = append(all, bytes.Repeat([]byte{byte(i)}, a)...)
		a, b = b, a+b
	}
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// A few texts of UTF-16 in turn, as tables of strings have them, have long matches of
// which the longest is far back.
func TestSizeOfRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var src []byte
	for len(src) < 1<<20 {
		line := []string{"Hello World", "Grösse", fmt.Sprint("item name ", r.IntN(1000)), "the quick brown fox"}[r.IntN(4)]
		for _, c := range line + "\n" {
			src = append(src, byte(c), byte(c>>8))
		}
	}
	var e deflate.Encoder
	var exact exactzlib.Encoder
	ours, theirs := 0, 0
	for ; len(src) > 0; src = src[min(len(src), 1<<16):] {
		ours += len(e.Encode(nil, src[:min(len(src), 1<<16)]))
		b, err := exact.Encode(nil, src[:min(len(src), 1<<16)], exactzlib.Default)
		if err != nil {
			t.Fatal(err)
		}
		theirs += len(b)
	}
	if float64(ours) > 1.05*float64(theirs) {
		t.Errorf("%d bytes, zlib's level 6 %d", ours, theirs)
	}
}

// Blocks of text take at most 1 % more than those of zlib's level 6.
func TestSize(t *testing.T) {
	var e deflate.Encoder
	var exact exactzlib.Encoder
	ours, theirs := 0, 0
	for text := sources(t); len(text) > 0; text = text[min(len(text), 1<<16):] {
		src := text[:min(len(text), 1<<16)]
		ours += len(e.Encode(nil, src))
		b, err := exact.Encode(nil, src, exactzlib.Default)
		if err != nil {
			t.Fatal(err)
		}
		theirs += len(b)
	}
	if ours > theirs+theirs/100 {
		t.Errorf("%d bytes, zlib %d", ours, theirs)
	}
}

func TestAllocations(t *testing.T) {
	src, dst := sources(t)[:1<<16], make([]byte, 0, 1<<16)
	var e deflate.Encoder
	if n := testing.AllocsPerRun(5, func() { e.Encode(dst, src) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add([]byte("a text, a text"), uint16(1))
	f.Add([]byte{0, 1, 2, 3}, uint16(40000))
	f.Add(random(300, 4), uint16(300))
	f.Fuzz(func(t *testing.T, src []byte, times uint16) {
		src = bytes.Repeat(src, 1+min(int(times), 1<<17/(len(src)+1))) // more than a span
		decodes(t, new(deflate.Encoder).Encode(nil, src), src)
	})
}

// BenchmarkEncode deflates real content in blocks of 64 KiB, beside zlib's exact bytes;
// PAKDB_BENCH_FILE names another file.
func BenchmarkEncode(b *testing.B) {
	name := os.Getenv("PAKDB_BENCH_FILE")
	if name == "" {
		name = codecstest.Sample(b, "iostore", "cue4parse-ue5.8", "Uncompressed", "CUE4ParseFixtures-Minimal-Uncompressed-Windows.ucas")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	var e deflate.Encoder
	var exact exactzlib.Encoder
	for _, c := range []struct {
		name   string
		encode func(dst, src []byte) []byte
	}{
		{"fast", e.Encode},
		{"exact", func(dst, src []byte) []byte { dst, _ = exact.Encode(dst, src, exactzlib.Default); return dst }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var dst []byte
			size := 0
			for b.Loop() {
				size = 0
				for rest := data; len(rest) > 0; rest = rest[min(len(rest), 1<<16):] {
					dst = c.encode(dst[:0], rest[:min(len(rest), 1<<16)])
					size += len(dst)
				}
			}
			b.ReportMetric(float64(size)/float64(len(data)), "ratio")
		})
	}
}
