package portable

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math/bits"
	"os"
	"slices"

	"pakdb/internal/atomicfile"
)

// SortMemory is how many bytes of rows are sorted in memory. What is more goes to a
// temporary file in sorted runs of that size, which are merged.
const SortMemory = 16 << 20

// sorter sorts rows of a view.
type sorter struct {
	record  record
	cells   int // of a row
	limit   int
	buf     []byte
	rows    []sortedRow
	spare   []sortedRow         // see byWord
	scratch *atomicfile.Scratch // nil: everything fits
	runs    []extent
	size    int64 // of scratch
}

// sortedRow is a row of sorter.buf, and some bytes of it: which ones depends on how far rows
// are compared.
type sortedRow struct {
	word       uint64
	start, end uint32
}

// extent is a run in the temporary file.
type extent struct{ start, end int64 }

// newSorter returns a sorter. Rows are sorted by the first of the columns, in the order of
// the view and then in that of its columns. Columns of leave keep the cells that they have.
func newSorter(v *View, memory, columns int, leave ...string) (*sorter, error) {
	r, err := newRecord(v, columns, leave...)
	return &sorter{record: r, cells: len(v.Columns), limit: min(memory, 1<<30)}, err
}

// add takes a row.
func (s *sorter) add(row []Cell) error {
	start := len(s.buf)
	if cap(s.buf)-start < 4096 { // append would copy it five times until it is full
		s.buf = slices.Grow(s.buf, max(4096, min(start, s.limit)))
	}
	s.buf = s.record.append(s.buf, row)
	s.rows = append(s.rows, sortedRow{0, uint32(start), uint32(len(s.buf))})
	if len(s.buf) < s.limit {
		return nil
	}
	return s.spill()
}

// sorted sorts the rows in memory.
func (s *sorter) sorted() {
	inOrder := slices.IsSortedFunc(s.rows, func(a, b sortedRow) int { return bytes.Compare(s.buf[a.start:a.end], s.buf[b.start:b.end]) })
	if !inOrder { // many archives list their files by path
		s.load(s.rows, 0)
		s.sort(s.rows, 0)
	}
}

// load sets the words of rows: the eight bytes from depth on, and 0 after their ends.
func (s *sorter) load(rows []sortedRow, depth uint32) {
	for i := range rows {
		r := &rows[i]
		switch left := int64(r.end) - int64(r.start) - int64(depth); {
		case left >= 8:
			r.word = binary.BigEndian.Uint64(s.buf[r.start+depth:])
		case left > 0:
			var b [8]byte
			copy(b[:], s.buf[r.start+depth:r.end])
			r.word = binary.BigEndian.Uint64(b[:])
		default:
			r.word = 0
		}
	}
}

// sort sorts rows whose bytes before depth are the same, by words of eight bytes: paths
// begin alike for long.
func (s *sorter) sort(rows []sortedRow, depth uint32) {
	for {
		if len(rows) < 24 {
			slices.SortFunc(rows, func(a, b sortedRow) int {
				return cmp.Or(cmp.Compare(a.word, b.word), bytes.Compare(s.after(a, depth), s.after(b, depth)))
			})
			return
		}
		s.byWord(rows)
		// Groups of one word are sorted by what follows it.
		same := false
		for i := 0; i < len(rows); {
			end := i + 1
			for end < len(rows) && rows[end].word == rows[i].word {
				end++
			}
			if end == len(rows) && i == 0 {
				same = true
				break
			}
			if end-i > 1 && s.goesOn(rows[i:end], depth+8) {
				s.load(rows[i:end], depth+8)
				s.sort(rows[i:end], depth+8)
			}
			i = end
		}
		if !same || !s.goesOn(rows, depth+8) {
			return
		}
		depth += 8 // all of them: no call, for rows may be long
		s.load(rows, depth)
	}
}

// leastDealt is how many rows byWord deals out at least: clearing its counts has to pay.
const leastDealt = 1024

