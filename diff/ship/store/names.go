package store

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"pakdb/internal/bin"
)

// What contents are called in a file is kept for publishers, so that those of
// the next build find what they were made from: n/SUM, by the BLAKE3 of the file.
// Names are hashed; clients never read them.

// Named is a content of a file.
type Named struct {
	Name uint64
	Key  Key
	Size int64
}

const namesMagic = "pknames\x01"

// NamesName returns the path of the names of a file's contents.
func NamesName(sum string) string { return "n/" + sum }

// MarshalNames returns names as they are stored, before compression.
func MarshalNames(list []Named) []byte {
	b := binary.AppendUvarint([]byte(namesMagic), uint64(len(list)))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, n.Name)
		b = append(b, n.Key[:]...)
		b = binary.AppendUvarint(b, uint64(n.Size))
	}
	return b
}

// ReadNames reads the names of a file's contents, in their order; none if the
// store has lost them.
func ReadNames(from *Reader, sum string) (list []Named, err error) {
	b, _, err := from.File(NamesName(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if b, err = inflate(b, 1<<30); err != nil {
		return nil, nil // a crash kept it from being written
	}
	f := bin.NewFields(b, ErrCorrupt)
	if string(f.Bytes(len(namesMagic))) != namesMagic {
		f.Fail("not the names of a file")
	}
	list = make([]Named, f.Count("names", maxNumber, 8+16+1))
	for i := range list {
		list[i] = Named{f.Uint64(), Key(f.Bytes(16)), f.Number("size of a content", 1<<50)}
	}
	if f.Err() != nil {
		return nil, nil // so it did: an empty file decodes as well
	}
	return list, nil
}
