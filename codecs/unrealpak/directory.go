package unrealpak

import (
	"encoding/binary"
	"strings"

	"pakdb/codecs/internal/ue"
	"pakdb/internal/bin"
)

// directoryNames are the file names of a directory index of versions 10 to 12,
// each found by its place in the region.
type directoryNames struct {
	buf  []byte
	utf8 bool // FUtf8String, version 12 on
}

func (d directoryNames) text(name uint32) ue.Text {
	return readName(bin.NewReader(d.buf[name:], 0, binary.LittleEndian), d.utf8)
}

func readName(r *bin.Reader, utf8 bool) ue.Text {
	if utf8 {
		return ue.Utf8String(r)
	}
	return ue.FString(r)
}

// parseDirectory reads a directory index:
//
//	i32 dirs | dirs x (FString dir | i32 files | files x (name, i32 location))
//
// What stands in front of damage is kept.
func (t *hashIndex) parseDirectory(r *bin.Reader, buf []byte, sizeHint int) error {
	names := directoryNames{buf, t.version >= utf8PakDirectory}
	t.names = names
	t.items = make([]item, 0, min(sizeHint, r.Len()/8))
	for range r.Count(8) {
		dir := dirPrefix(ue.FString(r).String())
		t.dirs = append(t.dirs, dir)
		for range r.Count(8) {
			it := item{dir: uint32(len(t.dirs) - 1), name: uint32(r.Pos())}
			readName(r, names.utf8)
			if it.location = r.I32(); r.Err() != nil {
				break
			}
			t.items = append(t.items, it)
		}
		if r.Err() != nil {
			break
		}
	}
	return at("directory index", r.Off(), r.Err())
}

// dirPrefix is what a directory puts in front of its files: nothing for the
// root, else its name with one slash at the end.
func dirPrefix(dir string) string {
	dir = normalSlashes(dir)
	if dir == "/" || dir == "" || strings.HasSuffix(dir, "/") {
		return strings.TrimPrefix(dir, "/")
	}
	return strings.TrimPrefix(dir, "/") + "/"
}
