package table

import (
	"encoding/binary"
	"strings"

	"pakdb/internal/bin"
)

const (
	ioNone     = 1<<32 - 1
	ioMaxDepth = 256
)

// parseDirectory gives chunks their paths: a mount point; folders of name, first
// child, next sibling, first file; files of name, next file, chunk; names.
func (t *iostore) parseDirectory(dir []byte) error {
	if len(dir) == 0 {
		return nil
	}
	r := bin.NewReader(dir, 0, binary.LittleEndian)
	readText(r)
	d := ioDirectory{t: t}
	t.mount = dir[:r.Pos()]
	d.dirs = ioRecords(r, 16)
	d.files = ioRecords(r, 12)
	d.names = make([]string, r.Count(4))
	for i := range d.names {
		d.names[i] = readText(r)
	}
	if r.Err() != nil || r.Len() != 0 || len(d.dirs) == 0 {
		return fail("a directory index")
	}
	d.budget = len(d.dirs)/16 + len(d.files)/12
	d.text = MaxSize
	if !d.walk(0, "", ioMaxDepth) {
		return fail("a directory index that leads astray")
	}
	return nil
}

func ioRecords(r *bin.Reader, size int) []byte { return r.Bytes(size * r.Count(size)) }

// ioDirectory is a directory index that is walked.
type ioDirectory struct {
	t           *iostore
	dirs, files []byte
	names       []string
	budget      int // folders and files that may still be visited: each once
	text        int // bytes of paths
}

func (d *ioDirectory) name(b []byte) (string, bool) {
	i := binary.LittleEndian.Uint32(b)
	if int64(i) >= int64(len(d.names)) {
		return "", false
	}
	return d.names[i], true
}

// walk visits a folder. false: the index is not one.
func (d *ioDirectory) walk(dir int, path string, depth int) bool {
	le := binary.LittleEndian
	if d.budget--; d.budget < 0 || depth == 0 {
		return false
	}
	b := d.dirs[16*dir:]
	for f := le.Uint32(b[12:]); f != ioNone; {
		d.budget--
		if d.budget < 0 || int64(f) >= int64(len(d.files)/12) {
			return false
		}
		x := d.files[12*f:]
		name, ok := d.name(x)
		chunk := le.Uint32(x[8:])
		if d.text -= len(path) + len(name); !ok || d.text < 0 || int64(chunk) >= int64(len(d.t.at)) {
			return false
		}
		d.t.chunks[d.t.at[chunk]].path = path + name
		f = le.Uint32(x[4:])
	}
	for k := le.Uint32(b[4:]); k != ioNone; {
		if int64(k) >= int64(len(d.dirs)/16) {
			return false
		}
		x := d.dirs[16*k:]
		name, ok := d.name(x)
		if d.text -= len(path) + len(name) + 1; !ok || d.text < 0 || !d.walk(int(k), path+name+"/", depth-1) {
			return false
		}
		k = le.Uint32(x[8:])
	}
	return true
}

// ioBuilder makes a directory index: names once, in the order of their first
// use, new folders and files before their siblings.
type ioBuilder struct {
	dirs    [][4]uint32
	files   [][3]uint32
	names   []string
	name    map[string]uint32
	folders map[string]uint32
}

// directory is the directory index of chunks in the order of the table.
func (t *iostore) directory(list []ioNew, order []int) []byte {
	if t.mount == nil {
		return nil
	}
	d := &ioBuilder{dirs: [][4]uint32{{ioNone, ioNone, ioNone, ioNone}}, name: map[string]uint32{}, folders: map[string]uint32{"": 0}}
	for at, i := range order {
		if list[i].path != "" {
			d.add(list[i].path, uint32(at))
		}
	}
	b := append([]byte(nil), t.mount...)
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(len(d.dirs)))
	for _, x := range d.dirs {
		for _, v := range x {
			b = le.AppendUint32(b, v)
		}
	}
	b = le.AppendUint32(b, uint32(len(d.files)))
	for _, x := range d.files {
		for _, v := range x {
			b = le.AppendUint32(b, v)
		}
	}
	b = le.AppendUint32(b, uint32(len(d.names)))
	for _, s := range d.names {
		b = appendText(b, s)
	}
	return b
}

func (d *ioBuilder) intern(s string) uint32 {
	i, ok := d.name[s]
	if !ok {
		i = uint32(len(d.names))
		d.name[s] = i
		d.names = append(d.names, s)
	}
	return i
}

func (d *ioBuilder) add(path string, chunk uint32) {
	cut := strings.LastIndexByte(path, '/')
	dir := d.folder(path[:max(cut, 0)], ioMaxDepth)
	d.files = append(d.files, [3]uint32{d.intern(path[cut+1:]), d.dirs[dir][3], chunk})
	d.dirs[dir][3] = uint32(len(d.files) - 1)
}

// folder returns the number of a folder. Deeper than any real one, it is the
// root.
func (d *ioBuilder) folder(path string, depth int) uint32 {
	if i, ok := d.folders[path]; ok || depth == 0 {
		return i
	}
	cut := strings.LastIndexByte(path, '/')
	above := d.folder(path[:max(cut, 0)], depth-1)
	i := uint32(len(d.dirs))
	d.folders[path] = i
	d.dirs = append(d.dirs, [4]uint32{d.intern(path[cut+1:]), ioNone, d.dirs[above][1], ioNone})
	d.dirs[above][1] = i
	return i
}
