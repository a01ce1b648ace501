package maker

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"path"
	"slices"

	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/gear"
)

// place is an extent of a build.
type place struct{ file, extent int32 }

// pairing reports what of the old build corresponds to what of the new one.
type pairing struct {
	stored  map[[16]byte]place // first old extent with these stored bytes
	plain   map[[16]byte]place // and with these when decrypted
	starts  map[position]int32 // old extent that starts there
	files   []int              // for each new file: its old one, or -1
	entries []int32            // for each new entry: its old one, or -1
}

type position struct {
	file int32
	off  int64
}

func newPairing(old, new *inside.Build) pairing {
	p := pairing{stored: map[[16]byte]place{}, plain: map[[16]byte]place{}, starts: map[position]int32{}}
	for i := range old.Files {
		for k := range old.Files[i].Extents {
			x := &old.Files[i].Extents[k]
			p.starts[position{int32(i), x.Off}] = int32(k)
			if _, there := p.stored[x.Sum]; !there {
				p.stored[x.Sum] = place{int32(i), int32(k)}
			}
			if _, there := p.plain[x.Plain]; !there {
				p.plain[x.Plain] = place{int32(i), int32(k)}
			}
		}
	}
	p.pairEntries(old, new)
	p.pairFiles(old, new)
	p.pairWhole(old, new)
	return p
}

// pairEntries pairs by archive and name, else by name alone.
func (p *pairing) pairEntries(old, new *inside.Build) {
	full, bare := map[string]int32{}, map[string]int32{}
	for i, e := range old.Entries {
		if e.Count > 0 {
			full[e.Name] = int32(i)
			if e.Whole {
				continue
			}
			if _, there := bare[e.Bare()]; !there {
				bare[e.Bare()] = int32(i)
			}
		}
	}
	p.entries = make([]int32, len(new.Entries))
	for i, e := range new.Entries {
		p.entries[i] = -1
		if k, ok := full[e.Name]; ok {
			p.entries[i] = k
		} else if k, ok := bare[e.Bare()]; ok && !e.Whole {
			p.entries[i] = k
		}
	}
}

// pairWhole pairs files that are entries as files are.
func (p *pairing) pairWhole(old, new *inside.Build) {
	for i := range new.Entries {
		e := &new.Entries[i]
		if !e.Whole || p.entries[i] >= 0 || p.files[e.File] < 0 {
			continue
		}
		if l := &old.Files[p.files[e.File]]; len(l.Extents) > 0 && old.Entries[l.Extents[0].Entry].Whole {
			p.entries[i] = l.Extents[0].Entry
		}
	}
}

// pairFiles pairs by name, else by the old file that most entries are in, else
// the only ones there are.
func (p *pairing) pairFiles(old, new *inside.Build) {
	names := map[string]int{}
	for i := len(old.Files) - 1; i >= 0; i-- {
		names[old.Files[i].Name] = i
		names[path.Base(old.Files[i].Name)] = i
	}
	votes := make([]map[int]int, len(new.Files))
	for i, e := range new.Entries {
		if k := p.entries[i]; k >= 0 {
			if votes[e.File] == nil {
				votes[e.File] = map[int]int{}
			}
			votes[e.File][old.Entries[k].File]++
		}
	}
	p.files = make([]int, len(new.Files))
	for i := range new.Files {
		p.files[i] = bestFile(names, new.Files[i].Name, votes[i])
		if p.files[i] < 0 && len(old.Files) == 1 {
			p.files[i] = 0
		}
	}
}

func bestFile(names map[string]int, name string, votes map[int]int) int {
	if k, ok := names[name]; ok {
		return k
	}
	best, most := -1, 0
	for k, n := range votes {
		if n > most || n == most && k < best {
			best, most = k, n
		}
	}
	if best >= 0 {
		return best
	}
	if k, ok := names[path.Base(name)]; ok {
		return k
	}
	return -1
}

// find returns an old extent with the stored bytes of x: the one that is at
// near if it has them, so that copies join.
func (p *pairing) find(old *inside.Build, x *inside.Extent, near position) (place, bool) {
	if k, ok := p.starts[near]; ok {
		if y := &old.Files[near.file].Extents[k]; y.Sum == x.Sum && y.Stored == x.Stored {
			return place{near.file, k}, true
		}
	}
	at, ok := p.stored[x.Sum]
	return at, ok && old.Files[at.file].Extents[at.extent].Stored == x.Stored
}

// equalAt reports that n bytes of two files are equal. It reads no further than to
// the first difference.
func equalAt(ctx context.Context, a *inside.Layout, aOff int64, b *inside.Layout, bOff, n int64) (bool, error) {
	if aOff < 0 || bOff < 0 || n > a.Size-aOff || n > b.Size-bOff {
		return false, nil
	}
	p, q := make([]byte, min(n, 1<<18)), make([]byte, min(n, 1<<18))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		k := min(n, int64(len(p)))
		if err := errors.Join(a.ReadInto(p[:k], aOff), b.ReadInto(q[:k], bOff)); err != nil {
			return false, err
		}
		if !bytes.Equal(p[:k], q[:k]) {
			return false, nil
		}
		aOff, bOff, n = aOff+k, bOff+k, n-k
	}
	return true, nil
}

// Chunks are what content is recognised by wherever it is: they end where
// the bytes themselves say so (a gear hash), so that an insertion moves the ends
// around it and no others.
const (
	minChunk  = 512
	maxChunk  = 16 << 10
	chunkBits = 10 // an end in 1,024 positions, from minChunk on
)

// rolling is the table of the gear hash. Patches depend on it.
var rolling = gear.Mixed(1)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunks calls do with the place, the length and the hash of each chunk of p.
func chunks(p []byte, do func(at, n int, hash uint32)) {
	for at := 0; at < len(p); {
		n := cut(p[at:])
		do(at, n, crc32.Checksum(p[at:at+n], castagnoli))
		at += n
	}
}

func cut(p []byte) int { return rolling.Cut(p[:min(len(p), maxChunk)], minChunk, chunkBits) }

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

// head finds, in the bytes p at off that are before entry e, the SHA-1 of its stored
// bytes, and takes it out; k is the extent after them. What takes its place is what the
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
// entries, which are before these too, and those of parts of the table, which
// follow the part's place and size in 64 bits.
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

// sameDigest is a digest of an entry that a table has too.
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
