package inflate

import "math/bits"

// A table is looked up with the next bits of the stream, the first of them
// lowest. An entry says what they begin with, and how many bits that takes:
//
//	bits   literals      length or distance     subtable           other
//	31-16  the literal   base                   its first entry
//	15     1             0                      0                  0
//	14     0             0                      1                  1
//	13     0             0                      0                  1
//	12     0             0                      0                  1 in the end of the block
//	11-8   0             bits without extra     index bits
//	7-0    bits          bits with extra        bits of the table  bits, if any
//
// A code longer than the table's index has its entry in a subtable, which is
// looked up with the bits after the index.
const (
	literal  = 1 << 15
	special  = 1 << 14
	notCode  = special | 1<<13
	blockEnd = notCode | 1<<12
)

// The bits that index a table, and the sizes that hold it with its subtables.
// The largest that 286 codes of 15 bits can make with 11 is 2342, and 30 with
// 8 is 402; the sizes are powers of two so that no index needs a check.
const (
	litBits, litSize   = 11, 1 << 12
	distBits, distSize = 8, 1 << 9
	lensBits, lensSize = 7, 1 << 7
	maxBits            = 15
)

const (
	litCodes  = 286 // in a block; two more have lengths in the fixed code
	distCodes = 30
	lensCodes = 19
)

// entries of the symbols, with neither the bits of their codes nor, for
// the lengths and distances, those of their codes without extra.
var (
	litEntries  = lengthEntries()
	distEntries = distanceEntries()
	lensEntries = plainEntries()
)

// lengthEntries follows RFC 1951, 3.2.5. 286 and 287 are not codes.
func lengthEntries() (e [288]uint32) {
	for i := range 256 {
		e[i] = uint32(i)<<16 | literal
	}
	e[256] = blockEnd
	base := uint32(3)
	for i := range uint32(28) {
		extra := max(i/4, 1) - 1
		e[257+i] = base<<16 | extra
		base += 1 << extra
	}
	e[285] = 258 << 16
	e[286], e[287] = notCode, notCode
	return e
}

// distanceEntries follows the same. 30 and 31 are not codes.
func distanceEntries() (e [32]uint32) {
	base := uint32(1)
	for i := range uint32(30) {
		extra := max(i/2, 1) - 1
		e[i] = base<<16 | extra
		base += 1 << extra
	}
	e[30], e[31] = notCode, notCode
	return e
}

func plainEntries() (e [lensCodes]uint32) {
	for i := range e {
		e[i] = uint32(i) << 16
	}
	return e
}

// code is a Huffman code: how many symbols have each length, and the symbols
// in the order of their codes.
type code struct {
	count  [maxBits + 1]uint16
	used   uint // how many symbols there are
	sorted [288]uint16
}

// set makes the code that has these lengths, and reports whether zlib accepts
// it: each pattern of bits is a symbol's, or there is one symbol, of one bit,
// or none.
func (c *code) set(lens []uint8) bool {
	c.count = [maxBits + 1]uint16{}
	for _, n := range lens {
		c.count[n&maxBits]++
	}
	var at [maxBits + 2]uint16
	left := 1
	for n := 1; n <= maxBits; n++ {
		left = left<<1 - int(c.count[n])
		if left < 0 {
			return false
		}
		at[n+1] = at[n] + c.count[n]
	}
	c.used = uint(at[maxBits+1])
	if left > 0 && c.used > 0 && (c.used > 1 || c.count[1] != 1) {
		return false
	}
	for sym, n := range lens {
		if n != 0 {
			c.sorted[at[n&maxBits]] = uint16(sym)
			at[n&maxBits]++
		}
	}
	return true
}

// entry adds a code's bits to its symbol's entry.
func entry(e uint32, n uint32) uint32 {
	if e&(literal|special) != 0 {
		return e + n
	}
	return e + n<<8 + n
}

// fill writes the table of a code, and returns how much of it is used. table
// must hold it: see the sizes above.
func (c *code) fill(table []uint32, entries []uint32, index uint) int {
	if c.used <= 1 {
		return c.fillOne(table, entries, index)
	}
	var word, i uint // a code, its first bit lowest, and the number of its symbol
	n := uint(1)
	end := uint(2)
	for ; n <= index; n++ {
		for range c.count[n] {
			table[word] = entry(entries[c.sorted[i]], uint32(n))
			word = next(word, n)
			i++
		}
		if n < index {
			copy(table[end:2*end], table[:end])
			end *= 2
		}
	}
	if i < c.used {
		end = c.fillLong(table, entries, index, word, i)
	}
	return int(end)
}

// fillLong makes the subtables, for the codes that are longer than the index.
func (c *code) fillLong(table, entries []uint32, index, word, i uint) (end uint) {
	end = 1 << index
	mask := end - 1
	prefix, start := end, uint(0)
	for n := index + 1; n <= maxBits; n++ {
		for left := uint(c.count[n]); left > 0; left-- {
			if word&mask != prefix {
				prefix, start = word&mask, end
				size := c.subtable(n-index, index, left)
				end += 1 << size
				table[prefix] = uint32(start<<16 | special | size<<8 | index)
			}
			e := entry(entries[c.sorted[i]], uint32(n-index))
			for j := start + word>>index; j < end; j += 1 << (n - index) {
				table[j] = e
			}
			word = next(word, n)
			i++
		}
	}
	return end
}

