package calligraphy_test

import (
	"encoding/binary"
	"os"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// file is one entry of a sample archive, decoded.
type file struct {
	name string
	body []byte
}

func (f file) entry() *codecs.Entry { return &codecs.Entry{Name: f.name, Size: int64(len(f.body))} }

// readPak reads a KAPG archive made by another tool, with no more care than a
// test needs.
func readPak(t testing.TB, name string) []file {
	t.Helper()
	data, err := os.ReadFile(codecstest.Sample(t, "gpak", name))
	if err != nil {
		t.Fatal(err)
	}
	r := bin.NewReader(data, 0, binary.LittleEndian)
	r.Skip(8)
	files := make([]file, r.Count(28))
	type place struct{ off, stored int }
	places := make([]place, len(files))
	for i := range files {
		r.Skip(8)
		files[i].name = string(r.Bytes(int(r.U32())))
		r.Skip(4)
		places[i] = place{int(r.U32()), int(r.U32())}
		files[i].body = make([]byte, r.U32())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	start := r.Pos()
	for i, p := range places {
		src := data[start+p.off : start+p.off+p.stored]
		if err := compress.Decode(compress.LZ4, files[i].body, src); err != nil {
			t.Fatalf("%s: %v", files[i].name, err)
		}
	}
	return files
}
