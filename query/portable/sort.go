package portable

import (
	"bufio"
	"bytes"
	"container/heap"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"pakdb/internal/atomicfile"
)

// SortMemory is how many bytes of rows are sorted in memory. What is more goes to a
// temporary file in sorted runs of that size, which are merged.
const SortMemory = 16 << 20

// A row is kept as bytes that compare as the row does: first the columns of the order,
// then the others. NULL comes first, then numbers by value, texts by their bytes.
const (
	tagNull  = 0
	tagValue = 1
)

// sorter sorts rows of a view.
type sorter struct {
	view    *View
	order   []int // columns, in the order of comparison
	limit   int
	buf     []byte
	rows    []sortedRow
	scratch *atomicfile.Scratch // nil: everything fits
	runs    []extent
	size    int64 // of scratch
}

// sortedRow is a row of sorter.buf.
type sortedRow struct{ start, end int }

// extent is a run in the temporary file.
type extent struct{ start, end int64 }

func newSorter(v *View, memory int) (*sorter, error) {
	s := &sorter{view: v, limit: memory}
	for _, name := range v.Order {
		i := slices.Index(v.Names(), name)
		if i < 0 {
			return nil, errors.New("view " + v.Name + " is sorted by a column that it lacks: " + name)
		}
		s.order = append(s.order, i)
	}
	for i := range v.Columns {
		if !slices.Contains(s.order, i) {
			s.order = append(s.order, i)
		}
	}
	return s, nil
}

// add takes a row.
func (s *sorter) add(values []driver.Value) error {
	start := len(s.buf)
	for _, i := range s.order {
		v, err := s.view.Columns[i].typed(values[i])
		if err != nil {
			return err
		}
		s.buf = appendKey(s.buf, v)
	}
	s.rows = append(s.rows, sortedRow{start, len(s.buf)})
	if len(s.buf) < s.limit {
		return nil
	}
	return s.spill()
}

// appendKey appends a value, so that bytes compare as values do.
func appendKey(b []byte, v driver.Value) []byte {
	switch v := v.(type) {
	case int64:
		return binary.BigEndian.AppendUint64(append(b, tagValue), uint64(v)^1<<63)
	case float64:
		bits := math.Float64bits(v)
		if bits>>63 == 1 {
			bits = ^bits
		} else {
			bits |= 1 << 63
		}
		return binary.BigEndian.AppendUint64(append(b, tagValue), bits)
	case string:
		b = append(b, tagValue)
		for {
			i := bytes.IndexByte([]byte(v), 0)
			if i < 0 {
				return append(append(b, v...), 0, 0)
			}
			b, v = append(append(b, v[:i]...), 0, 1), v[i+1:]
		}
	default:
		return append(b, tagNull)
	}
}

// sorted sorts the rows in memory.
func (s *sorter) sorted() {
	slices.SortFunc(s.rows, func(a, b sortedRow) int { return bytes.Compare(s.buf[a.start:a.end], s.buf[b.start:b.end]) })
}

// spill writes the rows in memory to the temporary file as one run.
func (s *sorter) spill() (err error) {
	if s.scratch == nil {
		if s.scratch, err = atomicfile.NewScratch(os.TempDir()); err != nil {
			return err
		}
	}
	s.sorted()
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.scratch, s.size), 1<<20)
	run := extent{start: s.size}
	for _, r := range s.rows {
		var n [4]byte
		binary.LittleEndian.PutUint32(n[:], uint32(r.end-r.start))
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
func (s *sorter) each(ctx context.Context, row func([]driver.Value) error) error {
	values := make([]driver.Value, len(s.order))
	n := 0
	give := func(key []byte) error {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.decode(key, values)
		return row(values)
	}
	if s.scratch == nil {
		s.sorted()
		for _, r := range s.rows {
			if err := give(s.buf[r.start:r.end]); err != nil {
				return err
			}
		}
		return nil
	}
	if len(s.rows) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.buf, s.rows = nil, nil
	return s.merge(give)
}

// merge reads the runs side by side.
func (s *sorter) merge(give func([]byte) error) error {
	var all runs
	size := max(16<<10, SortMemory/(2*len(s.runs)))
	for _, r := range s.runs {
		one := &run{r: bufio.NewReaderSize(io.NewSectionReader(s.scratch, r.start, r.end-r.start), size)}
		if err := one.next(); err != nil {
			return err
		}
		all = append(all, one)
	}
	heap.Init(&all)
	for len(all) > 0 {
		if err := give(all[0].key); err != nil {
			return err
		}
		switch err := all[0].next(); err {
		case nil:
			heap.Fix(&all, 0)
		case io.EOF:
			heap.Pop(&all)
		default:
			return err
		}
	}
	return nil
}

// decode is the inverse of appendKey, for the columns of a row.
func (s *sorter) decode(key []byte, values []driver.Value) {
	for _, i := range s.order {
		tag := key[0]
		key = key[1:]
		switch {
		case tag == tagNull:
			values[i] = nil
		case s.view.Columns[i].Type == Int:
			values[i] = int64(binary.BigEndian.Uint64(key) ^ 1<<63)
			key = key[8:]
		case s.view.Columns[i].Type == Real:
			bits := binary.BigEndian.Uint64(key)
			if bits>>63 == 1 {
				bits &^= 1 << 63
			} else {
				bits = ^bits
			}
			values[i] = math.Float64frombits(bits)
			key = key[8:]
		default:
			values[i], key = decodeText(key)
		}
	}
}

// decodeText returns the text that a key begins with, and the rest of the key.
func decodeText(key []byte) (string, []byte) {
	end := bytes.IndexByte(key, 0)
	if key[end+1] == 0 {
		return string(key[:end]), key[end+2:]
	}
	var b []byte
	for key[end+1] == 1 {
		b = append(append(b, key[:end]...), 0)
		key = key[end+2:]
		end = bytes.IndexByte(key, 0)
	}
	return string(append(b, key[:end]...)), key[end+2:]
}

func (s *sorter) close() error {
	if s.scratch == nil {
		return nil
	}
	return s.scratch.Close()
}

// run is a sorted run that is read.
type run struct {
	r   *bufio.Reader
	key []byte
}

// next reads the next row, or returns io.EOF.
func (r *run) next() error {
	var n [4]byte
	if _, err := io.ReadFull(r.r, n[:]); err != nil {
		return err
	}
	r.key = slices.Grow(r.key[:0], int(binary.LittleEndian.Uint32(n[:])))[:binary.LittleEndian.Uint32(n[:])]
	_, err := io.ReadFull(r.r, r.key)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// runs is a heap, the run with the least row first.
type runs []*run

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return bytes.Compare(r[i].key, r[j].key) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)        { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	old := *r
	last := old[len(old)-1]
	*r = old[:len(old)-1]
	return last
}
