package gpak

import (
	"cmp"
	"iter"
	"slices"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// record is an entry as the table has it. name aliases the table.
type record struct {
	pos  int64 // absolute offset of the record
	hash uint64
	name []byte
	mod  int32
	off  int32 // from the first byte after the table
	csz  int32
	usz  int32
}

// tail is the absolute offset of the fields after the name.
func (r record) tail() int64 { return r.pos + 12 + int64(len(r.name)) }

// readRecord reads the next record; its Reader fails at the end of the table.
func readRecord(r *bin.Reader) record {
	rec := record{pos: r.Off()}
	head := r.Bytes(12)
	if head == nil {
		return rec
	}
	rec.hash = le.Uint64(head)
	rec.name = r.Bytes(int(int32(le.Uint32(head[8:]))))
	tail := r.Bytes(16)
	if tail == nil {
		return rec
	}
	rec.mod = int32(le.Uint32(tail))
	rec.off = int32(le.Uint32(tail[4:]))
	rec.csz = int32(le.Uint32(tail[8:]))
	rec.usz = int32(le.Uint32(tail[12:]))
	return rec
}

// readTable finds the end of the table, which nothing declares: it reads a
// sample, then as much as the table takes if the rest is like the sample, and
// more when that falls short.
func (a *kapg) readTable() error {
	most := min(a.src.Size-headerSize, a.limits.Table)
	var buf []byte
	for size := min(sampleSize, most); ; {
		had := len(buf)
		buf = append(make([]byte, 0, size), buf...)[:size]
		if err := bin.Fill(a.src, buf[had:], headerSize+int64(had)); err != nil {
			return a.fail("", "entry table", headerSize, err)
		}
		end, seen, err := a.tableEnd(buf, size < most)
		if err != nil {
			return err
		}
		if seen == a.count {
			a.table, a.data = buf[:end:end], headerSize+int64(end)
			return nil
		}
		likely := int64(end) / int64(max(seen, 1)) * int64(a.count)
		size = min(max(likely+likely/16, size*2), most)
	}
}

// tableEnd returns how many entries buf holds and where the last one ends. Less
// than all is an error unless there is more to read.
func (a *kapg) tableEnd(buf []byte, more bool) (end, seen int, err error) {
	r := bin.NewReader(buf, headerSize, le)
	for seen = range a.count {
		end = r.Pos()
		r.Skip(8)
		n := r.I32()
		if r.Err() == nil && (n < 0 || int(n) > a.limits.Name) {
			return 0, 0, a.fail("", "name length", r.Off()-4, nameLengthError(n, a.limits.Name))
		}
		r.Skip(int(n) + 16)
		if err := r.Err(); err != nil {
			return end, seen, a.tableShort(err, more)
		}
	}
	return r.Pos(), a.count, nil
}

func (a *kapg) tableShort(err error, more bool) error {
	if more {
		return nil
	}
	if a.src.Size-headerSize > a.limits.Table {
		err = codecs.Errorf(codecs.ErrLimit, "%d entries take more than %d bytes", a.count, a.limits.Table)
	}
	return a.fail("", "entry table", headerSize, err)
}

func nameLengthError(n int32, limit int) error {
	if n < 0 {
		return codecs.Errorf(codecs.ErrCorrupt, "%d", n)
	}
	return codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", n, limit)
}

// records yields the table in stored order.
func (a *kapg) records() iter.Seq2[int, record] {
	return func(yield func(int, record) bool) {
		r := bin.NewReader(a.table, headerSize, le)
		for i := range a.count {
			if !yield(i, readRecord(r)) {
				return
			}
		}
	}
}

// survey looks for what makes a table odd without making it unreadable.
func (a *kapg) survey() {
	inOrder, end := true, int64(0)
	for _, rec := range a.records() {
		if !utf8.Valid(rec.name) {
			path, _ := readable(rec.name)
			a.warn(path, "name", rec.pos+12, codecs.Errorf(codecs.ErrNonStrict, "not UTF-8, shown as Latin-1"))
		}
		if rec.csz > 0 {
			inOrder = inOrder && int64(rec.off) >= end
			end = int64(rec.off) + int64(rec.csz)
		}
	}
	if !inOrder {
		a.overlaps()
	}
}

// overlaps warns of entries that share stored bytes. Only tables whose data is
// not in table order come here.
func (a *kapg) overlaps() {
	type extent struct {
		off, end int64
		ordinal  int
	}
	all := make([]extent, 0, a.count)
	for i, rec := range a.records() {
		if rec.off >= 0 && rec.csz > 0 {
			all = append(all, extent{int64(rec.off), int64(rec.off) + int64(rec.csz), i})
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
	for i, rec := range a.records() {
		if with, ok := shared[i]; ok {
			path, _ := readable(rec.name)
			a.warn(path, "offset", rec.tail()+4, codecs.Errorf(codecs.ErrNonStrict, "shares stored bytes with entry %d", with))
		}
	}
}
