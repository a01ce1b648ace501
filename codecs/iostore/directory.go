package iostore

import (
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

const (
	dirRecord  = 16 // name, first child, next sibling, first file
	fileRecord = 12 // name, next file, chunk
	none       = 1<<32 - 1
	maxDepth   = 256 // of folders; real containers have about ten
	maxMount   = 65535
)

// directory gives chunks their paths. Every folder and file is reached from
// the root at most once, so that walking up from a file always ends.
type directory struct {
	mount  string
	dirs   array
	files  array
	text   []byte   // of names
	names  []uint32 // where each starts in text
	parent []int32  // by folder; -1 for the root and what is not reached
	folder []int32  // by file; -1 when it is not reached
	fileOf []int32  // by chunk; -1 when it has no path
	found  []error  // what contradicts the format
	unseen int      // files and folders that the root does not lead to
}

// parseDirectory reads a directory index over chunks chunks. It lists what it
// can; what is wrong goes into found. An error means that nothing can be read.
func parseDirectory(buf []byte, off int64, chunks int) (*directory, error) {
	d := &directory{fileOf: newIndex(chunks)}
	if len(buf) == 0 {
		return d, nil
	}
	r := bin.NewReader(buf, off, leOrder)
	mount := unreal.FString(r)
	if r.Err() == nil && (len(mount.Bytes) > maxMount || mount.Bare) {
		return d, at("mount point", off, codecs.Errorf(codecs.ErrCorrupt, "%d bytes, without a NUL: %v", len(mount.Bytes), mount.Bare))
	}
	d.mount = strings.ReplaceAll(mount.String(), `\`, "/")
	d.dirs = records(r, dirRecord)
	d.files = records(r, fileRecord)
	d.names = make([]uint32, r.Count(4))
	start := r.Pos()
	for i := range d.names {
		d.names[i] = uint32(r.Pos() - start)
		unreal.FString(r)
	}
	d.text = buf[min(start, len(buf)):]
	if err := r.Err(); err != nil {
		return &directory{fileOf: newIndex(chunks)}, at("directory index", off, err)
	}
	d.parent, d.folder = newIndex(d.dirs.n), newIndex(d.files.n)
	d.walk()
	return d, nil
}

func newIndex(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = -1
	}
	return x
}

func records(r *bin.Reader, size int) array {
	n := r.Count(size)
	return array{off: r.Off(), size: size, n: n, b: r.Bytes(n * size)}
}

func (a array) u32(i, field int) uint32 { return leOrder.Uint32(a.at(i)[4*field:]) }

// walk visits every folder from the root on.
func (d *directory) walk() {
	if d.dirs.n == 0 {
		d.unseen = d.files.n
		return
	}
	seen := make([]bool, d.dirs.n)
	seen[0] = true
	depth := []int32{0}
	for stack := []int32{0}; len(stack) > 0; {
		dir := stack[len(stack)-1]
		level := depth[len(depth)-1]
		stack, depth = stack[:len(stack)-1], depth[:len(depth)-1]
		d.walkFiles(dir)
		for child := d.dirs.u32(int(dir), 1); child != none; child = d.dirs.u32(int(child), 2) {
			if !d.usable("folder", child, seen, d.dirs, int(dir)) {
				break
			}
			if level == maxDepth {
				d.report("folder", d.dirs.place(int(child)), codecs.Errorf(codecs.ErrLimit, "more than %d levels", maxDepth))
				break
			}
			seen[child] = true
			d.parent[child] = dir
			stack, depth = append(stack, int32(child)), append(depth, level+1)
		}
	}
	d.countUnseen(seen)
}

func (d *directory) walkFiles(dir int32) {
	for file := d.dirs.u32(int(dir), 3); file != none; file = d.files.u32(int(file), 1) {
		if int64(file) >= int64(d.files.n) || d.folder[file] >= 0 {
			d.report("file", d.dirs.place(int(dir)), codecs.Errorf(codecs.ErrCorrupt, "number %d of %d, or reached twice", file, d.files.n))
			return
		}
		d.folder[file] = dir
		chunk := d.files.u32(int(file), 2)
		switch {
		case int64(chunk) >= int64(len(d.fileOf)):
			d.report("chunk of a file", d.files.place(int(file))+8, codecs.Errorf(codecs.ErrCorrupt, "number %d of %d", chunk, len(d.fileOf)))
		case d.fileOf[chunk] >= 0:
			d.report("chunk of a file", d.files.place(int(file))+8, codecs.Errorf(codecs.ErrNonStrict, "chunk %d has a path already", chunk))
		default:
			d.fileOf[chunk] = int32(file)
		}
	}
}

// usable reports whether child can be visited.
func (d *directory) usable(what string, child uint32, seen []bool, table array, from int) bool {
	if int64(child) < int64(table.n) && !seen[child] {
		return true
	}
	d.report(what, table.place(from), codecs.Errorf(codecs.ErrCorrupt, "number %d of %d, or reached twice", child, table.n))
	return false
}

func (d *directory) countUnseen(seen []bool) {
	for _, s := range seen {
		if !s {
			d.unseen++
		}
	}
	for _, dir := range d.folder {
		if dir < 0 {
			d.unseen++
		}
	}
}

// maxFound bounds the findings of one directory.
const maxFound = 100

func (d *directory) report(field string, off int64, err error) {
	if len(d.found) < maxFound {
		d.found = append(d.found, at("directory index: "+field, off, err))
	}
}

// paths makes paths one after the other: chunks that lie together are mostly of
// one folder, whose path is made once.
type paths struct {
	d      *directory
	folder int32 // whose path is buf[:prefix]
	prefix int
	buf    []byte
}

// of returns the path of chunk i, relative to the mount point, until the next
// call. ok is false when it has none.
func (p *paths) of(i int) (path []byte, ok bool) {
	file := p.d.fileOf[i]
	if file < 0 {
		return nil, false
	}
	if folder := p.d.folder[file]; folder != p.folder || p.buf == nil {
		p.buf = p.d.appendFolder(p.buf[:0], folder)
		p.folder, p.prefix = folder, len(p.buf)
	}
	p.buf = p.d.appendString(p.buf[:p.prefix], p.d.files.u32(int(file), 0))
	return p.buf, true
}

// appendFolder appends the path of a folder, with a slash after it unless it is
// the root.
func (d *directory) appendFolder(dst []byte, folder int32) []byte {
	var chain [maxDepth + 1]int32
	n := 0
	for ; folder > 0; folder = d.parent[folder] {
		chain[n] = folder
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(d.appendString(dst, d.dirs.u32(int(chain[n]), 0)), '/')
	}
	return dst
}

func (d *directory) appendString(dst []byte, i uint32) []byte {
	if int64(i) >= int64(len(d.names)) {
		return append(dst, "<bad name>"...)
	}
	var r bin.Reader
	r.Reset(d.text[d.names[i]:], 0, leOrder)
	t := unreal.FString(&r)
	if !t.Plain() {
		return append(dst, strings.ReplaceAll(t.String(), `\`, "/")...)
	}
	at := len(dst)
	dst = append(dst, t.Bytes...)
	for k := at; k < len(dst); k++ {
		if dst[k] == '\\' {
			dst[k] = '/'
		}
	}
	return dst
}

// ext is the extension of the path of chunk i, "" when it has none.
func (d *directory) ext(i int) string {
	if file := d.fileOf[i]; file >= 0 {
		return path.Ext(string(d.appendString(nil, d.files.u32(int(file), 0))))
	}
	return ""
}

// directoryBuilder makes a directory index as the engine's packer does: names
// once, in the order of their first use, new folders and files before their
// siblings.
type directoryBuilder struct {
	dirs    [][4]uint32
	files   [][3]uint32
	names   []string
	name    map[string]uint32
	folders map[string]uint32 // by path
}

func newDirectoryBuilder() *directoryBuilder {
	return &directoryBuilder{
		dirs:    [][4]uint32{{none, none, none, none}},
		name:    map[string]uint32{},
		folders: map[string]uint32{"": 0},
	}
}

func (d *directoryBuilder) intern(s string) uint32 {
	i, ok := d.name[s]
	if !ok {
		i = uint32(len(d.names))
		d.name[s] = i
		d.names = append(d.names, s)
	}
	return i
}

func (d *directoryBuilder) add(p string, chunk uint32) {
	folder, base := path.Split(p)
	dir := d.folder(strings.TrimSuffix(folder, "/"))
	d.files = append(d.files, [3]uint32{d.intern(base), d.dirs[dir][3], chunk})
	d.dirs[dir][3] = uint32(len(d.files) - 1)
}

func (d *directoryBuilder) folder(p string) uint32 {
	if i, ok := d.folders[p]; ok {
		return i
	}
	above, base := path.Split(p)
	parent := d.folder(strings.TrimSuffix(above, "/"))
	i := uint32(len(d.dirs))
	d.folders[p] = i
	d.dirs = append(d.dirs, [4]uint32{d.intern(base), none, d.dirs[parent][1], none})
	d.dirs[parent][1] = i
	return i
}

func (d *directoryBuilder) append(b []byte) []byte {
	b = leOrder.AppendUint32(b, uint32(len(d.dirs)))
	for _, dir := range d.dirs {
		for _, v := range dir {
			b = leOrder.AppendUint32(b, v)
		}
	}
	b = leOrder.AppendUint32(b, uint32(len(d.files)))
	for _, f := range d.files {
		for _, v := range f {
			b = leOrder.AppendUint32(b, v)
		}
	}
	b = leOrder.AppendUint32(b, uint32(len(d.names)))
	for _, s := range d.names {
		b = unreal.AppendFString(b, s)
	}
	return b
}

// packageOfPath returns which package a file belongs to, and which type its chunk
// has, from its whole path: "../../../Game/Content/A.uasset" is the package
// "/Game/A".
func packageOfPath(p string) (name, typeName string, ok bool) {
	for _, t := range packageFiles() {
		bare, found := unreal.CutSuffixFold(p, t.ext)
		if !found {
			continue
		}
		bare = "/" + strings.TrimLeft(bare, "./")
		owner, rest, found := strings.Cut(bare, "/Content/")
		mount := "/Game"
		if base := "/" + path.Base(owner); strings.Contains(owner, "/Plugins/") || base == "/Engine" {
			mount = base
		}
		return mount + "/" + rest, t.typeName, found
	}
	return "", "", false
}
