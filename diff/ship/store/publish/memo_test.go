package publish_test

import (
	"bytes"
	"io/fs"
	"reflect"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
)

func allOf([]publish.MemoChunk) bool { return true }

// written is a memo as the next publication reads it.
func written(m *publish.Memo) *publish.Memo { return of(m.Marshal()) }

func of(b []byte) *publish.Memo { return ofThose(b, allOf) }

func ofThose(b []byte, there func([]publish.MemoChunk) bool) *publish.Memo {
	return publish.ReadMemo(func(string) ([]byte, string, error) { return b, "", nil }, there)
}

func sample() (m *publish.Memo, entries map[store.Key]publish.MemoEntry) {
	entries = map[store.Key]publish.MemoEntry{
		{1}: {Recipe: delta.Recipe{Method: "zlib", Params: [4]uint8{6, 8, 15, 0}}, ID: store.Key{9}, Chunks: []publish.MemoChunk{{store.Key{2}, 5}, {store.Key{3}, 1 << 20}}},
		{2}: {ID: store.Key{8}, Chunks: []publish.MemoChunk{{store.Key{4}, 1}}},
		{3}: {Recipe: delta.Recipe{Method: "lz4"}, ID: store.Key{7}, Chunks: []publish.MemoChunk{}},
	}
	m = of(nil)
	for k, e := range entries {
		m.Add(k, e)
	}
	return m, entries
}

// TestWritten: what was added is there when the file was written and read, and written
// again the same bytes come out.
func TestWritten(t *testing.T) {
	m, entries := sample()
	read := written(m)
	for k, want := range entries {
		if e, ok := read.Find(k); !ok || !reflect.DeepEqual(e, want) {
			t.Errorf("%v: %+v, %v", k, e, ok)
		}
	}
	if _, ok := read.Find(store.Key{4}); ok {
		t.Error("what was not added is there")
	}
	if !bytes.Equal(read.Marshal(), m.Marshal()) {
		t.Error("written again it has other bytes")
	}
	gone := ofThose(m.Marshal(), func(list []publish.MemoChunk) bool { return len(list) != 1 })
	if _, ok := gone.Find(store.Key{2}); ok {
		t.Error("an entry stays whose chunks are gone")
	}
	if _, ok := gone.Find(store.Key{1}); !ok {
		t.Error("an entry goes whose chunks are there")
	}
}

// TestDamaged: a file that is cut, changed in any bit, or not there has no entries.
func TestDamaged(t *testing.T) {
	m, _ := sample()
	good := m.Marshal()
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		for _, b := range [][]byte{bad, good[:i]} {
			if _, ok := of(b).Find(store.Key{1}); ok {
				t.Fatalf("damaged at %d, it has entries", i)
			}
		}
	}
	missing := publish.ReadMemo(func(string) ([]byte, string, error) { return nil, "", fs.ErrNotExist }, allOf)
	if missing.Add(store.Key{1}, publish.MemoEntry{}); len(missing.Marshal()) <= len(of(nil).Marshal()) {
		t.Error("nothing can be added to one that was not there")
	}
}

// TestKeys: groups of other bytes, or of the same bytes that lie otherwise, have other keys.
func TestKeys(t *testing.T) {
	src := codecs.Source{ReaderAt: bytes.NewReader([]byte("--abcdef")), Size: 8}
	group := func(edit func(*store.Group)) store.Group {
		g := store.Group{Off: 2, Method: "zlib", Block: 10, Size: 20, Stored: []int64{3, 2}}
		edit(&g)
		return g
	}
	seen := map[store.Key]int{}
	for i, edit := range []func(*store.Group){
		func(*store.Group) {},
		func(g *store.Group) { g.Off++ },
		func(g *store.Group) { g.Method = "lz4" },
		func(g *store.Group) { g.Block++ },
		func(g *store.Group) { g.Size++ },
		func(g *store.Group) { g.Stored = []int64{2, 3} },
		func(g *store.Group) { g.Stored = []int64{5} },
	} {
		g := group(edit)
		k, err := publish.MemoKeyOf(src, &g)
		if before, ok := seen[k]; ok || err != nil {
			t.Errorf("%d has the key of %d: %v", i, before, err)
		}
		seen[k] = i
	}
	g := group(func(g *store.Group) { g.Off = 4 })
	if _, err := publish.MemoKeyOf(src, &g); err == nil {
		t.Error("bytes that are not there have a key")
	}
}

func FuzzRead(f *testing.F) {
	m, _ := sample()
	f.Add(m.Marshal())
	f.Add([]byte("pakdb memo 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := of(b)
		again := m.Marshal()
		if !bytes.Equal(written(m).Marshal(), again) {
			t.Error("written again it has other bytes")
		}
	})
}
