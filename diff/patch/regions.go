package patch

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/aes256"
	"pakdb/internal/stored"
)

// region is a part of a file that is encrypted: whole AES blocks from its start
// on.
type region struct {
	off, n int64
	key    int
}

// seals adds what an archive says of encryption. It returns the number of the key
// of its entries, 0 when they cannot be taken apart.
func (b *build) seals(a codecs.Archive, file int) (key int, unit bool) {
	s, ok := codecs.ArchiveAs[codecs.Sealer](a)
	if !ok {
		return 0, false
	}
	text, id, tables := s.SealedBy()
	if text == nil {
		return 0, false
	}
	key, err := b.keys.add(text, id)
	if err != nil {
		return 0, false
	}
	l := &b.files[file]
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
func (b *build) unseal(l *layout, extents []extent, key int, unit bool) []extent {
	if len(extents) == 0 {
		return nil
	}
	opened := slices.Clone(extents)
	var regions []region
	var head []byte
	for i := range opened {
		x := &opened[i]
		x.key, x.stored = key, aes256.Align(x.coded)
		if x.off > l.Size || x.stored > l.Size-x.off || x.coded == 0 {
			return opaque(extents)
		}
		if i == 0 || !unit {
			head = nil
			regions = append(regions, region{x.off, 0, key})
		}
		r := &regions[len(regions)-1]
		if x.off != r.off+r.n {
			return opaque(extents)
		}
		r.n += x.stored
		if head == nil {
			if head = b.block(l, x.off, key); head == nil {
				return opaque(extents)
			}
			head = head[:min(x.coded, aes256.Block)]
		}
		if !b.padded(l, x, head) {
			if len(opened) > 1 || x.method != compress.None {
				return opaque(extents)
			}
			x.coded, x.size = x.stored, x.stored // the padding is content
		}
	}
	l.regions = append(l.regions, regions...)
	return opened
}

// opaque makes encrypted extents bytes of which nothing is known.
func opaque(extents []extent) []extent {
	for i := range extents {
		extents[i].method, extents[i].size = compress.None, extents[i].stored
	}
	return extents
}

// padded reports that an extent ends as a unit that begins with head does.
func (b *build) padded(l *layout, x *extent, head []byte) bool {
	pad := x.stored - x.coded
	if pad == 0 {
		return true
	}
	last := b.block(l, x.end()-aes256.Block, x.key)
	return last != nil && bytes.Equal(last[aes256.Block-pad:], aes256.AppendPadding(nil, head, x.coded))
}

// block returns a decrypted AES block, nil where there is none.
func (b *build) block(l *layout, off int64, key int) []byte {
	p := make([]byte, aes256.Block)
	if stored.ReadAt(l.Source, p, off) != nil {
		return nil
	}
	aes256.DecryptECB(b.keys.blocks[key-1], p)
	return p
}

// sortRegions puts them in order, and drops what overlaps.
func (l *layout) sortRegions() {
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

// regionAt returns the region that has off, or the next one behind it, and
// whether there is one.
func (l *layout) regionAt(off int64) (region, bool) {
	i, _ := slices.BinarySearchFunc(l.regions, off+1, func(r region, off int64) int { return cmp.Compare(r.off+r.n, off) })
	if i == len(l.regions) {
		return region{}, false
	}
	return l.regions[i], true
}

// unit is what off lies in, and how far the same holds.
func (l *layout) unit(off int64) (s sealing, end int64) {
	r, ok := l.regionAt(off)
	switch {
	case !ok:
		return sealing{}, l.Size
	case r.off > off:
		return sealing{}, r.off
	}
	return sealing{r.key, r.off}, r.off + r.n
}

// rangesOf returns stored bytes as ranges, each encrypted by one key or by none.
func (l *layout) rangesOf(file int, off, n int64) (ranges []Range) {
	for end := off + n; off < end; {
		s, to := l.unit(off)
		to = min(to, end)
		if s.key > 0 {
			off -= (off - s.start) & (aes256.Block - 1)
		}
		ranges = append(ranges, Range{File: file, Off: off, Stored: to - off, Size: to - off, Key: s.key})
		off = to
	}
	return ranges
}

// read returns n bytes at off, decrypted.
func (l *layout) read(off, n int64) ([]byte, error) {
	p, err := l.readStored(off, n)
	for at := off; at < off+n && err == nil; {
		s, end := l.unit(at)
		end = min(end, off+n)
		if s.key > 0 {
			skip := (at - s.start) & (aes256.Block - 1)
			var part []byte
			if part, err = l.readStored(at-skip, aes256.Align(end-at+skip)); err == nil {
				aes256.DecryptECB(l.keys.blocks[s.key-1], part)
				copy(p[at-off:end-off], part[skip:])
			}
		}
		at = end
	}
	return p, err
}

// readStored returns n bytes at off as they are.
func (l *layout) readStored(off, n int64) ([]byte, error) {
	p := make([]byte, n)
	if err := l.readInto(p, off); err != nil {
		return nil, err
	}
	return p, nil
}

// readInto fills p with stored bytes.
func (l *layout) readInto(p []byte, off int64) error {
	if err := stored.ReadAt(l.Source, p, off); err != nil {
		return &codecs.FormatError{Format: "patch", File: l.Input.Name, Off: off, Err: err}
	}
	return nil
}

// plainSum hashes what an encrypted extent is when it is decrypted.
func (l *layout) plainSum(x *extent) (sum [16]byte, err error) {
	h := blake3.New()
	for at := int64(0); at < x.coded; at += maxPart {
		p, err := l.read(x.off+at, min(maxPart, x.coded-at))
		if err != nil {
			return sum, err
		}
		_, _ = h.Write(p)
	}
	copy(sum[:], h.Sum(nil))
	return sum, nil
}

// maxPart is how much of a content is in memory at once.
const maxPart = 4 << 20
