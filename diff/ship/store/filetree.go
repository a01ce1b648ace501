package store

import (
	"encoding/binary"
	"encoding/hex"

	"pakdb/internal/bin"
	"pakdb/internal/safename"
)

// The files of a build are the leaves of a tree, in the order of their paths and
// cut where these say so. A part of it is called by what it says of files, without
// the places of their recipes: a client that has a folder with most of the files
// knows the parts by looking at that, and fetches the others alone.
//
// Names of parts are strong: from the root on, which the manifest names, they
// are what tells that a list is the publisher's.

// FilePart is a leaf, which has files, or a node, which has parts.
type FilePart struct {
	ID    Key
	Count int // of files below it
	Place
}

const (
	fileBits = 3
	mostPath = safename.MaxPath
	mostLeaf = 16 << 10 // bytes after which a leaf ends
	// MaxFiles is how many files a build may have.
	MaxFiles = 1 << 24
	FewFiles = 64 // up to so many are the root itself
	// FilesMagic is what the root of a list of files begins with.
	FilesMagic   = "pkfiles\x01"
	maxFileLevel = 12
)

// AppendFile writes what a leaf's name is about.
func AppendFile(b []byte, f *File) []byte {
	sum, _ := hex.DecodeString(f.Sum)
	b = binary.AppendUvarint(b, uint64(len(f.Path)))
	b = append(b, f.Path...)
	b = binary.AppendUvarint(b, uint64(f.Size))
	exec := byte(0)
	if f.Exec {
		exec = 1
	}
	return append(append(b, sum...), exec)
}

// MarshalFiles returns files as a leaf of the tree holds them.
func MarshalFiles(files []File) []byte {
	b := binary.AppendUvarint(nil, uint64(len(files)))
	for i := range files {
		b = AppendFile(b, &files[i])
	}
	var before Place
	for i := range files {
		b = appendPlace(b, files[i].Recipe.Place(), before)
		before = files[i].Recipe.Place()
	}
	return b
}

// readFiles reads a leaf, and returns its name.
func readFiles(f *bin.Fields, b []byte) (files []File, id Key) {
	files = make([]File, f.Count("files", FewFiles, 1+1+1+32+1+2))
	rows := b[len(b)-f.Len():]
	for i := range files {
		files[i].Path = f.Text("path", mostPath)
		files[i].Size = f.Number("size of a file", 1<<60)
		files[i].Sum = hex.EncodeToString(f.Bytes(32))
		exec := f.Bytes(1)[0]
		if files[i].Exec = exec == 1; exec > 1 {
			f.Fail("executable %d", exec)
		}
	}
	id = KeyOf(rows[:len(rows)-f.Len()])
	var before Place
	for i := range files {
		before = readPlace(f, before)
		files[i].Recipe = RecipeAt{before.Pack, before.Frame, before.At, before.Size}
	}
	return files, id
}

func parseFileLeaf(b []byte, want *FilePart) ([]File, error) {
	f := bin.NewFields(b, ErrCorrupt)
	files, id := readFiles(f, b)
	if f.Err() == nil && (id != want.ID || len(files) != want.Count) {
		f.Fail("a list of files that is not what its name says")
	}
	return files, end(f)
}

// FileNodeID names a node.
func FileNodeID(parts []FilePart) Key {
	var b []byte
	for _, p := range parts {
		b = append(b, p.ID[:]...)
		b = binary.AppendUvarint(b, uint64(p.Count))
	}
	return KeyOf(b)
}

// MarshalFileNode returns a node of the tree: its parts, in order.
func MarshalFileNode(parts []FilePart) []byte {
	b := binary.AppendUvarint(nil, uint64(len(parts)))
	for _, p := range parts {
		b = append(b, p.ID[:]...)
		b = binary.AppendUvarint(b, uint64(p.Count))
	}
	var before Place
	for _, p := range parts {
		b = appendPlace(b, p.Place, before)
		before = p.Place
	}
	return b
}

func readFileNode(f *bin.Fields) []FilePart {
	parts := make([]FilePart, f.Count("parts", MostInPart, 16+1+2))
	for i := range parts {
		parts[i].ID = Key(f.Bytes(len(Key{})))
		if parts[i].Count = int(f.Number("count of files", MaxFiles)); parts[i].Count == 0 {
			f.Fail("a part without files")
		}
	}
	var before Place
	seen := make(map[Key]bool, len(parts))
	for i := range parts {
		if seen[parts[i].ID] {
			f.Fail("the same files twice")
		}
		seen[parts[i].ID] = true
		parts[i].Place = readPlace(f, before)
		before = parts[i].Place
	}
	return parts
}

func parseFileNode(b []byte, want *FilePart) ([]FilePart, error) {
	f := bin.NewFields(b, ErrCorrupt)
	parts := readFileNode(f)
	if f.Err() == nil && (FileNodeID(parts) != want.ID || CountFiles(parts) != want.Count) {
		f.Fail("a part of the list of files that is not what its name says")
	}
	return parts, end(f)
}

// CountFiles returns how many files parts have together.
func CountFiles(parts []FilePart) (n int) {
	for _, p := range parts {
		n += p.Count
	}
	return n
}

// fileLeaves cuts files into leaves.
func fileLeaves(files []File) (list [][]File) {
	size := 0
	return runs(files, func(f File) bool {
		size += len(f.Path)
		last := size > mostLeaf || KeyOf([]byte(f.Path)).Short()>>(64-fileBits) == 0
		if last {
			size = 0
		}
		return last
	})
}

// FileTree calls use for every part of the tree over files, from the bottom up,
// with what is stored of it and the files below, and returns the topmost parts.
func FileTree(files []File, use func(id Key, b func() []byte, below []File) (Place, error)) (parts []FilePart, height int, err error) {
	for _, leaf := range fileLeaves(files) {
		var rows []byte
		for i := range leaf {
			rows = AppendFile(rows, &leaf[i])
		}
		p := FilePart{ID: KeyOf(rows), Count: len(leaf)}
		if p.Place, err = use(p.ID, func() []byte { return MarshalFiles(leaf) }, leaf); err != nil {
			return nil, 0, err
		}
		parts = append(parts, p)
	}
	for len(parts) > MostInPart {
		height++
		var above []FilePart
		at := 0
		for _, node := range runs(parts, func(p FilePart) bool { return p.ID.Short()>>(64-fileBits) == 0 }) {
			p := FilePart{ID: FileNodeID(node), Count: CountFiles(node)}
			if p.Place, err = use(p.ID, func() []byte { return MarshalFileNode(node) }, files[at:at+p.Count]); err != nil {
				return nil, 0, err
			}
			at += p.Count
			above = append(above, p)
		}
		parts = above
	}
	return parts, height, nil
}

// MarshalFileRoot writes the object that a manifest names: the files, when they
// are few, or the topmost parts.
func MarshalFileRoot(files []File, parts []FilePart, height int) []byte {
	if len(files) <= FewFiles {
		return append([]byte(FilesMagic+"\x00"), MarshalFiles(files)...)
	}
	b := binary.AppendUvarint([]byte(FilesMagic), uint64(height)+1)
	return append(b, MarshalFileNode(parts)...)
}