// byWord sorts rows by their words. Many are dealt out first by the leading bits in which
// some of them differ: hashes are as good as sorted then.
func (s *sorter) byWord(rows []sortedRow) {
	const digit = 11 // bits
	if len(rows) < leastDealt {
		slices.SortFunc(rows, func(a, b sortedRow) int { return cmp.Compare(a.word, b.word) })
		return
	}
	least, most := rows[0].word, rows[0].word
	for i := range rows {
		least, most = min(least, rows[i].word), max(most, rows[i].word)
	}
	shift := max(0, bits.Len64(least^most)-digit)
	var ends [1<<digit + 1]int32
	place := func(r *sortedRow) uint64 { return r.word>>shift - least>>shift }
	for i := range rows {
		ends[place(&rows[i])+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	s.spare = append(s.spare[:0], rows...)
	for i := range s.spare {
		at := &ends[place(&s.spare[i])]
		rows[*at] = s.spare[i]
		*at++
	}
	if shift == 0 {
		return
	}
	start := int32(0)
	for _, end := range ends[:1<<digit] { // moved up by one: where each begins was counted up
		if end-start > 1 {
			s.byWord(rows[start:end])
		}
		start = end
	}
}

// goesOn reports whether one of the rows has bytes from depth on.
func (s *sorter) goesOn(rows []sortedRow, depth uint32) bool {
	return slices.ContainsFunc(rows, func(r sortedRow) bool { return r.end-r.start > depth })
}

// after returns the bytes of a row from depth on.
func (s *sorter) after(r sortedRow, depth uint32) []byte {
	return s.buf[min(r.start+depth, r.end):r.end]
}

// spill writes the rows in memory to the temporary file as one run.
func (s *sorter) spill() (err error) {
	if s.scratch == nil {
		if s.scratch, err = atomicfile.NewScratch(os.TempDir()); err != nil {
			return err
		}
	}
	s.sorted()
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.scratch, s.size), 256<<10)
	run := extent{start: s.size}
	for _, r := range s.rows {
		var n [4]byte
		binary.LittleEndian.PutUint32(n[:], r.end-r.start)
		_, _ = w.Write(n[:]) // the error stays, and is returned by Flush
		_, _ = w.Write(s.buf[r.start:r.end])
		s.size += int64(4 + r.end - r.start)
	}
	run.end = s.size
	s.runs = append(s.runs, run)
	s.buf, s.rows = s.buf[:0], s.rows[:0]
	return w.Flush()
}

// each calls row for each row in order.
func (s *sorter) each(ctx context.Context, row func([]Cell) error) error {
	cells := make([]Cell, s.cells)
	return s.records(ctx, func(b []byte) error {
		s.record.decode(b, cells)
		return row(cells)
	})
}

// records calls give for each record in order.
func (s *sorter) records(ctx context.Context, give func([]byte) error) error {
	n := 0
	one := func(b []byte) error {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return give(b)
	}
	if err := s.end(); err != nil {
		return err
	}
	if s.scratch == nil {
		s.sorted()
		for _, r := range s.rows {
			if err := one(s.buf[r.start:r.end]); err != nil {
				return err
			}
		}
		return nil
	}
	return s.merge(one)
}

// end frees memory when all rows were added, if it can. It may be called again.
func (s *sorter) end() (err error) {
	if s.scratch == nil {
		return nil
	}
	if len(s.rows) > 0 {
		err = s.spill()
	}
	s.buf, s.rows, s.spare = nil, nil, nil
	return err
}

// merge reads the runs side by side.
func (s *sorter) merge(give func([]byte) error) error {
	var all []*run
	size := max(16<<10, SortMemory/(2*len(s.runs)))
	for _, r := range s.runs {
		one := &run{r: bufio.NewReaderSize(io.NewSectionReader(s.scratch, r.start, r.end-r.start), min(size, 256<<10))}
		if err := one.next(); err != nil {
			return err
		}
		all = append(all, one)
	}
	t := newTournament(all)
	for {
		least := t.least()
		if least.done {
			return nil
		}
		if err := give(least.key); err != nil {
			return err
		}
		if err := least.next(); err != nil {
			return err
		}
		t.again()
	}
}

func (s *sorter) close() error {
	if s.scratch == nil {
		return nil
	}
	return s.scratch.Close()
}
