package compress

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// sameLZ4 compares NewLZ4Reader with Decode. It may refuse what Decode takes for one
// reason: a block that ends with a match, which liblz4 takes for damage too.
func sameLZ4(t *testing.T, src []byte, size int64, oneByte bool) {
	t.Helper()
	want := make([]byte, size)
	wantErr := Decode(LZ4, want, src)
	var in io.Reader = bytes.NewReader(src)
	if oneByte {
		in = iotest.OneByteReader(in)
	}
	got, err := io.ReadAll(NewLZ4Reader(in, size))
	switch {
	case err != nil && !errors.Is(err, ErrCorrupt):
		t.Fatalf("%v: not ErrCorrupt", err)
	case err == nil && (wantErr != nil || !bytes.Equal(got, want)):
		t.Fatalf("%d bytes of %d: read without an error; decoded at once: %v", len(src), size, wantErr)
	case err != nil && wantErr == nil && !strings.Contains(err.Error(), "ends with a match"):
		t.Fatalf("%d bytes of %d: %v; decoded at once: no error", len(src), size, err)
	case int64(len(got)) > size:
		t.Fatalf("%d bytes, declared %d", len(got), size)
	}
}

func TestLZ4Reader(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3<<20)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	mixed := slices(random, noise)
	for _, plain := range [][]byte{nil, noise[:1], noise[:14], noise[:15], noise[:400], noise,
		make([]byte, 3<<20), bytes.Repeat(noise[:7], 100_000), bytes.Repeat(noise[:40_000], 30), mixed} {
		stored, err := Encode(LZ4, nil, plain)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(NewLZ4Reader(bytes.NewReader(stored), int64(len(plain))))
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%d bytes: %d came back, %v", len(plain), len(got), err)
		}
		for _, size := range []int{len(plain) - 1, len(plain) + 1} {
			if size >= 0 {
				sameLZ4(t, stored, int64(size), false)
			}
		}
		if len(plain) > 1<<20 {
			continue
		}
		for range 200 {
			bad := bytes.Clone(stored)
			bad[random.IntN(len(bad))] = byte(random.Uint32())
			sameLZ4(t, bad[:len(bad)-random.IntN(2)], int64(len(plain)), random.IntN(8) == 0)
		}
	}
}

// slices puts pieces of b behind each other, some of them more than once.
func slices(random *rand.Rand, b []byte) (out []byte) {
	for len(out) < 2<<20 {
		at, n := random.IntN(100_000), 1+random.IntN(1<<(1+random.IntN(16)))
		out = append(out, b[at:at+n]...)
	}
	return out
}

// Each way of a block to end early.
func TestLZ4ReaderEnds(t *testing.T) {
	failed := errors.New("the disk failed")
	_, err := io.ReadAll(NewLZ4Reader(io.MultiReader(strings.NewReader("\x50ab"), iotest.ErrReader(failed)), 5))
	if !errors.Is(err, failed) {
		t.Errorf("a failing source: %v", err)
	}
	for _, c := range []struct {
		src  string
		size int64
		want string // "": decodes
	}{
		{"", 0, ""}, {"\x00", 0, ""}, {"\x50abcde", 5, ""}, {"\x14a\x01\x00\x50abcde", 14, ""},
		{"", 1, "less than"}, {"\x50abcd", 5, "within"}, {"\x50abcde", 6, "less than"}, {"\x50abcde", 4, "more than"},
		{"\xf0", 20, "within"}, {"\x51abcde", 5, "within"}, {"\x51abcde", 10, "within"}, {"\x10a\x01", 1, "within"},
		{"\x10a\x01", 5, "within"}, {"\x1fa\x01\x00", 30, "within"}, {"\x10a\x00\x00\x00", 5, "back"},
		{"\x10a\x02\x00\x00", 5, "back"}, {"\x10a\x01\x00", 5, "ends with a match"}, {"\x10a\x01\x00", 4, "more than"},
	} {
		_, err := io.ReadAll(NewLZ4Reader(strings.NewReader(c.src), c.size))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q of %d: %v, want %q", c.src, c.size, err, c.want)
		}
		sameLZ4(t, []byte(c.src), c.size, true)
	}
}

// A block of any size takes the memory of a small one.
func TestLZ4ReaderMemory(t *testing.T) {
	const size = 512 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run := io.LimitReader(repeated(255), (size-5-15-1-4)/255)
	src := io.MultiReader(strings.NewReader("\x1fa\x01\x00"), run, strings.NewReader("\x00\x50abcde"))
	n, err := io.Copy(io.Discard, NewLZ4Reader(src, 1+15+4+(size-5-15-1-4)/255*255+5))
	runtime.ReadMemStats(&after)
	if err != nil || n < size-300 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes of memory", used)
	}
}

type repeated byte

func (b repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func FuzzLZ4Reader(f *testing.F) {
	f.Add([]byte("\x14a\x01\x00\x50abcde"), uint32(14))
	stored, err := Encode(LZ4, nil, bytes.Repeat([]byte("Calligraphy/Entity/"), 4000))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(stored, uint32(76000))
	f.Fuzz(func(t *testing.T, src []byte, size uint32) { sameLZ4(t, src, int64(size%(1<<20)), len(src)%2 == 0) })
}

func BenchmarkLZ4Reader(b *testing.B) {
	plain := slices(rand.New(rand.NewPCG(1, 2)), bytes.Repeat([]byte("Calligraphy/Entity/Props/"), 1<<15))
	stored, err := Encode(LZ4, nil, plain)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(plain)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, NewLZ4Reader(bytes.NewReader(stored), int64(len(plain)))); err != nil {
			b.Fatal(err)
		}
	}
}
