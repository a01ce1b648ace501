package codecs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// FileSystem is the entries of an archive as files, for all that takes an [fs.FS]:
// [fs.WalkDir], [fs.Glob], template.ParseFS, http.FileServerFS. It may be
// used by several goroutines at once. [FS] makes one.
type FileSystem struct {
	ctx   context.Context // of all reading: io/fs passes none
	a     Archive
	nodes tree
}

// FS returns the entries of a as a file system. It lists them at once, which takes
// some 400 bytes of memory for each, and reads contents when they are asked for,
// until a is closed or ctx is done.
//
// Entry.Name is the path of a file, below no mount point. Delete records are left
// out; every other entry is one file, so that nothing is lost:
//   - An entry without a name is "#ORDINAL" in the root, as for pakdb cat.
//   - A name that is no path of io/fs ("/A", "../A", "A//B", "A/") loses the parts
//     "", "." and "..", and of more than 255 folders the innermost. A backslash
//     separates folders, which is how games that have any mean it.
//   - Of several files of one name the first keeps it, an unchanged name before a
//     changed one. The others have "#ORDINAL" before the extension: "A#7.txt". Names
//     that differ in case are different.
//   - A file that has the name of a folder is renamed likewise; folders keep theirs.
//
// Files have the mode 0444, the time of their entry (zero where it has none), its
// decoded size, and a copy of the [Entry] as [fs.FileInfo.Sys]. They can be sought
// in; going back decodes anew. Reading to the end verifies what the archive states
// of the content.
//
// When tables of a are damaged, FS returns what it could list together with the
// error, as [fs.ReadDir] does. What is wrong with a single entry is the error of
// opening it. When ctx is done there is no file system.
func FS(ctx context.Context, a Archive) (*FileSystem, error) {
	var files []*node
	var errs []error
	for e, err := range a.Entries() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e == nil || e.Flags&Deleted != 0 {
			errs = append(errs, err)
			continue
		}
		files = append(files, &node{entry: e, err: err})
	}
	return &FileSystem{ctx, a, placed(files)}, errors.Join(errs...)
}

// Open opens a file or folder. It fails with an [*fs.PathError], of the class that
// the archive gives where an entry cannot be read.
func (f *FileSystem) Open(name string) (fs.File, error) {
	n, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		return &openFolder{node: n, path: name}, nil
	}
	r, err := f.open(n)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{from: f, node: n, r: r, path: name}, nil
}

// ReadFile returns the whole content of a file, verified.
func (f *FileSystem) ReadFile(name string) ([]byte, error) {
	n, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	b, err := f.read(n)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return b, nil
}

// Stat describes a file without opening it.
func (f *FileSystem) Stat(name string) (fs.FileInfo, error) {
	n, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Sub returns a folder as a file system. That of [fs.Sub] itself matches no
// patterns below a folder whose name has a bracket.
func (f *FileSystem) Sub(dir string) (fs.FS, error) {
	n, err := f.find("sub", dir)
	if err != nil {
		return nil, err
	}
	if dir == "." {
		return f, nil
	}
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "sub", Path: dir, Err: errNoFolder}
	}
	nodes := tree{".": {name: ".", children: n.children}}
	for at, n := range f.nodes {
		if below, ok := strings.CutPrefix(at, dir+"/"); ok {
			nodes[below] = n
		}
	}
	return &FileSystem{f.ctx, f.a, nodes}, nil
}

var (
	errFolder   = errors.New("is a folder")
	errNoFolder = errors.New("not a folder")
)

// find returns the file or folder of that path.
func (f *FileSystem) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := f.nodes[name]
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

func (f *FileSystem) open(n *node) (io.ReadCloser, error) {
	if n.err != nil {
		return nil, n.err
	}
	return f.a.Open(f.ctx, n.entry)
}

func (f *FileSystem) read(n *node) (_ []byte, err error) {
	if n.IsDir() {
		return nil, errFolder
	}
	r, err := f.open(n)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var b bytes.Buffer
	b.Grow(int(min(n.Size(), 1<<20))) // a size that the archive declares may be a lie
	_, err = b.ReadFrom(r)
	return b.Bytes(), err
}

// node is a file or a folder; it describes itself.
type node struct {
	name     string
	entry    *Entry        // nil: a folder
	err      error         // what the tables of the archive have wrong about the entry
	children []fs.DirEntry // nodes of a folder, by name
}

func (n *node) Name() string               { return n.name }
func (n *node) IsDir() bool                { return n.entry == nil }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

func (n *node) Size() int64 {
	if n.IsDir() {
		return 0
	}
	return max(n.entry.Size, 0)
}

