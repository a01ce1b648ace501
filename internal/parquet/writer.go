package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// GroupRows is how many rows a row group has, the last one fewer. A writer keeps that
// many in memory.
const GroupRows = 128 << 10

const (
	magic     = "PAR1"
	codecZstd = 6
)

// Options say what is in the footer beside columns.
type Options struct {
	Sorted  []int       // the columns by which rows are sorted, NULL first
	Meta    [][2]string // keys and values
	Creator string
}

// Writer writes one file. It is not safe for concurrent use.
type Writer struct {
	w       io.Writer
	opts    Options
	chunks  []*chunk
	zstd    *zstd.Encoder
	entropy entropy
	buffers buffers // of pages
	groups  []group
	at      int64
	rows    int64
	err     error // stays
	scratch []byte
}

// group is a row group that was written.
type group struct {
	columns      []column
	rows         int64
	start        int64
	bytes, plain int64
}

// column is a column of a row group, in the file.
type column struct {
	dictionary   int64 // where its page is; 0: none
	data         int64
	encoding     int64
	bytes, plain int64
	values       int64
	nulls        int64
	least, most  string
	stated       bool
}

// NewWriter begins a file. The caller writes all rows, and closes the writer.
func NewWriter(w io.Writer, columns []Column, opts Options) (*Writer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4<<20))
	if err != nil {
		return nil, err
	}
	p := &Writer{w: w, opts: opts, zstd: enc}
	for _, c := range columns {
		one := &chunk{Column: c}
		one.reset()
		p.chunks = append(p.chunks, one)
	}
	p.write([]byte(magic))
	return p, p.err
}

// Null, Int, Real, Text and Hex set a column of the row that [Writer.End] ends. Each column
// is set once. Texts are copied.

// Null sets a column to NULL.
func (p *Writer) Null(column int) {
	if c := p.chunks[column]; c.Null {
		c.null()
	} else {
		p.misfit(c, "NULL")
	}
}

// Int sets a column to an integer.
func (p *Writer) Int(column int, v int64) {
	if c := p.chunks[column]; c.Kind == Int {
		c.number(v)
	} else {
		p.misfit(c, "an integer")
	}
}

// Real sets a column to a double.
func (p *Writer) Real(column int, v float64) {
	if c := p.chunks[column]; c.Kind == Real {
		c.number(int64(math.Float64bits(v)))
	} else {
		p.misfit(c, "a double")
	}
}

// Text sets a column to a text.
func (p *Writer) Text(column int, v []byte) {
	if c := p.chunks[column]; c.Kind == Text {
		c.text(v)
	} else {
		p.misfit(c, "a text")
	}
}

// Hex sets a column to the text of lower-case hex digits that says these bytes.
func (p *Writer) Hex(column int, v []byte) {
	if c := p.chunks[column]; c.Kind == Text {
		c.hexed(v)
	} else {
		p.misfit(c, "a text")
	}
}

// misfit notes that a column cannot have a value.
func (p *Writer) misfit(c *chunk, what string) {
	_ = p.fail(fmt.Errorf("parquet: column %s cannot have %s", c.Name, what))
}

// End ends a row, of which all columns were set.
func (p *Writer) End() error {
	if p.err != nil {
		return p.err
	}
	p.rows++
	first := p.chunks[0]
	if first.rows < GroupRows {
		return nil
	}
	return p.flush()
}

func (p *Writer) fail(err error) error {
	if p.err == nil {
		p.err = err
	}
	return p.err
}

func (p *Writer) write(b []byte) {
	if p.err != nil {
		return
	}
	n, err := p.w.Write(b)
	p.at += int64(n)
	if err != nil {
		p.err = err
	}
}

// flush writes the rows in memory as a row group.
func (p *Writer) flush() error {
	g := group{rows: int64(p.chunks[0].rows), start: p.at}
	if g.rows == 0 {
		return p.err
	}
	for _, c := range p.chunks {
		if int64(c.rows) != g.rows {
			return p.fail(fmt.Errorf("parquet: column %s has %d values in %d rows", c.Name, c.rows, g.rows))
		}
		one := p.column(c)
		g.columns = append(g.columns, one)
		g.bytes += one.bytes
		g.plain += one.plain
		c.reset()
	}
	p.groups = append(p.groups, g)
	return p.err
}

// column writes the pages of a column.
func (p *Writer) column(c *chunk) column {
	if c.keys != nil && (c.values() == 0 || len(c.dictionary)*2 > c.values()) {
		c.spread() // it would cost more than it saves
	}
	one := column{encoding: c.encoding(), values: int64(c.rows), nulls: int64(c.nulls)}
	one.least, one.most, one.stated = c.extremes()
	if one.encoding == dictionaryKeys {
		one.dictionary = p.at
		p.page(&one, c.entries(), nil, func(t *thrift) {
			t.structure(7, func() {
				t.i32(1, int64(len(c.dictionary)))
				t.i32(2, plain)
			})
		}, dictionaryPage)
	}
	one.data = p.at
	first := 0
	for from := 0; from < c.rows; from += pageRows {
		end := min(from+pageRows, c.rows)
		b := &p.buffers
		next := c.page(b, one.encoding, from, end, first)
		if b.digits.count() > 0 && !c.differ(first, next) {
			b.body = b.digits.text(b.body)
			b.digits.reset()
		}
		first = next
		p.page(&one, b.body, &b.digits, func(t *thrift) {
			t.structure(5, func() {
				t.i32(1, int64(end-from))
				t.i32(2, one.encoding)
				t.i32(3, rle)
				t.i32(4, rle)
			})
		}, dataPage)
	}
	return one
}

