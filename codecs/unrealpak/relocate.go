package unrealpak

import (
	"errors"

	"pakdb/codecs"
	"pakdb/internal/aes256"
	"pakdb/internal/bin"
)

// Footer implements codecs.Relocator.
func (a *archive) Footer() int64 { return a.src.Size - a.footer.start }

// Record implements codecs.Relocator.
func (a *archive) Record(i int) (off, n int64, err error) {
	rec, err := recordOf(a, i)
	if err != nil || rec.deleted() {
		return 0, 0, err
	}
	return rec.offset, rec.headerSize(a.footer.version) + rec.stored(), nil
}

func recordOf(a *archive, i int) (*record, error) {
	rec := new(record)
	return rec, a.find(&codecs.Entry{Ordinal: i}, rec)
}

// Head implements codecs.Relocator: the record before the payload, which versions
// 3 and 4 do not keep when it moves, because its blocks count from the start of
// the file.
func (a *archive) Head(i int, place int64) ([]byte, error) {
	rec, err := recordOf(a, i)
	if err != nil || rec.deleted() {
		return nil, err
	}
	v := a.footer.version
	head := make([]byte, rec.headerSize(v))
	if err := bin.Fill(a.src, head, rec.offset); err != nil {
		return nil, a.error(a.label(i), at("record before the payload", rec.offset, err))
	}
	if v < relativeChunkOffsets && v >= compressionEncryption {
		first := v.shaAt() + 20 + 4
		for k := range 2 * len(rec.blocks) {
			b := head[first+8*k:]
			leOrder.PutUint64(b, leOrder.Uint64(b)+uint64(place-rec.offset))
		}
	}
	return head, nil
}

// Relocate implements codecs.Relocator.
func (a *archive) Relocate(start int64, places []int64) (index, footer []byte, err error) {
	w, err := rewriter(a, places)
	if err != nil {
		return nil, nil, err
	}
	parts := w.index(start)
	g := seal(parts[0], start)
	for _, p := range parts {
		if w.opt.EncryptIndex {
			aes256.EncryptECB(w.crypt.block, p)
		}
		index = append(index, p...)
	}
	footer = make([]byte, a.Footer())
	if err := bin.Fill(a.src, footer, a.footer.start); err != nil {
		return nil, nil, a.error("", at("footer", a.footer.start, err))
	}
	copy(footer[a.footer.at+8-a.footer.start:], g.append(nil))
	return index, footer, nil
}

// rewriter is a writer that has written the entries at places, and whose index
// is to come.
func rewriter(a *archive, places []int64) (*writer, error) {
	o, err := like(a)
	switch {
	case err != nil:
		return nil, err
	case a.tableErr != nil:
		return nil, a.error("", a.tableErr)
	case len(places) != a.table.len():
		return nil, a.error("", codecs.Errorf(errors.ErrUnsupported, "%d places for %d entries", len(places), a.table.len()))
	case a.table.len() > 0 && a.table.name(0) == "":
		return nil, a.error("", codecs.Errorf(errors.ErrUnsupported, "entries without names"))
	}
	w := &writer{version: a.footer.version, opt: *o, crypt: a.crypt, slots: make([]string, a.footer.version.slots())}
	if err := useTemplate(w); err != nil {
		return nil, err
	}
	for i := range places {
		rec, err := recordOf(a, i)
		if err != nil {
			return nil, err
		}
		if !rec.deleted() {
			rec.offset = places[i]
		}
		w.entries = append(w.entries, packed{a.table.name(i), *rec})
	}
	return w, nil
}

// isAppended reports whether pakdb appended to the pak.
func isAppended(a *archive) bool {
	mark := make([]byte, len(codecs.AppendedMark))
	off := a.footer.start - int64(len(mark))
	return off >= 0 && bin.Fill(a.src, mark, off) == nil && string(mark) == codecs.AppendedMark
}

// deadBytes is how many bytes are no entry's, nor the index's or the footer's.
func deadBytes(a *archive) int64 {
	n := a.footer.start - a.facts.live
	for _, x := range (&verifier{a: a}).regions() {
		n -= x.end - x.off
	}
	return max(0, n)
}
