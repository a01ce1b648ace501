package store

import (
	"encoding/binary"
	"encoding/hex"

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
	seen := make(map[key]bool, len(parts))
	for i := range parts {
		if seen[parts[i].id] {
			f.Fail("the same files twice")
		}
		seen[parts[i].id] = true
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
