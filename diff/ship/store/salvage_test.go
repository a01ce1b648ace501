package store_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/store"
)

func salvageInput(b []byte) delta.Input {
	return delta.Input{Name: "x.pak", Source: codecs.Source{ReaderAt: bytes.NewReader(b), Name: "x.pak", Size: int64(len(b))}}
}

// BenchmarkSalvageZeros looks for records in a file of zeros behind one other byte.
func BenchmarkSalvageZeros(b *testing.B) {
	file := append([]byte{1}, make([]byte, 4<<20)...)
	in := salvageInput(file)
	whole := []store.Group{{Size: in.Size, Block: in.Size, Stored: []int64{in.Size}, Rest: true}}
	b.SetBytes(in.Size)
	for b.Loop() {
		if len(store.Salvage(in, whole)) != 1 {
			b.Fatal("zeros are no entries")
		}
	}
}

// FuzzSalvage finds groups in any bytes: in their order, within them, without an end that
// never comes.
func FuzzSalvage(f *testing.F) {
	list := []deltatest.Content{{Name: "a", Data: bytes.Repeat([]byte("abcdefgh"), 20_000)}, {Name: "b", Data: []byte("b")}, {Name: "c"}, {Name: "d", Data: []byte("other bytes")}}
	for _, version := range []string{"3", "5", "8A", "11"} {
		for _, method := range []string{"zlib", ""} {
			pak := deltatest.WritePak(f, &codecs.CreateOptions{Version: version, Method: compress.Method(method)}, list)
			f.Add(pak)
			f.Add(pak[:len(pak)-100])
			f.Add(append(make([]byte, 100), pak...))
			bad := bytes.Clone(pak)
			binary.LittleEndian.PutUint64(bad[8:], 1<<62)
			f.Add(bad)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		in := salvageInput(b)
		whole := []store.Group{{Size: int64(len(b)), Block: int64(len(b)), Stored: []int64{int64(len(b))}, Rest: true}}
		end := int64(0)
		for _, g := range store.Salvage(in, whole) {
			if g.Gap < 0 || g.Off-g.Gap != end || g.Length() <= 0 || g.Size <= 0 || g.Off+g.Length() > in.Size {
				t.Fatalf("group %+v behind %d of %d bytes", g, end, in.Size)
			}
			end = g.Off + g.Length()
		}
	})
}

// Without its index a pak has the same contents, and with it nothing is changed.
func TestSalvage(t *testing.T) {
	list := []deltatest.Content{{Name: "a", Data: bytes.Repeat([]byte("abcdefgh"), 20_000)}, {Name: "b", Data: []byte("b")}, {Name: "c"}, {Name: "d", Data: []byte("other bytes")}}
	for _, version := range []string{"3", "8A", "8B", "11"} {
		pak := deltatest.WritePak(t, &codecs.CreateOptions{Version: version, Method: "zlib"}, list)
		in := salvageInput(pak)
		r := &codecs.Registry{Formats: []*codecs.Format{unrealpak.Format()}}
		want, err := store.Layouts(t.Context(), []delta.Input{in}, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := store.Salvage(in, want[0]); !slices.EqualFunc(got, want[0], sameGroup) {
			t.Errorf("version %s: %+v became %+v", version, want[0], got)
		}
		cut := salvageInput(pak[:len(pak)-100])
		list, err := store.Layouts(t.Context(), []delta.Input{cut}, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, n := store.Salvage(cut, list[0]), len(want[0])
		if want[0][n-1].Rest {
			n--
		}
		if len(got) < n || !slices.EqualFunc(got[:n], want[0][:n], sameGroup) {
			t.Errorf("version %s: %+v without index, %+v with it", version, got, want[0][:n])
		}
	}
}

func sameGroup(a, b store.Group) bool {
	return a.Off == b.Off && a.Gap == b.Gap && a.Method == b.Method && a.Block == b.Block && a.Size == b.Size && slices.Equal(a.Stored, b.Stored)
}
