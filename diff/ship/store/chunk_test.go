package store

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
)

func chunksOf(t testing.TB, b []byte) (chunks [][]byte) {
	t.Helper()
	if err := EachChunk(bytes.NewReader(b), int64(len(b)), func(p []byte) error {
		chunks = append(chunks, bytes.Clone(p))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return chunks
}

// Chunks are the content, within their bounds, and an insertion changes few.
func TestChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, 3_000_000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	chunks := chunksOf(t, b)
	if !bytes.Equal(bytes.Join(chunks, nil), b) {
		t.Fatal("the chunks are not the content")
	}
	for i, c := range chunks[:len(chunks)-1] {
		if len(c) < minChunk || len(c) > MaxChunk {
			t.Errorf("chunk %d has %d bytes", i, len(c))
		}
	}
	if mean := len(b) / len(chunks); mean < 6<<10 || mean > 14<<10 {
		t.Errorf("chunks of %d bytes on average", mean)
	}
	have := map[Key]bool{}
	for _, c := range chunks {
		have[KeyOf(c)] = true
	}
	fresh := 0
	for _, c := range chunksOf(t, bytes.Join([][]byte{b[:1_000_000], []byte("inserted"), b[1_000_000:]}, nil)) {
		if !have[KeyOf(c)] {
			fresh++
		}
	}
	if fresh > 3 {
		t.Errorf("an insertion changes %d chunks", fresh)
	}
	for _, n := range []int{0, 1, minChunk, wholeSize - 1, wholeSize} {
		if got := chunksOf(t, b[:n]); len(got) != min(n, 1) {
			t.Errorf("%d bytes are %d chunks", n, len(got))
		}
	}
	if got := chunksOf(t, b[:wholeSize+1]); len(got) < 2 {
		t.Error("a large content is one chunk")
	}
	if got := chunksOf(t, make([]byte, 1<<20)); len(got) != 1<<20/MaxChunk {
		t.Errorf("zeroes are %d chunks", len(got))
	}
}

// FuzzTables: whatever the bytes, tables are read or refused.
func FuzzTables(f *testing.F) {
	recipes := []Form{{}, {Recipe: delta.Recipe{Method: compress.Zlib, Params: [4]uint8{6, 8, 15}}, Head: HeadUnreal | HeadBlocks}}
	pieces := []Piece{{Gap: 0, ContentRef: ContentRef{ID: 1, Size: 5, Depth: 0, Place: Place{Pack: 1, Frame: 2, At: 3, Size: 5}}, Recipe: 0, Block: 0}, {Gap: 19, ContentRef: ContentRef{ID: 2, Size: 1 << 20, Depth: 1, Place: Place{Pack: 1, Frame: 2, At: 8, Size: 5}}, Recipe: 1, Block: 1 << 16}}
	parts := []Part{{ID: 7, Count: 2, Place: Place{Pack: 1, Frame: 1, At: 1, Size: 9}}}
	r := FileRecipe{Recipes: recipes, Parts: parts}
	f.Add(r.Marshal())
	f.Add(MarshalLeaf(pieces))
	f.Add(MarshalNode(parts))
	l := DeltaList{Files: []DeltaFile{{Sum: Key{1}, Size: 100}}, Deltas: []ContentDelta{{Old: 1, New: 2, OldSize: 30, NewSize: 40, File: 0, Off: 5, N: 10}, {Old: 3, New: 4, OldSize: 50, NewSize: 40, File: 0, Off: 20, N: 10}}}
	f.Add(l.Marshal())
	f.Add(MarshalFileRoot([]File{{Path: "a", Size: 3, Sum: strings.Repeat("0", 64), Recipe: RecipeAt{1, 2, 3, 4}}}, nil, 0))
	f.Add(MarshalFileRoot(make([]File, 70), []FilePart{{ID: Key{1}, Count: 70, Place: Place{Pack: 1, Frame: 1, At: 1, Size: 9}}}, 0))
	f.Add(Tables{3: {Number: 3, Sum: Key{}, Ends: []uint32{1, 3}}}.Marshal([]int{3}))
	f.Add(MarshalList([]ChunkRef{{ID: 1, Place: Place{Pack: 1, Frame: 1, At: 1, Size: 1}}}))
	f.Add(MarshalLists([]ListRef{{Place: Place{Pack: 1, Frame: 1, At: 1, Size: 1}, Content: 7}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := ParseRecipe(b); err == nil {
			again, err := ParseRecipe(r.Marshal())
			if err != nil || !reflect.DeepEqual(again, r) {
				t.Errorf("not read again: %v", err)
			}
		}
		if p, err := ParseLeaf(b, recipes); err == nil {
			if again, err := ParseLeaf(MarshalLeaf(p), recipes); err != nil || !slices.Equal(again, p) {
				t.Errorf("not read again: %v", err)
			}
		}
		if l, err := ParseDeltaList(b); err == nil {
			if again, err := ParseDeltaList(l.Marshal()); err != nil || !slices.Equal(again.Deltas, l.Deltas) {
				t.Errorf("not read again: %v", err)
			}
		}
		few := func() *Budget { return &Budget{Received: func() int64 { return int64(len(b)) }} }
		if l, err := NewFileList(b, few()); err == nil && len(l.Missing()) > 0 {
			_ = l.Fill(slices.Repeat([][]byte{b}, len(l.Missing())))
		}
		_, _ = ParseNode(b)
		_ = Tables{}.Parse(b, few())
		_, _ = ParseList(b, 1)
		_, _ = ParseLists(b, 7)
		_, _, _ = ParsePack(b, 1)
		_, _ = FillTables(b, 0, []int64{0, 1}, bytes.NewReader(b))
		_, _ = blankTables(b, 1, []int64{0, 1}, bytes.NewReader(b))
	})
}
