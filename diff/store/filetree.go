package store

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/fields"
	"pakdb/internal/safename"
)

// The files of a build are the leaves of a tree, in the order of their paths and
// cut where these say so. A part of it is called by what it says of files, without
// the places of their recipes: a client that has a folder with most of the files
// knows the parts by looking at that, and fetches the others alone.
//
// Names of parts are strong: from the root on, which the manifest names, they
// are what tells that a list is the publisher's.

// filePart is a leaf, which has files, or a node, which has parts.
type filePart struct {
	id    key
	count int // of files below it
	place
}

const (
	fileBits     = 3
	mostPath     = safename.MaxPath
	mostLeaf     = 16 << 10 // bytes after which a leaf ends
	maxFiles     = 1 << 24
	fewFiles     = 64 // up to so many are the root itself
	filesMagic   = "pkfiles\x01"
	maxFileLevel = 12
)

// appendFile writes what a leaf's name is about.
func appendFile(b []byte, f *File) []byte {
	sum, _ := hex.DecodeString(f.Sum)
	b = binary.AppendUvarint(b, uint64(len(f.Path)))
	b = append(b, f.Path...)
	b = binary.AppendUvarint(b, uint64(f.Size))
	return append(b, sum...)
}

func marshalFiles(files []File) []byte {
	b := binary.AppendUvarint(nil, uint64(len(files)))
	for i := range files {
		b = appendFile(b, &files[i])
	}
	var before place
	for i := range files {
		b = appendPlace(b, files[i].Recipe.place(), before)
		before = files[i].Recipe.place()
	}
	return b
}

// readFiles reads a leaf, and returns its name.
func readFiles(f *fields.Reader, b []byte) (files []File, id key) {
	files = make([]File, f.Count("files", fewFiles, 1+1+1+32+2))
	rows := b[len(b)-f.Len():]
	for i := range files {
		files[i].Path = f.Text("path", mostPath)
		files[i].Size = f.Number("size of a file", 1<<60)
		files[i].Sum = hex.EncodeToString(f.Bytes(32))
	}
	id = keyOf(rows[:len(rows)-f.Len()])
	var before place
	for i := range files {
		before = readPlace(f, before)
		files[i].Recipe = recipeAt{before.pack, before.frame, before.at, before.size}
	}
	return files, id
}

func parseFileLeaf(b []byte, want *filePart) ([]File, error) {
	f := fields.New(b, ErrCorrupt)
	files, id := readFiles(f, b)
	if f.Err() == nil && (id != want.id || len(files) != want.count) {
		f.Fail("a list of files that is not what its name says")
	}
	return files, end(f)
}

// fileNodeID names a node.
func fileNodeID(parts []filePart) key {
	var b []byte
	for _, p := range parts {
		b = append(b, p.id[:]...)
		b = binary.AppendUvarint(b, uint64(p.count))
	}
	return keyOf(b)
}

func marshalFileNode(parts []filePart) []byte {
	b := binary.AppendUvarint(nil, uint64(len(parts)))
	for _, p := range parts {
		b = append(b, p.id[:]...)
		b = binary.AppendUvarint(b, uint64(p.count))
	}
	var before place
	for _, p := range parts {
		b = appendPlace(b, p.place, before)
		before = p.place
	}
	return b
}

func readFileNode(f *fields.Reader) []filePart {
	parts := make([]filePart, f.Count("parts", mostInPart, 16+1+2))
	for i := range parts {
		parts[i].id = key(f.Bytes(len(key{})))
		if parts[i].count = int(f.Number("count of files", maxFiles)); parts[i].count == 0 {
			f.Fail("a part without files")
		}
	}
	var before place
	for i := range parts {
		parts[i].place = readPlace(f, before)
		before = parts[i].place
	}
	return parts
}

func parseFileNode(b []byte, want *filePart) ([]filePart, error) {
	f := fields.New(b, ErrCorrupt)
	parts := readFileNode(f)
	if f.Err() == nil && (fileNodeID(parts) != want.id || countFiles(parts) != want.count) {
		f.Fail("a part of the list of files that is not what its name says")
	}
	return parts, end(f)
}

func countFiles(parts []filePart) (n int) {
	for _, p := range parts {
		n += p.count
	}
	return n
}

// fileLeaves cuts files into leaves.
func fileLeaves(files []File) (list [][]File) {
	size := 0
	return runs(files, func(f File) bool {
		size += len(f.Path)
		last := size > mostLeaf || keyOf([]byte(f.Path)).short()>>(64-fileBits) == 0
		if last {
			size = 0
		}
		return last
	})
}

