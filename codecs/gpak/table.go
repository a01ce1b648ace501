package gpak

import (
	"cmp"
	"iter"
	"slices"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// record is an entry as the table has it.
type record struct {
	ordinal int
	pos     int64 // absolute offset of the record
	hash    uint64
	name    []byte
	mod     int32
	off     int32 // from the first byte after the table
	csz     int32
	usz     int32
}

// tail is the absolute offset of the fields after the name.
func (r record) tail() int64 { return r.pos + 12 + int64(len(r.name)) }

// table reads the records one after the other, a part of the file at a time.
type table struct {
	*kapg
	r   *bin.Reader
	buf []byte // the part at hand
}

func (a *kapg) tableAt(off int64) *table { return &table{kapg: a, r: bin.NewReader(nil, off, le)} }

// next returns the next record. Its name is valid until the next call.
func (t *table) next() (record, error) {
	at := t.r.Off()
	rec, err := t.record()
	if t.r.Err() == nil {
		return rec, err
	}
	if err := t.fill(at); err != nil {
		return rec, t.fail("", "entry table", headerSize, err)
	}
	if rec, err = t.record(); t.r.Err() != nil {
		return rec, t.short()
	}
	return rec, err
}

// record reads a record of the part at hand, whose Reader fails where that ends.
func (t *table) record() (record, error) {
	rec := record{pos: t.r.Off()}
	head := t.r.Bytes(12)
	if head == nil {
		return rec, nil
	}
	rec.hash = le.Uint64(head)
	n := int32(le.Uint32(head[8:]))
	if n < 0 || int(n) > t.limits.Name {
		return rec, t.fail("", "name length", rec.pos+8, nameLengthError(n, t.limits.Name))
	}
	body := t.r.Bytes(int(n) + 16)
	if body == nil {
		return rec, nil
	}
	tail := body[n:]
	rec.name = body[:n]
	rec.mod = int32(le.Uint32(tail))
	rec.off = int32(le.Uint32(tail[4:]))
	rec.csz = int32(le.Uint32(tail[8:]))
	rec.usz = int32(le.Uint32(tail[12:]))
	return rec, nil
}

// fill reads a part that begins with a record, and has at least all of that.
func (t *table) fill(at int64) error {
	end := headerSize + min(t.src.Size-headerSize, t.limits.Table)
	size := max(min(partSize+int64(t.limits.Name), end-at), 0)
	t.buf = slices.Grow(t.buf[:0], int(size))[:size]
	if err := bin.Fill(t.src, t.buf, at); err != nil {
		return err
	}
	t.r.Reset(t.buf, at, le)
	return nil
}

func (t *table) short() error {
	err := t.r.Err()
	if t.src.Size-headerSize > t.limits.Table {
		err = codecs.Errorf(codecs.ErrLimit, "%d entries take more than %d bytes", t.count, t.limits.Table)
	}
	return t.fail("", "entry table", headerSize, err)
}

// readTable finds the end of the table, which nothing declares. On the way to it, it marks
// records, and looks for what makes a table odd without making it unreadable.
func (a *kapg) readTable() error {
	inOrder, end := true, int64(0)
	a.data = headerSize
	for rec, err := range a.records() {
		if err != nil {
			return err
		}
		if rec.ordinal%marked == 0 {
			a.marks = append(a.marks, rec.pos)
		}
		a.data = rec.tail() + 16
		if !utf8.Valid(rec.name) {
			path, _ := readable(rec.name)
			a.warn(path, "name", rec.pos+12, codecs.Errorf(codecs.ErrNonStrict, "not UTF-8, shown as Latin-1"))
		}
		if rec.csz > 0 {
			inOrder = inOrder && int64(rec.off) >= end
			end = int64(rec.off) + int64(rec.csz)
		}
	}
	if inOrder {
		return nil
	}
	return a.overlaps()
}

func nameLengthError(n int32, limit int) error {
	if n < 0 {
		return codecs.Errorf(codecs.ErrCorrupt, "%d", n)
	}
	return codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", n, limit)
}

// records yields the table in stored order. A name is valid until the next record. An error
// ends it.
func (a *kapg) records() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		t := a.tableAt(headerSize)
		for i := range a.count {
			rec, err := t.next()
			rec.ordinal = i
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// overlaps warns of entries that share stored bytes. Only tables whose data is
// not in table order come here.
func (a *kapg) overlaps() error {
	type extent struct {
		off, end int64
		ordinal  int
	}
	all := make([]extent, 0, a.count)
	for rec, err := range a.records() {
		if err != nil {
			return err
		}
		if rec.off >= 0 && rec.csz > 0 {
			all = append(all, extent{int64(rec.off), int64(rec.off) + int64(rec.csz), rec.ordinal})
		}
	}
	slices.SortStableFunc(all, func(x, y extent) int { return cmp.Compare(x.off, y.off) })
	shared := map[int]int{} // ordinal -> ordinal it overlaps
	for i := 1; i < len(all) && len(shared) < maxWarnings; i++ {
		if prev := all[i-1]; all[i].off < prev.end {
			shared[all[i].ordinal] = prev.ordinal
			all[i].end = max(all[i].end, prev.end)
		}
	}
	for rec, err := range a.records() {
		if err != nil {
			return err
		}
		if with, ok := shared[rec.ordinal]; ok {
			path, _ := readable(rec.name)
			a.warn(path, "offset", rec.tail()+4, codecs.Errorf(codecs.ErrNonStrict, "shares stored bytes with entry %d", with))
		}
	}
	return nil
}