// page writes a page with its header. Digits after the body, if there are any, are some in
// which nothing is met again.
func (p *Writer) page(one *column, body []byte, after *digits, head func(*thrift), kind int64) {
	size := len(body)
	if after != nil && after.count() > 0 {
		p.scratch = p.entropy.frame(p.scratch[:0], body, after)
		size += after.count()
	} else {
		p.scratch = p.zstd.EncodeAll(body, p.scratch[:0])
	}
	t := &thrift{}
	t.begin()
	t.i32(1, kind)
	t.i32(2, int64(size))
	t.i32(3, int64(len(p.scratch)))
	head(t)
	t.end()
	p.write(t.b)
	p.write(p.scratch)
	one.bytes += int64(len(t.b) + len(p.scratch))
	one.plain += int64(len(t.b) + size)
}

// Rows is how many rows were written.
func (p *Writer) Rows() int64 { return p.rows }

// Close writes what is left and the footer. It does not close what it writes to.
func (p *Writer) Close() error {
	defer func() { _ = p.zstd.Close() }()
	if err := p.flush(); err != nil {
		return err
	}
	footer := p.footer()
	p.write(footer)
	p.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	p.write([]byte(magic))
	return p.err
}

// footer returns the description of the file. The numbers are those of the fields in
// parquet.thrift.
func (p *Writer) footer() []byte {
	t := &thrift{}
	t.begin()
	t.i32(1, 2) // of the format
	t.list(2, typeStruct, 1+len(p.chunks))
	t.begin()
	t.text(4, "schema")
	t.i32(5, int64(len(p.chunks)))
	t.end()
	for _, c := range p.chunks {
		c.describe(t)
	}
	t.i64(3, p.rows)
	t.list(4, typeStruct, len(p.groups))
	for i := range p.groups {
		p.group(t, i)
	}
	if len(p.opts.Meta) > 0 {
		t.list(5, typeStruct, len(p.opts.Meta))
		for _, m := range p.opts.Meta {
			t.begin()
			t.text(1, m[0])
			t.text(2, m[1])
			t.end()
		}
	}
	if p.opts.Creator != "" {
		t.text(6, p.opts.Creator)
	}
	t.list(7, typeStruct, len(p.chunks)) // without it readers disregard the least and the greatest text
	for range p.chunks {
		t.begin()
		t.structure(1, func() {})
		t.end()
	}
	t.end()
	return t.b
}

// describe writes the column's element of the schema.
func (c *Column) describe(t *thrift) {
	t.begin()
	t.i32(1, c.physical())
	if c.Null {
		t.i32(3, 1)
	} else {
		t.i32(3, 0)
	}
	t.text(4, c.Name)
	if c.Kind == Text {
		t.i32(6, 0)
		t.structure(10, func() { t.structure(1, func() {}) })
	}
	t.end()
}

func (p *Writer) group(t *thrift, i int) {
	g := &p.groups[i]
	t.begin()
	t.list(1, typeStruct, len(g.columns))
	for n := range g.columns {
		t.begin()
		t.i64(2, 0) // where the description is repeated: nowhere
		t.structure(3, func() { p.chunks[n].placed(t, &g.columns[n]) })
		t.end()
	}
	t.i64(2, g.plain)
	t.i64(3, g.rows)
	if len(p.opts.Sorted) > 0 {
		t.list(4, typeStruct, len(p.opts.Sorted))
		for _, c := range p.opts.Sorted {
			t.begin()
			t.i32(1, int64(c))
			t.flag(2, false)
			t.flag(3, true)
			t.end()
		}
	}
	t.i64(5, g.start)
	t.i64(6, g.bytes)
	t.i16(7, int64(i))
	t.end()
}

// placed says where the column of a row group is, and what is in it.
func (c *Column) placed(t *thrift, one *column) {
	encodings := []int64{rle, one.encoding}
	if one.dictionary > 0 {
		encodings = append(encodings, plain)
	}
	t.i32(1, c.physical())
	t.list(2, typeI32, len(encodings))
	for _, e := range encodings {
		t.b = binary.AppendVarint(t.b, e)
	}
	t.list(3, typeBinary, 1)
	t.element(c.Name)
	t.i32(4, codecZstd)
	t.i64(5, one.values)
	t.i64(6, one.plain)
	t.i64(7, one.bytes)
	t.i64(9, one.data)
	if one.dictionary > 0 {
		t.i64(11, one.dictionary)
	}
	t.structure(12, func() {
		t.i64(3, one.nulls)
		if one.stated {
			t.text(5, one.most)
			t.text(6, one.least)
		}
	})
}
