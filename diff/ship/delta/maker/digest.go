package maker

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"slices"

	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/delta/internal/program"
)

// digests finds SHA-1 sums that a new file has of parts of itself, and has them
// computed where the file is made.
type digests struct {
	file    *inside.Layout
	e       *program.Emitter
	stats   *Stats
	pending []written // whose bytes are not complete
}

// written is a digest of the output that is derived rather than sent.
type written struct {
	sum          [program.DigestSize]byte
	at, from, to int64
}

// head finds, in the bytes p at off that stand before entry e, the SHA-1 of its stored
// bytes, and takes it out; k is the extent behind them. What takes its place is what the
// old entry has there, in old.
func (g *digests) head(p []byte, off int64, e *inside.Entry, k int, old []byte) error {
	if e.First != k || len(p) < program.DigestSize {
		return nil
	}
	d := written{from: g.file.Extents[k].Off, to: g.file.Extents[k+e.Count-1].End()}
	var err error
	if d.sum, err = g.sha1(d.from, d.to); err != nil {
		return err
	}
	at := bytes.Index(p, d.sum[:])
	if last := &g.file.Extents[k+e.Count-1]; at < 0 && last.Coded < last.Stored {
		d.to = last.Off + last.Coded // without the padding
		if d.sum, err = g.sha1(d.from, d.to); err != nil {
			return err
		}
		at = bytes.Index(p, d.sum[:])
	}
	if at < 0 {
		return nil
	}
	d.at = off + int64(at)
	g.pending = append(g.pending, d)
	clear(p[at : at+program.DigestSize])
	if at < len(old) {
		copy(p[at:at+program.DigestSize], old[at:])
	}
	return nil
}

// sha1 hashes a part of the file.
func (g *digests) sha1(from, to int64) (sum [program.DigestSize]byte, err error) {
	h := sha1.New()
	for from < to {
		n := min(to-from, 1<<20)
		p, err := g.file.ReadStored(from, n)
		if err != nil {
			return sum, err
		}
		h.Write(p)
		from += n
	}
	return [program.DigestSize]byte(h.Sum(nil)), nil
}

// settle writes the digests whose bytes are complete up to a place.
func (g *digests) settle(pos int64) {
	g.pending = slices.DeleteFunc(g.pending, func(d written) bool {
		if d.to > pos {
			return false
		}
		g.e.Digest(d.sum, d.at, d.from, d.to)
		g.stats.Derived += program.DigestSize
		return true
	})
}

// inTable takes the digests out of a table, bytes p at off: those of
// entries, which stand before these too, and those of parts of the table, which
// stand behind the part's place and size in 64 bits.
func (g *digests) inTable(p []byte, off int64) (again []sameDigest, parts []written) {
	for at := 0; at+program.DigestSize <= len(p); at++ {
		sum := [program.DigestSize]byte(p[at:])
		if of, ok := g.e.Digests[sum]; ok {
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
		if have, err := g.sha1(int64(from), int64(from+n)); err == nil && have == sum {
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

// put writes those of a table.
func (g *digests) put(again []sameDigest, parts []written) {
	for _, d := range again {
		unit, _ := g.file.Unit(d.at)
		g.e.SameDigest(d.of, d.at, unit)
	}
	for _, d := range parts {
		g.e.PartDigest(d.sum, d.at)
	}
	g.stats.Derived += program.DigestSize * int64(len(again)+len(parts))
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
