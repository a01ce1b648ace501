package views

import (
	"database/sql/driver"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
)

// Kinds of cells.
const (
	cellNull = iota
	cellInt
	cellFloat
	cellPooled // a text or a blob of a pool
	cellRef    // the id of a text
)

// texts makes the text of an id.
type texts func(id int64) (driver.Value, error)

// pool holds texts and blobs, each text once if known is not nil.
type pool struct {
	values []driver.Value
	known  map[string]int64
	bytes  int
}

func (p *pool) add(v driver.Value) int64 {
	s, isText := v.(string)
	if isText && p.known != nil {
		if n, ok := p.known[s]; ok {
			return n
		}
		p.known[s] = int64(len(p.values))
		p.bytes += 64 // of the map
	}
	if b, ok := v.([]byte); ok {
		p.bytes += len(b)
	}
	p.bytes += len(s) + 48
	p.values = append(p.values, v)
	return int64(len(p.values) - 1)
}

// vector is a column of rows. The zero value has no cells.
type vector struct {
	kinds []byte
	cells []int64
	refs  texts
}

func (c *vector) null()               { c.put(cellNull, 0) }
func (c *vector) int(n int64)         { c.put(cellInt, n) }
func (c *vector) ref(id int64)        { c.put(cellRef, id) }
func (c *vector) put(k byte, n int64) { c.kinds, c.cells = append(c.kinds, k), append(c.cells, n) }

// reserve makes room for n rows.
func (c *vector) reserve(n int64) {
	c.kinds, c.cells = make([]byte, 0, n), make([]int64, 0, n)
}

// add appends any value.
func (c *vector) add(p *pool, v driver.Value) {
	switch v := v.(type) {
	case nil:
		c.null()
	case int64:
		c.int(v)
	case float64:
		c.put(cellFloat, int64(math.Float64bits(v)))
	case []byte:
		c.put(cellPooled, p.add(append([]byte{}, v...)))
	default:
		c.put(cellPooled, p.add(v))
	}
}

// store holds rows of a view, of the columns that a statement uses.
type store struct {
	n       int
	number  int64    // of the first row, other than of rows of other stores
	columns []vector // by the column of the view; empty where it is not used
	pool    *pool
	indexes []*index
}

func newStore(columns int, p *pool) *store {
	return &store{columns: make([]vector, columns), pool: p}
}

// clear removes all rows.
func (s *store) clear() {
	s.n = 0
	s.pool.values = s.pool.values[:0]
	for i := range s.columns {
		c := &s.columns[i]
		c.kinds, c.cells = c.kinds[:0], c.cells[:0]
	}
}

// value returns a cell.
func (s *store) value(column, row int) (driver.Value, error) {
	c := &s.columns[column]
	n := c.cells[row]
	switch c.kinds[row] {
	case cellInt:
		return n, nil
	case cellFloat:
		return math.Float64frombits(uint64(n)), nil
	case cellPooled:
		return s.pool.values[n], nil
	case cellRef:
		return c.refs(n)
	}
	return nil, nil
}

// hash returns the hash of a cell, as [norm] says.
func (s *store) hash(column, row int) (uint64, error) {
	c := &s.columns[column]
	n := c.cells[row]
	switch c.kinds[row] {
	case cellNull:
		return normNull, nil
	case cellInt:
		return normNumber(float64(n)), nil
	}
	v, err := s.value(column, row)
	return norm(v), err
}

// hashOf returns the hash of some cells of a row together.
func (s *store) hashOf(columns []int, row int) (h uint64, err error) {
	for _, c := range columns {
		one, err := s.hash(c, row)
		if err != nil {
			return 0, err
		}
		h = mix(h, one)
	}
	return h, nil
}

// mix adds the hash of the next column. One column alone keeps its hash.
func mix(h, next uint64) uint64 {
	h *= spread
	return h ^ h>>32 ^ next
}

// spread is an odd number: a product's upper bits depend on all bits of the other factor.
const spread = 0x9E3779B97F4A7C15

// index finds rows of a store by the hash of some columns.
type index struct {
	name  string
	heads []int32
	rows  []indexed
	guess int // of [index.first]
}

