package store

import (
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/bin"
)

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
	slots  []fileSlot     // what comes behind the files
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
