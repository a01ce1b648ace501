package unrealpak

import (
	"cmp"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

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
		if a.hashed != nil {
			places = append(places, sumPlace{i, rec.offset + int64(a.footer.version.shaAt())})
		}
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
