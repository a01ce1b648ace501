package store

import (
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/fields"
)

// maxBuildSize bounds the bytes of a build's files, so that sums of sizes are
// sizes: 1 PiB, some thousand times the largest game.
const maxBuildSize = 1 << 50

// fileList is a build's list of files while it is being read, from the first file
// on: the order of the paths is checked as they come, so that a tree that shares
// its parts ends at the second leaf.
type fileList struct {
	mem    *budget
	known  map[key][]File // parts that the folder has
	slots  []fileSlot     // what comes behind the files
	files  []File
	size   int64   // of the files
	places []place // of the parts that were read
}

// fileSlot is a part whose files are known, or not yet.
type fileSlot struct {
	filePart
	height int
	files  []File
}

// newFileList reads a root.
func newFileList(root []byte, mem *budget) (*fileList, error) {
	f := fields.New(root, ErrCorrupt)
	if string(f.Bytes(len(filesMagic))) != filesMagic {
		f.Fail("not a list of files")
	}
	l := &fileList{mem: mem}
	switch height := f.Number("height of a tree", maxFileLevel); height {
	case 0:
		files, _ := readFiles(f, root)
		l.slots = []fileSlot{{files: files}}
	default:
		parts := readFileNode(f)
		if n := countFiles(parts); n > maxFiles {
			f.Fail("%d files", n)
		}
		if err := l.grow(parts, int(height)-1); err != nil {
			return nil, err
		}
	}
	if err := end(f); err != nil {
		return nil, err
	}
	return l, l.settle()
}

// grow adds the parts of a node.
func (l *fileList) grow(parts []filePart, height int) error {
	for _, p := range parts {
		l.slots = append(l.slots, fileSlot{p, height, l.known[p.id]})
	}
	return l.mem.take(heldSlot * int64(len(parts)))
}

// missing are the places that are to be read next, some at a time: none if all is
// known.
func (l *fileList) missing() (list []place) {
	for _, s := range l.slots {
		if s.files == nil && len(list) < wave {
			list = append(list, s.place)
		}
	}
	return list
}

// fill takes what is at the places that were missing.
func (l *fileList) fill(parts [][]byte) error {
	old := l.slots
	l.slots = make([]fileSlot, 0, len(old))
	for _, s := range old {
		if s.files != nil || len(parts) == 0 {
			l.slots = append(l.slots, s)
			continue
		}
		b := parts[0]
		parts = parts[1:]
		l.places = append(l.places, s.place)
		if err := l.part(s, b); err != nil {
			return err
		}
	}
	return l.settle()
}

// part reads a part.
func (l *fileList) part(s fileSlot, b []byte) (err error) {
	if s.height == 0 {
		s.files, err = parseFileLeaf(b, &s.filePart)
		l.slots = append(l.slots, s)
		return err
	}
	parts, err := parseFileNode(b, &s.filePart)
	if err != nil {
		return err
	}
	l.mem.give(heldSlot)
	return l.grow(parts, s.height-1)
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

// settle takes over the files before which nothing is missing, and checks them.
func (l *fileList) settle() error {
	for len(l.slots) > 0 && (l.slots[0].files != nil || l.slots[0].count == 0) {
		for i := range l.slots[0].files {
			if err := l.add(&l.slots[0].files[i]); err != nil {
				return err
			}
		}
		l.slots = l.slots[1:]
		l.mem.give(heldSlot)
	}
	return nil
}

// add adds the next file.
func (l *fileList) add(f *File) error {
	if err := f.check(); err != nil {
		return err
	}
	if n := len(l.files); n > 0 && l.files[n-1].Path >= f.Path {
		return fmt.Errorf("%w: file %q is not in order", ErrCorrupt, f.Path)
	}
	if l.size += f.Size; l.size > maxBuildSize {
		return fmt.Errorf("%w: files of more than %d bytes, up to %q", ErrCorrupt, int64(maxBuildSize), f.Path)
	}
	l.files = append(l.files, *f)
	return l.mem.take(heldFile + int64(len(f.Path)))
}
