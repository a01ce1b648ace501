package store

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pakdb/internal/fields"
)

// What contents are called in a file is kept for publishers, so that those of
// the next build find what they were made from: n/SUM, by the BLAKE3 of the file.
// Names are hashed; clients never read them.

// named is a content of a file.
type named struct {
	name uint64
	key  key
	size int64
}

const namesMagic = "pknames\x01"

func namesName(sum string) string { return "n/" + sum }

func marshalNames(list []named) []byte {
	b := binary.AppendUvarint([]byte(namesMagic), uint64(len(list)))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, n.name)
		b = append(b, n.key[:]...)
		b = binary.AppendUvarint(b, uint64(n.size))
	}
	return b
}

// readNames reads the names of a file's contents, in their order; none if the
// store has lost them.
func readNames(dir, sum string) (list []named, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "n", sum))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if b, err = inflate(b, 1<<30); err != nil {
		return nil, err
	}
	f := fields.New(b, ErrCorrupt)
	if string(f.Bytes(len(namesMagic))) != namesMagic {
		f.Fail("not the names of a file")
	}
	list = make([]named, f.Count("names", maxNumber, 8+16+1))
	for i := range list {
		list[i] = named{f.Uint64(), key(f.Bytes(16)), f.Number("size of a content", 1<<50)}
	}
	return list, f.Err()
}

// earlierContents are those of an earlier build, by their names.
type earlierContents struct {
	files map[string]map[uint64]named // by path
	any   map[uint64]named            // whatever the file, of entries
	keys  map[key]bool
	list  []named // each once
}

func newEarlierContents(dir string, b *Build) (*earlierContents, error) {
	e := &earlierContents{map[string]map[uint64]named{}, map[uint64]named{}, map[key]bool{}, nil}
	gaps := map[uint64]bool{nameOf(skeletonName, 0): true, nameOf("\x00end", 0): true}
	for i := range 64 {
		gaps[nameOf("\x00gap", i)] = true
	}
	for _, f := range b.Files {
		names, err := readNames(dir, f.Sum)
		if err != nil {
			return nil, err
		}
		m := make(map[uint64]named, len(names))
		for _, n := range names {
			m[n.name] = n
			if !e.keys[n.key] {
				e.keys[n.key] = true
				e.list = append(e.list, n)
			}
			if _, there := e.any[n.name]; !there && !gaps[n.name] {
				e.any[n.name] = n
			}
		}
		e.files[f.Path] = m
	}
	return e, nil
}

// origin returns what a content of a file was in the earlier build: that of its
// name in the file of that path, else in any. There is none for a content that
// the earlier build has too.
func (e *earlierContents) origin(path string, name uint64, id key) (named, bool) {
	if e == nil || e.keys[id] {
		return named{}, false
	}
	n, ok := e.files[path][name]
	if !ok {
		n, ok = e.any[name]
	}
	return n, ok && n.size > 0
}
