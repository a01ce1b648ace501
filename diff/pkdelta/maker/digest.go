package maker

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"slices"

	"pakdb/diff/pkdelta/program"
)

// written is a digest of the output that is derived rather than sent.
type written struct {
	sum          [program.DigestSize]byte
	at, from, to int64
}

// headDigest finds, in the bytes p at off that stand before an entry, the SHA-1
// of its stored bytes, and takes it out. What takes its place is what the old
// entry has there, in old.
func (f *fileMaker) headDigest(p []byte, off int64, k int, old []byte) error {
	e := &f.m.new.Entries[f.file.Extents[k].Entry]
	if e.First != k || len(p) < program.DigestSize {
		return nil
	}
	d := written{from: f.file.Extents[k].Off, to: f.file.Extents[k+e.Count-1].End()}
	var err error
	if d.sum, err = f.sha1(d.from, d.to); err != nil {
		return err
	}
	at := bytes.Index(p, d.sum[:])
	if last := &f.file.Extents[k+e.Count-1]; at < 0 && last.Coded < last.Stored {
		d.to = last.Off + last.Coded // without the padding
		if d.sum, err = f.sha1(d.from, d.to); err != nil {
			return err
		}
		at = bytes.Index(p, d.sum[:])
	}
	if at < 0 {
		return nil
	}
	d.at = off + int64(at)
	f.pending = append(f.pending, d)
	clear(p[at : at+program.DigestSize])
	if at < len(old) {
		copy(p[at:at+program.DigestSize], old[at:])
	}
	return nil
}

// sha1 hashes a part of the file.
func (f *fileMaker) sha1(from, to int64) (sum [program.DigestSize]byte, err error) {
	h := sha1.New()
	for from < to {
		n := min(to-from, 1<<20)
		p, err := f.file.ReadStored(from, n)
		if err != nil {
			return sum, err
		}
		h.Write(p)
		from += n
	}
	return [program.DigestSize]byte(h.Sum(nil)), nil
}

// settle writes the digests whose bytes are complete.
func (f *fileMaker) settle() {
	f.pending = slices.DeleteFunc(f.pending, func(d written) bool {
		if d.to > f.pos {
			return false
		}
		f.m.e.Digest(d.sum, d.at, d.from, d.to)
		f.m.stats.Derived += program.DigestSize
		return true
	})
}

// tableDigests takes the digests out of a table, bytes p at off: those of
// entries, which stand before these too, and those of parts of the table, which
// stand behind the part's place and size in 64 bits.
func (f *fileMaker) tableDigests(p []byte, off int64) (again []sameDigest, parts []written) {
	for at := 0; at+program.DigestSize <= len(p); at++ {
		sum := [program.DigestSize]byte(p[at:])
		if of, ok := f.m.e.Digests[sum]; ok {
			again = append(again, sameDigest{of, off + int64(at)})
			at += program.DigestSize - 1
			continue
		}
		if at < 16 {
			continue
		}
		from, n := binary.LittleEndian.Uint64(p[at-16:]), binary.LittleEndian.Uint64(p[at-8:])
		if from < uint64(off) || from >= uint64(off)+uint64(len(p)) || n == 0 || n > uint64(off)+uint64(len(p))-from {
			continue
		}
		if have, err := f.sha1(int64(from), int64(from+n)); err == nil && have == sum {
			parts = append(parts, written{sum, off + int64(at), int64(from), int64(from + n)})
		}
	}
	for _, s := range again {
		clear(p[s.at-off:][:program.DigestSize])
	}
	for _, d := range parts {
		clear(p[d.at-off:][:program.DigestSize])
	}
	return again, inner(parts)
}

// putDigests writes those of a table.
func (f *fileMaker) putDigests(again []sameDigest, parts []written) error {
	for _, d := range again {
		unit, _ := f.file.Unit(d.at)
		f.m.e.SameDigest(d.of, d.at, unit)
	}
	for _, d := range parts {
		f.m.e.PartDigest(d.sum, d.at)
	}
	f.m.stats.Derived += program.DigestSize * int64(len(again)+len(parts))
	return nil
}

// sameDigest is a digest of an entry that stands in a table too.
type sameDigest struct {
	of int
	at int64
}

// inner puts digests before those whose bytes they are among.
func inner(parts []written) (sorted []written) {
	for len(parts) > 0 {
		i := slices.IndexFunc(parts, func(d written) bool {
			return !slices.ContainsFunc(parts, func(other written) bool { return other.at >= d.from && other.at < d.to && other != d })
		})
		if i < 0 {
			return sorted // in a circle, which no file that was hashed can be
		}
		sorted = append(sorted, parts[i])
		parts = slices.Delete(parts, i, i+1)
	}
	return sorted
}