// indexed is a row of an index.
type indexed struct {
	hash  uint32
	next  int32 // row of the same hash
	other int32 // first row of another hash in the same place; notFirst
}

const notFirst = -2

// indexOf returns the index of some columns, which is made when it is first asked for.
func (s *store) indexOf(name string, columns []int, stop func() error) (*index, error) {
	for _, ix := range s.indexes {
		if ix.name == name {
			return ix, nil
		}
	}
	size := 16
	for size < s.n+s.n/2 {
		size *= 2
	}
	ix := &index{name: name, heads: make([]int32, size), rows: make([]indexed, s.n)}
	for i := range ix.heads {
		ix.heads[i] = -1
	}
	for i := range s.n { // texts are read fastest in this order
		if i%4096 == 0 {
			if err := stop(); err != nil {
				return nil, err
			}
		}
		h, err := s.hashOf(columns, i)
		if err != nil {
			return nil, err
		}
		ix.rows[i].hash = uint32(h >> 32)
	}
	for i := s.n - 1; i >= 0; i-- { // so that rows are found in their order
		row := &ix.rows[i]
		at := ix.find(row.hash)
		if row.next, row.other = *at, -1; row.next >= 0 {
			later := &ix.rows[row.next]
			row.other, later.other = later.other, notFirst
		}
		*at = int32(i)
	}
	s.indexes = append(s.indexes, ix)
	return ix, nil
}

// find returns where the first row of a hash is named, or would be.
func (ix *index) find(hash uint32) *int32 {
	at := &ix.heads[hash&uint32(len(ix.heads)-1)]
	for *at >= 0 && ix.rows[*at].hash != hash {
		at = &ix.rows[*at].other
	}
	return at
}

// first returns the first row of a hash, -1 for none. Rows of two builds mostly come in one order, so
// that it looks first at the row after the one that was found last.
func (ix *index) first(h uint64) int {
	hash, row := uint32(h>>32), ix.guess
	if row >= len(ix.rows) || ix.rows[row].hash != hash || ix.rows[row].other == notFirst {
		row = int(*ix.find(hash))
	}
	if row >= 0 {
		ix.guess = row + 1
	}
	return row
}

// after returns the next row of the same hash, -1 for none.
func (ix *index) after(row int) int { return int(ix.rows[row].next) }

// norm gives one hash to all values that SQLite may find equal, by any collation and
// affinity. It compares them itself afterwards.
//
// Texts are without case and without spaces at their end: NOCASE, RTRIM. A text that reads
// as a number is that number, which it may be compared as.
func norm(v driver.Value) uint64 {
	switch v := v.(type) {
	case int64:
		return normNumber(float64(v))
	case float64:
		return normNumber(v)
	case string:
		return normText(v)
	case []byte:
		return maphash.Bytes(seed, v)
	}
	return normNull
}

const normNull = 3

var seed = maphash.MakeSeed()

func normNumber(f float64) uint64 {
	h := math.Float64bits(f+0) * spread // + 0: -0 is 0
	h = (h ^ h>>32) * spread            // the lower half of a small number is 0
	return h ^ h>>29
}

func normText(s string) uint64 {
	if f, ok := number(s); ok {
		return normNumber(f)
	}
	if i := strings.IndexByte(s, 0); i >= 0 { // NOCASE compares no further
		s = s[:i]
	}
	end := len(s)
	for end > 0 && s[end-1] == ' ' {
		end--
	}
	var buffer [128]byte
	folded := append(buffer[:0], s[:end]...)
	lower(folded)
	return maphash.Bytes(seed, folded)
}

// number returns the number that SQLite reads a text as, if it does.
func number(s string) (f float64, ok bool) {
	if s == "" || s[0] > '9' {
		return 0, false
	}
	digits := false
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits = true
		case c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E' || c == ' ' || '\t' <= c && c <= '\r':
		default:
			return 0, false
		}
	}
	if !digits {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.Trim(s, " \t\n\v\f\r"), 64)
	return f, err == nil || f != 0
}
