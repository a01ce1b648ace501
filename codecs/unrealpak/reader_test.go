package unrealpak_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/testkit"
)

// raw writes one entry of stored bytes and opens the pak.
func raw(t *testing.T, version string, e *codecs.Entry, stored []byte) codecs.Archive {
	t.Helper()
	f := unrealpak.Format()
	var out codecstest.Buffer
	w, err := f.Create(&out, &codecs.CreateOptions{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddRaw(context.Background(), e, bytes.NewReader(stored)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := codecstest.Open(t, f, codecstest.Bytes("raw.pak", out.Bytes()), nil)
	noProblems(t, a)
	return a
}

// Blocks with bytes between them have no encoded form: from version 10 on the
// index keeps the whole record.
func TestBlocksApart(t *testing.T) {
	text := []byte(strings.Repeat("0123456789", 150))
	first, second := deflate(t, text[:1000]), deflate(t, text[1000:])
	stored := append(append(bytes.Clone(first), "gap"...), second...)
	for _, version := range []string{"5", "11", "12"} {
		e := &codecs.Entry{Name: "x/y.bin", Size: 1500, Stored: int64(len(stored)), Offset: 77, Method: compress.Zlib, Blocks: []codecs.Block{
			{Offset: 77, Stored: int64(len(first)), Size: 1000},
			{Offset: 77 + int64(len(first)) + 3, Stored: int64(len(second)), Size: 500},
		}}
		a := raw(t, version, e, stored)
		if got := codecstest.Contents(t, a)["x/y.bin"]; !bytes.Equal(got, text) {
			t.Errorf("version %s: %d bytes", version, len(got))
		}
	}
}

// The game's own method of versions below 8: LZ4 by default, Oodle by its
// first byte.
func TestCustomMethod(t *testing.T) {
	text := []byte(strings.Repeat("Sea of Thieves ", 100))
	block, err := compress.Encode(compress.LZ4, nil, text)
	if err != nil {
		t.Fatal(err)
	}
	a := raw(t, "5", &codecs.Entry{Name: "a", Size: int64(len(text)), Stored: int64(len(block)), Method: "custom"}, block)
	if got := codecstest.Contents(t, a)["a"]; !bytes.Equal(got, text) {
		t.Errorf("%q", got)
	}
	oodle := append([]byte{0x8C}, make([]byte, 40)...)
	a = raw(t, "5", &codecs.Entry{Name: "a", Size: 1000, Stored: int64(len(oodle)), Method: "custom"}, oodle)
	for e := range a.Entries() {
		_, err := codecstest.ReadEntry(context.Background(), a, e)
		if e.Method != "custom" || !(errors.Is(err, errors.ErrUnsupported) || errors.Is(err, codecs.ErrCorrupt)) {
			t.Errorf("%s: %v", e.Method, err)
		}
	}
}

func manyBlocks(t *testing.T) (codecs.Archive, *codecs.Entry) {
	t.Helper()
	data := halfRandom(rand.New(rand.NewPCG(9, 9)), 512<<10)
	b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Method: compress.Zlib, BlockSize: 4096},
		[]codecstest.Item{{Entry: &codecs.Entry{Name: "big"}, Data: data}})
	a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("b.pak", b), nil)
	for e := range a.Entries() {
		return a, e
	}
	return nil, nil
}

// A reader that is given up leaves no goroutine behind.
func TestCloseEarly(t *testing.T) {
	a, e := manyBlocks(t)
	before := runtime.NumGoroutine()
	for _, n := range []int64{0, 1, 10_000} {
		r, err := a.Open(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 1)); err == nil {
			t.Error("reads after Close")
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestCancelMidway(t *testing.T) {
	a, e := manyBlocks(t)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := a.Open(ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if _, err := io.CopyN(io.Discard, r, 5000); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestNotFound(t *testing.T) {
	a, _ := manyBlocks(t)
	for _, ordinal := range []int{-1, 1, 1 << 40} {
		e := &codecs.Entry{Ordinal: ordinal}
		if _, err := a.Open(context.Background(), e); !errors.Is(err, codecs.ErrNotFound) {
			t.Errorf("Open %d: %v", ordinal, err)
		}
		if _, err := a.OpenRaw(e); !errors.Is(err, codecs.ErrNotFound) {
			t.Errorf("OpenRaw %d: %v", ordinal, err)
		}
	}
}

func TestLikeOfOthers(t *testing.T) {
	a := codecstest.Open(t, codecs.Loose(), codecstest.Bytes("x", nil), nil)
	if _, err := unrealpak.Format().Like(a); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

var zeroes [1 << 20]byte

// sparse is a file that keeps only what is not zero.
type sparse struct {
	pieces map[int64][]byte // by multiples of 1 MiB
	pos    int64
	size   int64
}

func (s *sparse) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		in := s.pos % (1 << 20)
		part := p[:min(int64(len(p)), 1<<20-in)]
		if piece := s.pieces[s.pos-in]; piece != nil || !bytes.Equal(part, zeroes[:len(part)]) {
			if piece == nil {
				piece = make([]byte, 1<<20)
				s.pieces[s.pos-in] = piece
			}
			copy(piece[in:], part)
		}
		s.pos += int64(len(part))
		s.size = max(s.size, s.pos)
		p = p[len(part):]
	}
	return n, nil
}

func (s *sparse) Seek(off int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		off += s.pos
	}
	s.pos = off
	return off, nil
}

func (s *sparse) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < s.size {
		in := off % (1 << 20)
		part := p[n:min(int64(len(p)), int64(n)+1<<20-in, int64(n)+s.size-off)]
		clear(part)
		if piece := s.pieces[off-in]; piece != nil {
			copy(part, piece[in:])
		}
		n += len(part)
		off += int64(len(part))
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Offsets beyond 4 GiB.
func TestFarOffsets(t *testing.T) {
	testkit.NotShort(t)
	f := unrealpak.Format()
	file := &sparse{pieces: map[int64][]byte{}}
	w, err := f.Create(file, &codecs.CreateOptions{Version: "11", Align: 4 << 30, Method: compress.Zlib})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{"near": []byte("at the start"), "far": bytes.Repeat([]byte("far away "), 1000)}
	for _, name := range []string{"near", "far"} {
		if err := w.Add(context.Background(), &codecs.Entry{Name: name}, bytes.NewReader(want[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := codecstest.Open(t, f, codecs.Source{ReaderAt: file, Name: "far.pak", Size: file.size}, nil)
	for _, it := range codecstest.Items(t, a) {
		if !bytes.Equal(it.Data, want[it.Entry.Name]) || (it.Entry.Offset >= 1<<32) != (it.Entry.Name == "far") {
			t.Errorf("%+v", it.Entry)
		}
	}
}
