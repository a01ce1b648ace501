package inside

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/aes256"
	"pakdb/internal/stored"
)

// seals adds what an archive says of encryption. It returns the number of the key
// of its entries, 0 when they cannot be taken apart.
func (b *Build) seals(a codecs.Archive, file int) (key int, unit bool) {
	s, ok := codecs.ArchiveAs[codecs.Sealer](a)
	if !ok {
		return 0, false
	}
	text, id, tables := s.SealedBy()
	if text == nil {
		return 0, false
	}
	key, err := b.keys.Add(text, id)
	if err != nil {
		return 0, false
	}
	l := &b.Files[file]
	for _, t := range tables {
		if t.Offset >= 0 && t.Size > 0 && t.Offset <= l.Size && t.Size <= l.Size-t.Offset {
			l.regions = append(l.regions, region{t.Offset, t.Size, key})
		}
	}
	return key, s.SealedUnit()
}

// unseal marks the extents of an encrypted entry, which are not in the layout
// yet, as what they are when they are decrypted. They stay opaque where their
// padding is not what a unit's is.
func (b *Build) unseal(l *Layout, extents []Extent, key int, unit bool) []Extent {
	if len(extents) == 0 {
		return nil
	}
	opened := slices.Clone(extents)
	var regions []region
	var head []byte
	for i := range opened {
		x := &opened[i]
		x.Key, x.Stored = key, aes256.Align(x.Coded)
		if x.Off > l.Size || x.Stored > l.Size-x.Off || x.Coded == 0 {
			return opaque(extents)
		}
		if i == 0 || !unit {
			head = nil
			regions = append(regions, region{x.Off, 0, key})
		}
		r := &regions[len(regions)-1]
		if x.Off != r.off+r.n {
			return opaque(extents)
		}
		r.n += x.Stored
		if head == nil {
			if head = b.block(l, x.Off, key); head == nil {
				return opaque(extents)
			}
			head = head[:min(x.Coded, aes256.Block)]
		}
		if !b.padded(l, x, head) {
			if len(opened) > 1 || x.Method != compress.None {
				return opaque(extents)
			}
			x.Coded, x.Size = x.Stored, x.Stored // the padding is content
		}
	}
	l.regions = append(l.regions, regions...)
	return opened
}

// opaque makes encrypted extents bytes of which nothing is known.
func opaque(extents []Extent) []Extent {
	for i := range extents {
		extents[i].Method, extents[i].Size = compress.None, extents[i].Stored
	}
	return extents
}

// padded reports that an extent ends as a unit that begins with head does.
func (b *Build) padded(l *Layout, x *Extent, head []byte) bool {
	pad := x.Stored - x.Coded
	if pad == 0 {
		return true
	}
	last := b.block(l, x.End()-aes256.Block, x.Key)
	return last != nil && bytes.Equal(last[aes256.Block-pad:], aes256.AppendPadding(nil, head, x.Coded))
}

// block returns a decrypted AES block, nil where there is none.
func (b *Build) block(l *Layout, off int64, key int) []byte {
	p := make([]byte, aes256.Block)
	if stored.ReadAt(l.Source, p, off) != nil {
		return nil
	}
	aes256.DecryptECB(b.keys.Blocks[key-1], p)
	return p
}

// sortRegions puts them in order, and drops what overlaps.
func (l *Layout) sortRegions() {
	slices.SortStableFunc(l.regions, func(x, y region) int { return cmp.Compare(x.off, y.off) })
	end := int64(0)
	l.regions = slices.DeleteFunc(l.regions, func(r region) bool {
		if r.off < end {
			return true
		}
		end = r.off + r.n
		return false
	})
}

// regionAt returns the region that has off, or the next one after it, and
// whether there is one.
func (l *Layout) regionAt(off int64) (region, bool) {
	i, _ := slices.BinarySearchFunc(l.regions, off+1, func(r region, off int64) int { return cmp.Compare(r.off+r.n, off) })
	if i == len(l.regions) {
		return region{}, false
	}
	return l.regions[i], true
}

// Unit is what off lies in, and how far the same holds.
func (l *Layout) Unit(off int64) (s program.Sealing, end int64) {
	r, ok := l.regionAt(off)
	switch {
	case !ok:
		return program.Sealing{}, l.Size
	case r.off > off:
		return program.Sealing{}, r.off
	}
	return program.Sealing{Key: r.key, Start: r.off}, r.off + r.n
}

// RangesOf returns stored bytes as ranges, each encrypted by one key or by none.
func (l *Layout) RangesOf(file int, off, n int64) (ranges []program.Range) {
	for end := off + n; off < end; {
		s, to := l.Unit(off)
		to = min(to, end)
		if s.Key > 0 {
			off -= (off - s.Start) & (aes256.Block - 1)
		}
		ranges = append(ranges, program.Range{File: file, Off: off, Stored: to - off, Size: to - off, Key: s.Key})
		off = to
	}
	return ranges
}

// Read returns n bytes at off, decrypted.
func (l *Layout) Read(off, n int64) ([]byte, error) {
	p, err := l.ReadStored(off, n)
	for at := off; at < off+n && err == nil; {
		s, end := l.Unit(at)
		end = min(end, off+n)
		if s.Key > 0 {
			skip := (at - s.Start) & (aes256.Block - 1)
			var part []byte
			if part, err = l.ReadStored(at-skip, aes256.Align(end-at+skip)); err == nil {
				aes256.DecryptECB(l.keys.Blocks[s.Key-1], part)
				copy(p[at-off:end-off], part[skip:])
			}
		}
		at = end
	}
	return p, err
}

// ReadStored returns n bytes at off as they are.
func (l *Layout) ReadStored(off, n int64) ([]byte, error) {
	p := make([]byte, n)
	if err := l.ReadInto(p, off); err != nil {
		return nil, err
	}
	return p, nil
}

// ReadInto fills p with stored bytes.
func (l *Layout) ReadInto(p []byte, off int64) error {
	if err := stored.ReadAt(l.Source, p, off); err != nil {
		return &codecs.FormatError{Format: "patch", File: l.Name, Off: off, Err: err}
	}
	return nil
}

// plainSum hashes what an encrypted extent is when it is decrypted.
func (l *Layout) plainSum(x *Extent) (sum [16]byte, err error) {
	h := blake3.New()
	for at := int64(0); at < x.Coded; at += MaxPart {
		p, err := l.Read(x.Off+at, min(MaxPart, x.Coded-at))
		if err != nil {
			return sum, err
		}
		_, _ = h.Write(p)
	}
	copy(sum[:], h.Sum(nil))
	return sum, nil
}

// MaxPart is how much of a content is in memory at once.
const MaxPart = 4 << 20
