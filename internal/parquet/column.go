package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"slices"
)

// Kind is what a column holds.
type Kind uint8

// Texts are UTF-8, integers signed with 64 bits.
const (
	Text Kind = iota
	Int
	Real
)

// Column is the name of a column and what it may hold.
type Column struct {
	Name string
	Kind Kind
	Null bool // values may be NULL
	Few  bool // texts of few values: a dictionary is tried
	// Texts are digits of hashes, in which nothing is met again but whole texts.
	Digits bool
}

// Encodings and types, as the format numbers them.
const (
	plain          = 0
	rle            = 3
	deltaPacked    = 5
	deltaLengths   = 6
	deltaTexts     = 7
	dictionaryKeys = 8

	physicalInt64  = 2
	physicalDouble = 5
	physicalBytes  = 6

	dataPage       = 0
	dictionaryPage = 2
)

const (
	pageRows      = 20_000  // of a data page
	maxDictionary = 1 << 20 // bytes of the texts of a dictionary
	maxStatistic  = 256     // bytes of a least or greatest text that is stated
)

// chunk collects the values of a column for a row group.
type chunk struct {
	Column
	rows   int
	absent []bool // by row; nil: none is NULL
	nulls  int

	numbers []int64 // integers, or the bits of doubles
	bytes   []byte  // texts one after the other
	ends    []int   // where they end
	packed  bool    // of a column of digits: bytes are those that the texts say

	keys       map[string]uint64 // the dictionary; nil: there is none
	indexes    []uint64
	dictionary []string
	size       int    // of its texts
	last       string // the text before, and its key
	lastKey    uint64

	met []uint64 // see differ
}

func (c *chunk) reset() {
	*c = chunk{Column: c.Column, absent: c.absent[:0], numbers: c.numbers[:0], bytes: c.bytes[:0], ends: c.ends[:0], indexes: c.indexes[:0], met: c.met}
	if c.Few && c.Kind == Text {
		c.keys = map[string]uint64{}
	}
}

// null adds a NULL.
func (c *chunk) null() {
	c.absent = append(c.absent, true)
	c.rows, c.nulls = c.rows+1, c.nulls+1
}

func (c *chunk) present() {
	if c.Null {
		c.absent = append(c.absent, false)
	}
	c.rows++
}

func (c *chunk) number(v int64) {
	c.present()
	c.numbers = append(room(c.numbers, 1), v)
}

// room returns s with room for n more. What is full gets twice its size: a quarter more, as
// append gives what is large, is copied five times until it is full.
func room[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		return slices.Grow(s, max(n, len(s)))
	}
	return s
}

// packs reports whether texts are to be kept as the bytes that they say.
func (c *chunk) packs() bool {
	return c.Digits && c.keys == nil && (c.packed || len(c.ends) == 0)
}

// unpack makes texts of bytes.
func (c *chunk) unpack() {
	c.bytes = hex.AppendEncode(nil, c.bytes)
	for i := range c.ends {
		c.ends[i] *= 2
	}
	c.packed = false
}

// hexed adds the text of the digits of bytes.
func (c *chunk) hexed(v []byte) {
	if !c.packs() {
		c.text([]byte(hex.EncodeToString(v)))
		return
	}
	c.present()
	c.packed = true
	c.append(v)
}

func (c *chunk) append(v []byte) {
	c.bytes = append(room(c.bytes, len(v)), v...)
	c.ends = append(room(c.ends, 1), len(c.bytes))
}

func (c *chunk) text(v []byte) {
	c.present()
	if c.packs() {
		if b, ok := appendDigits(room(c.bytes, len(v)), v); ok {
			c.bytes, c.ends, c.packed = b, append(room(c.ends, 1), len(b)), true
			return
		}
		c.unpack()
	}
	if c.keys == nil {
		c.append(v)
		return
	}
	if len(c.indexes) == 0 || c.last != string(v) {
		key, ok := c.keys[string(v)]
		if !ok {
			key = uint64(len(c.dictionary))
			text := string(v)
			c.keys[text] = key
			c.dictionary = append(c.dictionary, text)
			c.size += len(v)
		}
		c.last, c.lastKey = c.dictionary[key], key
	}
	c.indexes = append(room(c.indexes, 1), c.lastKey)
	if c.size > maxDictionary {
		c.spread()
	}
}

// spread gives up the dictionary.
func (c *chunk) spread() {
	for _, key := range c.indexes {
		c.append([]byte(c.dictionary[key]))
	}
	c.keys, c.indexes, c.dictionary, c.size = nil, c.indexes[:0], nil, 0
}

// values is how many values are not NULL.
func (c *chunk) values() int { return c.rows - c.nulls }

// at returns a text, or the bytes that it says.
func (c *chunk) at(i int) []byte {
	start := 0
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.bytes[start:c.ends[i]]
}