func (n *node) Mode() fs.FileMode {
	if n.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func (n *node) ModTime() time.Time {
	if n.IsDir() {
		return time.Time{}
	}
	return n.entry.Mod
}

func (n *node) Sys() any {
	if n.IsDir() {
		return nil
	}
	e := *n.entry
	return &e
}

// openFolder is a folder that was opened.
type openFolder struct {
	*node
	path string
	next int
}

func (d *openFolder) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *openFolder) Close() error               { return nil }

func (d *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: errFolder}
}

// ReadDir returns the next count entries, or all that are left.
func (d *openFolder) ReadDir(count int) ([]fs.DirEntry, error) {
	end := len(d.children)
	if count > 0 {
		if d.next == end {
			return nil, io.EOF
		}
		end = min(end, d.next+count)
	}
	list := d.children[d.next:end]
	d.next = end
	return slices.Clone(list), nil
}

// openFile is a file that was opened. Its reader goes forward only: a seek has
// what lies between read and dropped, when the next bytes are asked for.
type openFile struct {
	from  *FileSystem
	*node // that is open
	path  string
	r     io.ReadCloser // nil: closed
	at    int64         // of r
	want  int64         // where the next Read begins
}

func (o *openFile) Stat() (fs.FileInfo, error) { return o.node, nil }

func (o *openFile) Read(p []byte) (int, error) {
	if o.r == nil {
		return 0, &fs.PathError{Op: "read", Path: o.path, Err: fs.ErrClosed}
	}
	if o.want != o.at {
		if err := o.move(); err != nil {
			return 0, err
		}
	}
	n, err := o.r.Read(p)
	o.at += int64(n)
	o.want = o.at
	return n, err
}

// move brings the reader to where the next Read begins, or returns io.EOF where
// that is beyond the end.
func (o *openFile) move() error {
	if o.want >= o.Size() {
		return io.EOF
	}
	if o.want < o.at {
		r, err := o.from.open(o.node)
		if err != nil {
			return err
		}
		err = o.r.Close()
		o.r, o.at = r, 0
		if err != nil {
			return err
		}
	}
	n, err := io.CopyN(io.Discard, o.r, o.want-o.at)
	o.at += n
	return err
}

// Seek sets where the next Read begins.
func (o *openFile) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += o.want
	case io.SeekEnd:
		off += o.Size()
	}
	if o.r == nil || off < 0 || whence < io.SeekStart || whence > io.SeekEnd {
		return 0, &fs.PathError{Op: "seek", Path: o.path, Err: fs.ErrInvalid}
	}
	o.want = off
	return off, nil
}

func (o *openFile) Close() error {
	if o.r == nil {
		return &fs.PathError{Op: "close", Path: o.path, Err: fs.ErrClosed}
	}
	r := o.r
	o.r = nil
	return r.Close()
}

// tree has files and folders by their paths.
type tree map[string]*node

// placed gives files their paths, and folders what lies in them.
func placed(files []*node) tree {
	t := tree{".": {name: "."}}
	paths := make([]string, len(files))
	for i, n := range files {
		paths[i] = fsPath(n.entry)
		t.folder(path.Dir(paths[i]))
	}
	var late []int
	for _, unchanged := range []bool{true, false} {
		for i, n := range files {
			if (paths[i] == n.entry.Name) == unchanged && !t.add(n, paths[i]) {
				late = append(late, i)
			}
		}
	}
	for _, i := range late {
		for done := false; !done; done = t.add(files[i], paths[i]) {
			ext := path.Ext(paths[i])
			paths[i] = fmt.Sprintf("%s#%d%s", strings.TrimSuffix(paths[i], ext), files[i].entry.Ordinal, ext)
		}
	}
	for _, n := range t {
		slices.SortFunc(n.children, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	}
	return t
}

// add puts a file or folder at a path, unless something is there.
func (t tree) add(n *node, at string) bool {
	if t[at] != nil {
		return false
	}
	n.name, t[at] = path.Base(at), n
	in := t.folder(path.Dir(at))
	in.children = append(in.children, n)
	return true
}

// folder returns the folder at a path, and makes it and those that it lies in.
func (t tree) folder(at string) *node {
	if t[at] == nil {
		t.add(&node{}, at)
	}
	return t[at]
}

// fsFolders is how many folders deep a file may lie: each name could ask for 32,000.
const fsFolders = 255

// fsPath returns the path that an entry asks for, valid and not ".".
func fsPath(e *Entry) string {
	if e.Name != "." && fs.ValidPath(e.Name) && !strings.Contains(e.Name, `\`) && strings.Count(e.Name, "/") <= fsFolders {
		return e.Name
	}
	var parts []string
	for _, part := range strings.FieldsFunc(strings.ToValidUTF8(e.Name, "\uFFFD"), func(r rune) bool { return r == '/' || r == '\\' }) {
		if part != "." && part != ".." {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("#%d", e.Ordinal)
	}
	if last := len(parts) - 1; last > fsFolders {
		parts = append(parts[:fsFolders], parts[last])
	}
	return strings.Join(parts, "/")
}
