package sketch_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"pakdb/internal/sketch"
)

func random(n int, seed uint64) []byte {
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

func TestInsertionKeepsMost(t *testing.T) {
	for _, size := range []int{64 << 10, 300 << 10, 2 << 20} {
		old := random(size, 1)
		edited := slices.Concat(old[:size/3], []byte("a few bytes more"), old[size/3:])
		if j := sketch.Common(sketch.Of(old), sketch.Of(edited)); j < 0.85 {
			t.Errorf("%d bytes: %.2f in common after an insertion", size, j)
		}
		if j := sketch.Common(sketch.Of(old), sketch.Of(random(size, 2))); j != 0 {
			t.Errorf("%d bytes: %.2f in common with another content", size, j)
		}
	}
}

func TestKeptFollowsTheShare(t *testing.T) {
	old, other := random(1<<20, 3), random(1<<20, 4)
	for _, percent := range []int{10, 25, 50, 75, 90} {
		n := len(old) * percent / 100
		mixed := slices.Concat(old[:n], other[n:])
		kept := sketch.Kept(sketch.Of(old), sketch.Of(mixed), int64(len(old)), int64(len(mixed)))
		if diff := kept - float64(percent)/100; diff > 0.2 || diff < -0.2 {
			t.Errorf("%d %% kept, estimated %.2f", percent, kept)
		}
	}
}

func TestPiecesMakeTheSameSketch(t *testing.T) {
	content := random(500<<10, 5)
	want := sketch.Of(content)
	for _, piece := range []int{1000, 8192, 65536, 100_000, len(content)} {
		var b sketch.Builder
		for p := range slices.Chunk(content, piece) {
			_, _ = b.Write(p)
		}
		if got := b.Sketch(); !slices.Equal(got, want) {
			t.Errorf("pieces of %d: %v, want %v", piece, got, want)
		}
	}
}

func TestMarshal(t *testing.T) {
	s := sketch.Of(random(100<<10, 6))
	if len(s) != sketch.Size || !slices.Equal(sketch.Unmarshal(s.Marshal()), s) {
		t.Errorf("%d hashes do not come back", len(s))
	}
	for _, bad := range [][]byte{{1}, bytes.Repeat([]byte{1, 2, 3, 4}, 33), {2, 0, 0, 0, 1, 0, 0, 0}} {
		if sketch.Unmarshal(bad) != nil {
			t.Errorf("% x is taken for a sketch", bad)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	content := random(1<<20, 7)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		sketch.Of(content)
	}
}
