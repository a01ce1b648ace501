package store

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/diff/pkdelta"
)

func chunksOf(t testing.TB, b []byte) (chunks [][]byte) {
	t.Helper()
	if err := eachChunk(bytes.NewReader(b), int64(len(b)), func(p []byte) error {
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
		if len(c) < minChunk || len(c) > maxChunk {
			t.Errorf("chunk %d has %d bytes", i, len(c))
		}
	}
	if mean := len(b) / len(chunks); mean < 6<<10 || mean > 14<<10 {
		t.Errorf("chunks of %d bytes on average", mean)
	}
	have := map[key]bool{}
	for _, c := range chunks {
		have[keyOf(c)] = true
	}
	fresh := 0
	for _, c := range chunksOf(t, bytes.Join([][]byte{b[:1_000_000], []byte("inserted"), b[1_000_000:]}, nil)) {
		if !have[keyOf(c)] {
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
	if got := chunksOf(t, make([]byte, 1<<20)); len(got) != 1<<20/maxChunk {
		t.Errorf("zeroes are %d chunks", len(got))
	}
}

// FuzzTables: whatever the bytes, tables are read or refused.
func FuzzTables(f *testing.F) {
	recipes := []form{{}, {pkdelta.Recipe{Method: compress.Zlib, Params: [4]uint8{6, 8, 15}}, headUnreal | headBlocks}}
	pieces := []piece{{0, contentRef{1, 5, 0, place{1, 2, 3, 5}}, 0, 0}, {19, contentRef{2, 1 << 20, 1, place{1, 2, 8, 5}}, 1, 1 << 16}}
	parts := []part{{7, 2, place{1, 1, 1, 9}}}
	r := fileRecipe{recipes: recipes, parts: parts}
	f.Add(r.marshal())
	f.Add(marshalLeaf(pieces))
	f.Add(marshalNode(parts))
	l := deltaList{[]deltaFile{{key{1}, 100}}, []contentDelta{{1, 2, 30, 40, 0, 5, 10}, {3, 4, 50, 40, 0, 20, 10}}}
	f.Add(l.marshal())
	f.Add(marshalFileRoot([]File{{Path: "a", Size: 3, Sum: strings.Repeat("0", 64), Recipe: recipeAt{1, 2, 3, 4}}}, nil, 0))
	f.Add(marshalFileRoot(make([]File, 70), []filePart{{key{1}, 70, place{1, 1, 1, 9}}}, 0))
	f.Add(tables{3: {3, key{}, []uint32{1, 3}}}.marshal([]int{3}))
	f.Add(marshalList([]chunkRef{{1, place{1, 1, 1, 1}}}))
	f.Add(marshalLists([]listRef{{place{1, 1, 1, 1}, 7}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := parseRecipe(b); err == nil {
			again, err := parseRecipe(r.marshal())
			if err != nil || !reflect.DeepEqual(again, r) {
				t.Errorf("not read again: %v", err)
			}
		}
		if p, err := parseLeaf(b, recipes); err == nil {
			if again, err := parseLeaf(marshalLeaf(p), recipes); err != nil || !slices.Equal(again, p) {
				t.Errorf("not read again: %v", err)
			}
		}
		if l, err := parseDeltaList(b); err == nil {
			if again, err := parseDeltaList(l.marshal()); err != nil || !slices.Equal(again.deltas, l.deltas) {
				t.Errorf("not read again: %v", err)
			}
		}
		few := func() *budget { return &budget{received: func() int64 { return int64(len(b)) }} }
		if l, err := newFileList(b, few()); err == nil && len(l.missing()) > 0 {
			_ = l.fill(slices.Repeat([][]byte{b}, len(l.missing())))
		}
		_, _ = parseNode(b)
		_ = tables{}.parse(b, few())
		_, _ = parseList(b, 1)
		_, _ = parseLists(b, 7)
		_, _, _ = parsePack(b, 1)
		_, _ = fillTables(b, 0, []int64{0, 1}, bytes.NewReader(b))
		_, _ = blankTables(b, 1, []int64{0, 1}, bytes.NewReader(b))
	})
}