// fileTree calls use for every part of the tree over files, from the bottom up,
// with what is stored of it and the files below, and returns the topmost parts.
func fileTree(files []File, use func(id key, b func() []byte, below []File) (place, error)) (parts []filePart, height int, err error) {
	for _, leaf := range fileLeaves(files) {
		var rows []byte
		for i := range leaf {
			rows = appendFile(rows, &leaf[i])
		}
		p := filePart{id: keyOf(rows), count: len(leaf)}
		if p.place, err = use(p.id, func() []byte { return marshalFiles(leaf) }, leaf); err != nil {
			return nil, 0, err
		}
		parts = append(parts, p)
	}
	for len(parts) > mostInPart {
		height++
		var above []filePart
		at := 0
		for _, node := range runs(parts, func(p filePart) bool { return p.id.short()>>(64-fileBits) == 0 }) {
			p := filePart{id: fileNodeID(node), count: countFiles(node)}
			if p.place, err = use(p.id, func() []byte { return marshalFileNode(node) }, files[at:at+p.count]); err != nil {
				return nil, 0, err
			}
			at += p.count
			above = append(above, p)
		}
		parts = above
	}
	return parts, height, nil
}

// marshalFileRoot writes the object that a manifest names: the files, when they
// are few, or the topmost parts.
func marshalFileRoot(files []File, parts []filePart, height int) []byte {
	if len(files) <= fewFiles {
		return append([]byte(filesMagic+"\x00"), marshalFiles(files)...)
	}
	b := binary.AppendUvarint([]byte(filesMagic), uint64(height)+1)
	return append(b, marshalFileNode(parts)...)
}

// fileList is a build's list of files while it is being read.
type fileList struct {
	known  map[key][]File // parts that the folder has
	slots  []fileSlot
	places []place // of the parts that were read
}

// fileSlot is a part whose files are known, or not yet.
type fileSlot struct {
	filePart
	height int
	files  []File
}

// newFileList reads a root.
func newFileList(root []byte) (*fileList, error) {
	f := fields.New(root, ErrCorrupt)
	if string(f.Bytes(len(filesMagic))) != filesMagic {
		f.Fail("not a list of files")
	}
	l := &fileList{}
	switch height := f.Number("height of a tree", maxFileLevel); height {
	case 0:
		files, _ := readFiles(f, root)
		l.slots = []fileSlot{{files: files}}
	default:
		l.grow(readFileNode(f), int(height)-1)
	}
	n := 0
	for _, s := range l.slots {
		if n += s.count; n > maxFiles {
			f.Fail("%d files", n)
		}
	}
	return l, end(f)
}

// grow adds the parts of a node.
func (l *fileList) grow(parts []filePart, height int) {
	for _, p := range parts {
		l.slots = append(l.slots, fileSlot{p, height, l.known[p.id]})
	}
}

// missing are the places that are to be read next: none if all is known.
func (l *fileList) missing() (list []place) {
	for _, s := range l.slots {
		if s.files == nil && s.count > 0 {
			list = append(list, s.place)
		}
	}
	return list
}

// fill reads one level of what is missing.
func (l *fileList) fill(at func(place) ([]byte, error)) error {
	old := l.slots
	l.slots = make([]fileSlot, 0, len(old))
	for _, s := range old {
		if s.files != nil || s.count == 0 {
			l.slots = append(l.slots, s)
			continue
		}
		b, err := at(s.place)
		if err != nil {
			return err
		}
		l.places = append(l.places, s.place)
		if s.height == 0 {
			if s.files, err = parseFileLeaf(b, &s.filePart); err != nil {
				return err
			}
			l.slots = append(l.slots, s)
			continue
		}
		parts, err := parseFileNode(b, &s.filePart)
		if err != nil {
			return err
		}
		l.grow(parts, s.height-1)
	}
	return nil
}

// knows takes in the files of a folder: parts that have the same name need not be
// read.
func (l *fileList) knows(files []File) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	l.known = map[key][]File{}
	_, _, _ = fileTree(files, func(id key, _ func() []byte, below []File) (place, error) {
		l.known[id] = below
		return place{}, nil
	})
	for i := range l.slots {
		if s := &l.slots[i]; s.files == nil {
			s.files = l.known[s.id]
		}
	}
}

// all returns the files, which are checked.
func (l *fileList) all() (files []File, err error) {
	for _, s := range l.slots {
		files = append(files, s.files...)
	}
	for i := range files {
		if err := files[i].check(); err != nil {
			return nil, err
		}
		if i > 0 && files[i-1].Path >= files[i].Path {
			return nil, fmt.Errorf("%w: file %q is not in order", ErrCorrupt, files[i].Path)
		}
	}
	return files, nil
}