// physical is the type of the values in the file.
func (c *Column) physical() int64 {
	switch c.Kind {
	case Int:
		return physicalInt64
	case Real:
		return physicalDouble
	}
	return physicalBytes
}

// encoding decides how values are written.
func (c *chunk) encoding() int64 {
	switch {
	case c.Kind == Int:
		return deltaPacked
	case c.Kind == Real:
		return plain
	case c.keys != nil:
		return dictionaryKeys
	}
	shared := 0
	for i := 1; i < c.values(); i++ {
		shared += c.common(c.at(i-1), c.at(i))
	}
	if shared >= 4*c.values() {
		return deltaTexts
	}
	return deltaLengths
}

// common is how many letters two texts begin with alike.
func (c *chunk) common(a, b []byte) int {
	if c.packed {
		return commonDigits(a, b)
	}
	return common(a, b)
}

// common is how many bytes two texts begin with alike.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}

// buffers are used again for each page.
type buffers struct {
	body, rest      []byte
	digits          digits
	levels, loose   []uint64
	lengths, shared []int64
}

// page makes the body of a page of rows from to end, whose values begin at first, in b.body,
// and digits that follow it in b.digits. It returns where the values of the next page begin.
func (c *chunk) page(b *buffers, encoding int64, from, end, first int) (next int) {
	b.body = b.body[:0]
	b.digits.reset()
	next = first + end - from
	if c.Null {
		b.levels = b.levels[:0]
		for _, absent := range c.absent[from:end] {
			if absent {
				next--
				b.levels = append(b.levels, 0)
			} else {
				b.levels = append(b.levels, 1)
			}
		}
		b.rest = b.hybrid(b.rest[:0], b.levels, 1)
		b.body = append(binary.LittleEndian.AppendUint32(b.body, uint32(len(b.rest))), b.rest...)
	}
	switch encoding {
	case deltaPacked:
		b.body = appendDeltas(b.body, c.numbers[first:next])
	case plain:
		for _, v := range c.numbers[first:next] {
			b.body = binary.LittleEndian.AppendUint64(b.body, uint64(v))
		}
	case dictionaryKeys:
		width := bits.Len(uint(max(0, len(c.dictionary)-1)))
		b.body = b.hybrid(append(b.body, byte(width)), c.indexes[first:next], width)
	default:
		c.texts(b, encoding, first, next)
	}
	return next
}

// texts appends what each text shares with the one before, if encoding is deltaTexts, and
// the lengths of the rest, and the rest.
func (c *chunk) texts(b *buffers, encoding int64, first, next int) {
	b.lengths, b.shared, b.rest = b.lengths[:0], b.shared[:0], b.rest[:0]
	var last []byte
	for i := first; i < next; i++ {
		v := c.at(i)
		n := 0
		if encoding == deltaTexts {
			n = c.common(last, v)
			b.shared = append(b.shared, int64(n))
			last = v
		}
		if c.packed {
			b.digits.add(v, n)
			b.lengths = append(b.lengths, int64(2*len(v)-n))
		} else {
			b.rest = append(b.rest, v[n:]...)
			b.lengths = append(b.lengths, int64(len(v)-n))
		}
	}
	if encoding == deltaTexts {
		b.body = appendDeltas(b.body, b.shared)
	}
	b.body = append(appendDeltas(b.body, b.lengths), b.rest...)
}

// entries returns the texts of the dictionary, as its page has them.
func (c *chunk) entries() (body []byte) {
	for _, v := range c.dictionary {
		body = append(binary.LittleEndian.AppendUint32(body, uint32(len(v))), v...)
	}
	return body
}

// extremes returns the least and the greatest value, as the footer has them; ok is false
// if it says nothing of them.
func (c *chunk) extremes() (least, greatest string, ok bool) {
	if c.values() == 0 {
		return "", "", false
	}
	switch {
	case c.Kind == Text:
		var lo, hi []byte
		for i := range c.texted() {
			v := c.any(i)
			if i == 0 || bytes.Compare(v, lo) < 0 {
				lo = v
			}
			if i == 0 || bytes.Compare(v, hi) > 0 {
				hi = v
			}
		}
		if c.packed {
			lo, hi = hex.AppendEncode(nil, lo), hex.AppendEncode(nil, hi)
		}
		return string(lo), string(hi), len(lo) <= maxStatistic && len(hi) <= maxStatistic
	case c.Kind == Real:
		return "", "", false // nobody prunes by them, and zero has two forms
	}
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, v := range c.numbers {
		lo, hi = min(lo, v), max(hi, v)
	}
	return string(binary.LittleEndian.AppendUint64(nil, uint64(lo))), string(binary.LittleEndian.AppendUint64(nil, uint64(hi))), true
}

// texted is how many different places any has.
func (c *chunk) texted() int {
	if c.keys != nil {
		return len(c.dictionary)
	}
	return c.values()
}

func (c *chunk) any(i int) []byte {
	if c.keys != nil {
		return []byte(c.dictionary[i])
	}
	return c.at(i)
}
