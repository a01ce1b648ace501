package store

import (
	"context"
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

// writeNames writes them without waiting for the disk: there may be a file for
// each of thousands, and they may get lost.
func (p *publisher) writeNames(sum string, b []byte) error {
	return p.write(namesName(sum), b, false)
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
		return nil, nil // a crash kept it from being written
	}
	f := fields.New(b, ErrCorrupt)
	if string(f.Bytes(len(namesMagic))) != namesMagic {
		f.Fail("not the names of a file")
	}
	list = make([]named, f.Count("names", maxNumber, 8+16+1))
	for i := range list {
		list[i] = named{f.Uint64(), key(f.Bytes(16)), f.Number("size of a content", 1<<50)}
	}
	if f.Err() != nil {
		return nil, nil // so it did: an empty file decodes as well
	}
	return list, nil
}

// earlierContents are those of an earlier build, by their names.
type earlierContents struct {
	files map[string]map[uint64]named // by path
	any   map[uint64]named            // whatever the file, of entries
	keys  map[key]bool
	list  []named // each once

	reader *storeReader
	fine   *fineIndex // nil: not asked for yet
}

func newEarlierContents(s *storeReader, b *Build) (*earlierContents, error) {
	dir := s.dir
	e := &earlierContents{files: map[string]map[uint64]named{}, any: map[uint64]named{}, keys: map[key]bool{}, reader: s}
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
// name in the file of that path, else in any, else the most similar one; data
// gives it. There is none for a content that the earlier build has too.
func (e *earlierContents) origin(ctx context.Context, path string, n named, data func() ([]byte, error)) (old named, ok bool, err error) {
	if e == nil || e.keys[n.key] || n.size == 0 || n.size > maxCoded {
		return named{}, false, nil
	}
	if old, ok = e.files[path][n.name]; !ok {
		old, ok = e.any[n.name]
	}
	if ok {
		return old, old.size > 0 && old.size <= maxCoded, nil
	}
	b, err := data()
	if err != nil || b == nil {
		return named{}, false, err
	}
	if e.fine == nil {
		if e.fine, err = newFineIndex(ctx, e.reader, e.list); err != nil {
			return named{}, false, err
		}
	}
	old, ok = e.fine.origin(b)
	return old, ok, nil
}
