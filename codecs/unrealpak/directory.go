package unrealpak

import (
	"encoding/binary"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/spool"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// directoryNames are the file names of a directory index of versions 10 to 12,
// each found by its place in the region.
type directoryNames struct {
	bytes *spool.Region
	utf8  bool // FUtf8String, version 12 on
}

func (d directoryNames) text(name uint32) unreal.Text { return unreal.NameAt(d.bytes, name, d.utf8) }

// parseDirectory reads a directory index:
//
//	i32 dirs | dirs x (FString dir | i32 files | files x (name, i32 location))
//
// Entries before the damage are kept.
func (t *hashIndex) parseDirectory(r *bin.Reader, bytes *spool.Region, sizeHint int) error {
	names := directoryNames{bytes, t.version >= utf8PakDirectory}
	t.names = names
	t.items = make([]item, 0, min(sizeHint, r.Len()/8))
	for range r.Count(8) {
		dir := dirPrefix(unreal.FString(r).String())
		t.dirs = append(t.dirs, dir)
		for range r.Count(8) {
			it := item{dir: uint32(len(t.dirs) - 1), name: uint32(r.Pos())}
			unreal.Name(r, names.utf8)
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

// flatMagic ("PFDQ") starts the directory index of version 13 on.
const flatMagic = 0x50464451

// flatNames are the file names of a flat directory, by file number.
type flatNames struct {
	blob    []byte
	offsets []uint32 // files+1
}

func (f flatNames) text(name uint32) unreal.Text {
	return unreal.Text{Bytes: f.blob[f.offsets[name]:f.offsets[name+1]]}
}

func isFlat(buf []byte) bool {
	return len(buf) >= 4 && binary.LittleEndian.Uint32(buf) == flatMagic
}

// parseFlat reads a sorted directory index:
//
//	i32 magic, dirs, files, restart interval, dir blob bytes, file blob bytes, hashes, 0
//	u64 hashes[n] | i32 hash locations[n] | i32 anchors[ceil(dirs/restart)+1]
//	i32 first file[dirs+1] | i32 name offsets[files+1] | i32 locations[files]
//	dir blob: dirs x (i32 shared prefix, i32 suffix length, suffix) | file blob
//
// It returns the path hashes. Nothing of a broken table is kept: its arrays
// only make sense together.
func (t *hashIndex) parseFlat(buf []byte, base, limit int64) ([]pathHash, error) {
	r := bin.NewReader(buf, base, binary.LittleEndian)
	r.Skip(4)
	dirs, files := r.Count(8+4), r.Count(8)
	restart, dirBytes, fileBytes := int64(r.I32()), int64(r.I32()), int64(r.I32())
	nHashes := r.Count(12)
	r.Skip(4)
	if r.Err() == nil && restart <= 0 {
		return nil, at("directory index", base+12, codecs.Errorf(codecs.ErrCorrupt, "restart interval %d", restart))
	}
	pairs := readFlatHashes(r, nHashes)
	if restart > 0 {
		r.Skip(4 * r.CheckCount((int64(dirs)+restart-1)/restart+1, 4))
	}
	firstFile := readU32s(r, int64(dirs)+1)
	offsets := readU32s(r, int64(files)+1)
	locations := readU32s(r, int64(files))
	dirAt := r.Off()
	dirBlob := bin.NewReader(r.Bytes(r.CheckCount(dirBytes, 1)), dirAt, binary.LittleEndian)
	blob := r.Bytes(r.CheckCount(fileBytes, 1))
	if r.Err() != nil {
		return nil, at("directory index", r.Off(), r.Err())
	}
	if err := checkAscending(firstFile, files, offsets, len(blob)); err != nil {
		return nil, at("directory index", base, err)
	}
	if err := t.readFlatDirs(dirBlob, dirs, limit); err != nil {
		return nil, at("directory index", dirBlob.Off(), err)
	}
	t.names = flatNames{blob, offsets}
	t.items = make([]item, 0, files)
	for d := range t.dirs {
		for f := firstFile[d]; f < firstFile[d+1]; f++ {
			t.items = append(t.items, item{int32(locations[f]), uint32(d), f})
		}
	}
	return pairs, nil
}

func readFlatHashes(r *bin.Reader, n int) []pathHash {
	pairs := make([]pathHash, r.CheckCount(int64(n), 12))
	for i := range pairs {
		pairs[i].hash = r.U64()
	}
	for i := range pairs {
		pairs[i].location = r.I32()
	}
	return pairs
}

func readU32s(r *bin.Reader, n int64) []uint32 {
	u := make([]uint32, r.CheckCount(n, 4))
	for i := range u {
		u[i] = r.U32()
	}
	return u
}

// checkAscending requires both offset arrays to rise from 0 to their ends.
func checkAscending(firstFile []uint32, files int, offsets []uint32, blob int) error {
	for _, a := range []struct {
		values []uint32
		last   int
		what   string
	}{{firstFile, files, "first files"}, {offsets, blob, "name offsets"}} {
		prev := uint32(0)
		for _, v := range a.values {
			if v < prev {
				return codecs.Errorf(codecs.ErrCorrupt, "%s do not rise", a.what)
			}
			prev = v
		}
		if a.values[0] != 0 || int64(prev) != int64(a.last) {
			return codecs.Errorf(codecs.ErrCorrupt, "%s run from %d to %d of %d", a.what, a.values[0], prev, a.last)
		}
	}
	return nil
}

// readFlatDirs unfolds the front-coded directory names, to limit bytes in all.
func (t *hashIndex) readFlatDirs(r *bin.Reader, dirs int, limit int64) error {
	prev, total := "", int64(0)
	for range dirs {
		shared := int(r.I32())
		suffix := r.Bytes(r.Count(1))
		if r.Err() != nil {
			return r.Err()
		}
		if shared < 0 || shared > len(prev) {
			return codecs.Errorf(codecs.ErrCorrupt, "directory name shares %d of %d bytes", shared, len(prev))
		}
		prev = prev[:shared] + string(suffix)
		if total += int64(len(prev)); total > limit {
			return codecs.Errorf(codecs.ErrLimit, "directory names unfold to more than %d bytes", limit)
		}
		t.dirs = append(t.dirs, dirPrefix(unreal.Text{Bytes: []byte(prev)}.String()))
	}
	return nil
}

// directories is a directory index in the making, in the order in which the
// engine's packer arrives at it, and what its locations refer to.
type directories struct {
	list      []*directory
	byName    map[string]*directory
	locations []int32 // by entry
	encoded   []byte
	records   []byte
	nRecords  int
}

type directory struct {
	name  string // "/" for the root, else with a trailing slash
	files []file
}

type file struct {
	name     string
	location int32
}

// directoriesOf encodes every entry and sorts it into its directory.
func directoriesOf(w *writer) *directories {
	d := &directories{byName: map[string]*directory{}}
	for i := range w.entries {
		e := &w.entries[i]
		location := d.locate(&e.rec, w.version, w.like.form)
		d.locations = append(d.locations, location)
		dir, base := splitDir(e.name)
		d.addParents(dir)
		in := d.add(dir)
		in.files = append(in.files, file{base, location})
	}
	return d
}

func (d *directories) locate(rec *record, v version, form blockForm) int32 {
	switch {
	case rec.deleted():
		return deletedLocation
	case rec.encodable(v):
		location := int32(len(d.encoded))
		d.encoded = rec.appendEncoded(d.encoded, form)
		return location
	}
	plain := *rec
	plain.sum = [20]byte{} // as the engine leaves it
	d.records = plain.append(d.records, v)
	d.nRecords++
	return int32(-d.nRecords)
}

// splitDir splits a path at its last slash: "/" and base for a file in the
// root.
func splitDir(name string) (dir, base string) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "/", name
	}
	return name[:i+1], name[i+1:]
}

// parent of a directory below the root.
func parent(dir string) string {
	up, _ := splitDir(strings.TrimSuffix(dir, "/"))
	return up
}

// addParents adds what lies above dir, the nearest first, before dir itself.
func (d *directories) addParents(dir string) {
	if d.byName[dir] != nil {
		return
	}
	for dir != "/" {
		dir = parent(dir)
		d.add(dir)
	}
}

func (d *directories) add(dir string) *directory {
	in := d.byName[dir]
	if in == nil {
		in = &directory{name: dir}
		d.byName[dir] = in
		d.list = append(d.list, in)
	}
	return in
}

// pruned is the index of those files alone whose extension is kept: first
// their directories, then the directories above.
func (d *directories) pruned(keep map[string]bool) *directories {
	p := &directories{byName: map[string]*directory{}}
	for _, dir := range d.list {
		for _, f := range dir.files {
			if keep[strings.ToLower(path.Ext(f.name))] {
				in := p.add(dir.name)
				in.files = append(in.files, f)
			}
		}
	}
	for _, dir := range p.list {
		for up := dir.name; up != "/"; {
			up = parent(up)
			p.add(up)
		}
	}
	return p
}

func (d *directories) append(b []byte, v version) []byte {
	b = leOrder.AppendUint32(b, uint32(len(d.list)))
	for _, dir := range d.list {
		b = unreal.AppendFString(b, dir.name)
		b = leOrder.AppendUint32(b, uint32(len(dir.files)))
		for _, f := range dir.files {
			if v >= utf8PakDirectory {
				b = unreal.AppendUtf8String(b, f.name)
			} else {
				b = unreal.AppendFString(b, f.name)
			}
			b = leOrder.AppendUint32(b, uint32(f.location))
		}
	}
	return b
}