// subtable returns the index bits of the subtable in which a code of size bits
// after the index is the first; left are those of this length to come.
func (c *code) subtable(size, index, left uint) uint {
	for used := left; used < 1<<size && index+size < maxBits; {
		size++
		used = used<<1 + uint(c.count[index+size])
	}
	return size
}

// fillOne makes the table of a code that does not use all patterns.
func (c *code) fillOne(table []uint32, entries []uint32, index uint) int {
	table = table[:1<<index]
	for i := range table {
		table[i] = notCode
	}
	if c.used == 1 {
		e := entry(entries[c.sorted[0]], 1)
		for i := 0; i < len(table); i += 2 {
			table[i] = e
		}
	}
	return len(table)
}

// next returns the code of n bits that follows word, which is not shorter; all
// ones are followed by themselves.
func next(word, n uint) uint {
	zeros := word ^ (1<<n - 1)
	if zeros == 0 {
		return word
	}
	bit := uint(1) << (bits.Len(zeros) - 1)
	return word&(bit-1) | bit
}

// fixedCodes makes the tables of RFC 1951, 3.2.6, unless they are there.
func (d *Decoder) fixedCodes() {
	if d.fixed {
		return
	}
	var lens [288]uint8
	for i := range lens {
		switch {
		case i < 144:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		case i < 280:
			lens[i] = 7
		default:
			lens[i] = 8
		}
	}
	d.order.set(lens[:])
	d.order.fill(d.lit[:], litEntries[:], litBits)
	for i := range 32 {
		lens[i] = 5
	}
	d.order.set(lens[:32])
	d.order.fill(d.dist[:], distEntries[:], distBits)
	d.fixed = true
}

// dynamicCodes reads the codes of a block and makes their tables.
func (d *Decoder) dynamicCodes() error {
	head, ok := d.take(14)
	if !ok {
		return d.fail(ErrTruncated, "numbers of codes")
	}
	lits, dists := 257+head&31, 1+head>>5&31
	if lits > litCodes || dists > distCodes {
		return d.fail(ErrCorrupt, "numbers of codes")
	}
	if err := d.metaCode(4 + head>>10); err != nil {
		return err
	}
	if err := d.lengths(lits + dists); err != nil {
		return err
	}
	d.fixed = false
	if d.lens[256] == 0 || !d.order.set(d.lens[:lits]) {
		return d.fail(ErrCorrupt, "code of literals and lengths")
	}
	d.order.fill(d.lit[:], litEntries[:], litBits)
	if !d.order.set(d.lens[lits : lits+dists]) {
		return d.fail(ErrCorrupt, "code of distances")
	}
	d.order.fill(d.dist[:], distEntries[:], distBits)
	return nil
}

// lensOrder is the order in which the lengths of the meta code are written.
var lensOrder = [lensCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// metaCode reads the code in which the lengths of the others are written. Of
// the codes that are no more than one symbol none can write a valid block.
func (d *Decoder) metaCode(n uint) error {
	var lens [lensCodes]uint8
	for _, sym := range lensOrder[:n] {
		v, ok := d.take(3)
		if !ok {
			return d.fail(ErrTruncated, "code of code lengths")
		}
		lens[sym] = uint8(v)
	}
	if !d.order.set(lens[:]) || d.order.used < 2 {
		return d.fail(ErrCorrupt, "code of code lengths")
	}
	d.order.fill(d.meta[:], lensEntries[:], lensBits)
	return nil
}

// lengths reads the lengths of n codes.
func (d *Decoder) lengths(n uint) error {
	for i := uint(0); i < n; {
		e, _, ok := d.lookup(d.meta[:], lensBits)
		if !ok {
			return d.fail(ErrTruncated, "code lengths")
		}
		sym := uint8(e >> 16)
		if sym < 16 {
			d.lens[i] = sym
			i++
			continue
		}
		times, ok := d.repeat(sym)
		switch {
		case !ok:
			return d.fail(ErrTruncated, "code lengths")
		case times > n-i || sym == 16 && i == 0:
			return d.fail(ErrCorrupt, "code lengths")
		}
		var value uint8
		if sym == 16 {
			value = d.lens[i-1]
		}
		for range times {
			d.lens[i] = value
			i++
		}
	}
	return nil
}

// repeat returns how often 16, 17 or 18 repeats.
func (d *Decoder) repeat(sym uint8) (times uint, ok bool) {
	base, extra := uint(3), uint(2)
	switch sym {
	case 17:
		extra = 3
	case 18:
		base, extra = 11, 7
	}
	times, ok = d.take(extra)
	return base + times, ok
}
