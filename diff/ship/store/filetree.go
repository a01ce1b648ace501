package store

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/bin"
	"pakdb/internal/safename"
)

// The files of a build are the leaves of a tree, in the order of their paths and
// cut where these say so. A part of it is called by what it says of files, without
// the places of their recipes: a client that has a folder with most of the files
// knows the parts by looking at that, and fetches the others alone.
//
// Names of parts are strong: from the root on, which the manifest names, they
// prove that a list is the publisher's.

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

// AppendFile writes the bytes that a leaf's id covers.
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

// MarshalFiles returns files as a leaf of the tree.
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

// maxBuildSize bounds the bytes of a build's files, so that sums of sizes are
// sizes: 1 PiB, some thousand times the largest game.
const maxBuildSize = 1 << 50

// Wave is how many parts are asked for at a time: at 4 KiB of frames for each,
// and one request for 4 MiB, a wave keeps all connections busy.
const Wave = 4096

// fileList is a build's list of files while it is being read, from the first file
// on: the order of the paths is checked as they come, so that a tree that shares
// its parts ends at the second leaf.
type fileList struct {
	mem    *Budget
	known  map[Key][]File // parts that the folder has
	slots  []fileSlot     // what comes after the files
	Files  []File
	size   int64   // of the files
	places []Place // of the parts that were read
}

// fileSlot is a part whose files are known, or not yet.
type fileSlot struct {
	FilePart
	height int
	files  []File
}

// NewFileList reads a root.
func NewFileList(root []byte, mem *Budget) (*fileList, error) {
	f := bin.NewFields(root, ErrCorrupt)
	if string(f.Bytes(len(FilesMagic))) != FilesMagic {
		f.Fail("not a list of files")
	}
	l := &fileList{mem: mem}
	switch height := f.Number("height of a tree", maxFileLevel); height {
	case 0:
		files, _ := readFiles(f, root)
		l.slots = []fileSlot{{files: files}}
	default:
		parts := readFileNode(f)
		if n := CountFiles(parts); n > MaxFiles {
			f.Fail("%d files", n)
		}
		if err := l.grow(parts, int(height)-1); err != nil {
			return nil, err
		}
	}
	if err := end(f); err != nil {
		return nil, err
	}
	return l, l.Settle()
}

// grow adds the parts of a node.
func (l *fileList) grow(parts []FilePart, height int) error {
	for _, p := range parts {
		l.slots = append(l.slots, fileSlot{p, height, l.known[p.ID]})
	}
	return l.mem.Take(HeldSlot * int64(len(parts)))
}

// Missing are the places that are to be read next, some at a time: none if all is
// known.
func (l *fileList) Missing() (list []Place) {
	for _, s := range l.slots {
		if s.files == nil && len(list) < Wave {
			list = append(list, s.Place)
		}
	}
	return list
}

// Fill takes what is at the places that were missing.
func (l *fileList) Fill(parts [][]byte) error {
	old := l.slots
	l.slots = make([]fileSlot, 0, len(old))
	for _, s := range old {
		if s.files != nil || len(parts) == 0 {
			l.slots = append(l.slots, s)
			continue
		}
		b := parts[0]
		parts = parts[1:]
		l.places = append(l.places, s.Place)
		if err := l.part(s, b); err != nil {
			return err
		}
	}
	return l.Settle()
}

// part reads a part.
func (l *fileList) part(s fileSlot, b []byte) (err error) {
	if s.height == 0 {
		s.files, err = parseFileLeaf(b, &s.FilePart)
		l.slots = append(l.slots, s)
		return err
	}
	parts, err := parseFileNode(b, &s.FilePart)
	if err != nil {
		return err
	}
	l.mem.Give(HeldSlot)
	return l.grow(parts, s.height-1)
}

// Knows takes in the files of a folder: parts that have the same name need not be
// read.
func (l *fileList) Knows(files []File) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	l.known = map[Key][]File{}
	_, _, _ = FileTree(files, func(id Key, _ func() []byte, below []File) (Place, error) {
		l.known[id] = below
		return Place{}, nil
	})
	for i := range l.slots {
		if s := &l.slots[i]; s.files == nil {
			s.files = l.known[s.ID]
		}
	}
}

// Settle takes over the files before which nothing is missing, and checks them.
func (l *fileList) Settle() error {
	for len(l.slots) > 0 && (l.slots[0].files != nil || l.slots[0].Count == 0) {
		for i := range l.slots[0].files {
			if err := l.add(&l.slots[0].files[i]); err != nil {
				return err
			}
		}
		l.slots = l.slots[1:]
		l.mem.Give(HeldSlot)
	}
	return nil
}

// add adds the next file.
func (l *fileList) add(f *File) error {
	if err := f.check(); err != nil {
		return err
	}
	if n := len(l.Files); n > 0 && l.Files[n-1].Path >= f.Path {
		return fmt.Errorf("%w: file %q is not in order", ErrCorrupt, f.Path)
	}
	if l.size += f.Size; l.size > maxBuildSize {
		return fmt.Errorf("%w: files of more than %d bytes, up to %q", ErrCorrupt, int64(maxBuildSize), f.Path)
	}
	l.Files = append(l.Files, *f)
	return l.mem.Take(HeldFile + int64(len(f.Path)))
}
