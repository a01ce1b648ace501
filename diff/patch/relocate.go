package patch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
)

// Removing one entry moves all behind it, and every offset of these in the
// archive's table changes: the table would cost more than all else. Where a table
// repeats, behind the offset of an entry, what stands at the entry itself behind
// as many bytes (as Unreal paks up to version 9 do: a record with the offset in
// the table, and the same record with 0 before the data), offsets need not be
// sent: both sides replace them in the old table by where that place of the old
// file has been copied to, before the new table is coded by it.

const (
	repeated     = 40      // bytes behind the offset that must be the same: size twice, method and SHA-1
	maxRelocated = 8 << 20 // of tables, which are held in memory for it
)

// copied says that bytes of an old file stand in the new one.
type copied struct {
	file       int
	off, n, at int64
}

// relocate changes, in the content of tables of an old file, offsets of what was
// copied.
func relocate(content []byte, file int, old io.ReaderAt, size int64, copies []copied) {
	var own []copied
	for _, c := range copies {
		if c.file == file {
			own = append(own, c)
		}
	}
	slices.SortStableFunc(own, func(a, b copied) int { return cmp.Compare(a.off, b.off) })
	there, nothing := make([]byte, repeated), make([]byte, repeated)
	for q := 0; q+8+repeated <= len(content); q++ {
		v, behind := binary.LittleEndian.Uint64(content[q:]), content[q+8:q+8+repeated]
		if size < 8+repeated || v > uint64(size-8-repeated) || binary.LittleEndian.Uint64(behind) > uint64(size) || bytes.Equal(behind, nothing) {
			continue
		}
		if readAt(old, there, int64(v)+8) != nil || !bytes.Equal(there, behind) {
			continue
		}
		if to, ok := moved(own, int64(v)); ok {
			binary.LittleEndian.PutUint64(content[q:], uint64(to))
		}
		q += 8 + repeated - 1
	}
}

// moved returns where a place was copied to. copies are sorted.
func moved(copies []copied, off int64) (int64, bool) {
	i, exact := slices.BinarySearchFunc(copies, off, func(c copied, off int64) int { return cmp.Compare(c.off, off) })
	if !exact {
		i--
	}
	if i < 0 || off >= copies[i].off+copies[i].n {
		return 0, false
	}
	return copies[i].at + off - copies[i].off, true
}

// relocated returns the content of tables with its offsets changed, and false for
// ranges that are not of one file, or too large.
func relocated(o *oldFiles, ranges []Range, sizes []File, copies []copied) (*bytes.Reader, bool, error) {
	src := newSource(o, ranges)
	if len(ranges) == 0 || src.Size() > maxRelocated || slices.ContainsFunc(ranges, func(r Range) bool { return r.File != ranges[0].File }) {
		return nil, false, nil
	}
	content := make([]byte, src.Size())
	if len(content) > 0 {
		if _, err := src.ReadAt(content, 0); err != nil {
			return nil, false, err
		}
	}
	file := ranges[0].File
	relocate(content, file, o.files[file], sizes[file].Size, copies)
	return bytes.NewReader(content), true, nil
}
