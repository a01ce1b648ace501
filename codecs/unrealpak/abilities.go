package unrealpak

import (
	"cmp"
	"context"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// Sums implements codecs.Summer. Up to version 9 the index holds the SHA-1 of
// every entry, and Sums returns nil; from version 10 on only the record before each
// payload does, so 20 bytes an entry are read, in the order of the file. Delete records, entries
// that the index describes wrongly, and those without a SHA-1 have no sum.
func (a *archive) Sums(ctx context.Context) ([]codecs.Sum, error) {
	if a.hashed == nil {
		return nil, nil
	}
	sums := make([]codecs.Sum, a.table.len())
	all := make([]byte, 20*len(sums))
	places := sumPlaces(a, sums, all)
	w := window20{src: a.src}
	for n, p := range places {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		next := p.off
		if n+1 < len(places) {
			next = places[n+1].off
		}
		if err := w.read(sums[p.ordinal].Bytes, p.off, next); err != nil {
			return nil, a.error(a.label(p.ordinal), at("SHA-1", p.off, err))
		}
	}
	for i := range sums {
		if zero := [20]byte{}; string(sums[i].Bytes) == string(zero[:]) {
			sums[i] = codecs.Sum{}
		}
	}
	return sums, nil
}

// SealedBy implements codecs.Sealer. Regions of the index that overlap, which only
// a damaged pak has, are left out.
func (a *archive) SealedBy() (key []byte, id [16]byte, tables []codecs.Region) {
	f := a.footer
	if a.crypt.block == nil || a.crypt.ctr || !a.keyKnown() && a.keySign() == against {
		return nil, f.keyID, nil
	}
	if f.encrypted {
		tables = indexRegions(a)
	}
	return a.keys(f.keyID), f.keyID, tables
}

// SealedUnit implements codecs.Sealer: UnrealPak pads every block of an entry with
// the beginning of the first.
func (a *archive) SealedUnit() bool { return true }

// Verify implements codecs.Verifier. It reads the whole file once and needs no
// key for the payloads. It reports
//
//   - each entry whose stored bytes do not have its SHA-1,
//   - each record before a payload that contradicts the index,
//   - names and path hashes that do not belong together,
//   - payloads that overlap, and bytes in gaps.
//
// Problems of entries come in the order of their ordinals.
func (a *archive) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	return verify(ctx, a, report)
}

// sumsWindow is read at once where records lie close to each other.
const sumsWindow = 64 << 10

type sumPlace struct {
	ordinal int
	off     int64
}

// sumPlaces fills in the sums that the index holds, and returns where the
// others are, by offset.
func sumPlaces(a *archive, sums []codecs.Sum, all []byte) []sumPlace {
	var rec record
	var places []sumPlace
	for i := range sums {
		if a.load(i, &rec) != nil || rec.deleted() {
			continue
		}
		b := all[20*i : 20*i+20 : 20*i+20]
		copy(b, rec.sum[:])
		sums[i] = codecs.Sum{Kind: codecs.SHA1Stored, Bytes: b}
		if rec.size != rec.stored() {
			sums[i].Len = rec.size
		}
		places = append(places, sumPlace{i, rec.offset + int64(a.footer.version.shaAt())})
	}
	slices.SortFunc(places, func(x, y sumPlace) int { return cmp.Compare(x.off, y.off) })
	return places
}

// window20 reads short pieces in rising order, several at once where they are
// close.
type window20 struct {
	src codecs.Source
	buf []byte
	off int64
}

func (w *window20) read(p []byte, off, next int64) error {
	if off < w.off || off+int64(len(p)) > w.off+int64(len(w.buf)) {
		n := int64(len(p))
		if next-off < sumsWindow/2 {
			n = min(sumsWindow, w.src.Size-off)
		}
		if err := bin.Range(off, n, w.src.Size); err != nil {
			return err
		}
		w.buf, w.off = grow(w.buf, int(n)), off
		if err := bin.Fill(w.src, w.buf, off); err != nil {
			w.buf = w.buf[:0]
			return err
		}
	}
	copy(p, w.buf[off-w.off:])
	return nil
}
