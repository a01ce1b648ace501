package deflate

const (
	maxSymbols = 1 << 15 // of a block
	checkEvery = 512     // symbols, after which a block may end
	minBlock   = 5000    // bytes; the codes of shorter ones cost more than they save
	seenKinds  = 16      // 10 occur
)

// block is the block at hand.
type block struct {
	syms  [maxSymbols]uint32 // distance<<8 | length-3, or a literal byte
	count int
	check int // at which count to look at the symbols
	seen  int // symbols that were counted
	start int // position in text at which it begins

	lit, dist code
	lens      code

	runList               []run // what says the sizes of both codes
	runBuf                [litSyms + distSyms]run
	lits, dists, lenCount int

	old, new [seenKinds]uint32 // symbols of each kind: before the last ones, the last ones
	olds     uint32            // sum of old
}

func (b *block) begin(at int) {
	b.start = at
	b.count, b.seen, b.check, b.olds = 0, 0, checkEvery, 0
	b.old, b.new = [seenKinds]uint32{}, [seenKinds]uint32{}
	b.lit.freq, b.dist.freq = [maxSyms]uint32{}, [maxSyms]uint32{}
}

// tally adds a symbol, after which the text is coded up to pos.
func (e *Encoder) tally(sym uint32, pos int) {
	e.syms[uint(e.count)%maxSymbols] = sym
	e.count++
	if e.count == e.check {
		e.look(pos)
	}
}

// look counts the last symbols, and ends the block where they are of other kinds than
// those before.
func (e *Encoder) look(pos int) {
	e.countSymbols()
	if e.count == maxSymbols || pos-e.start >= minBlock && e.filled-pos >= minBlock && e.differs(pos-e.start) {
		e.flush(pos, false)
		return
	}
	if e.check = e.count + checkEvery; pos-e.start < minBlock {
		return // goes on with the same last ones
	}
	for i, n := range e.new {
		e.old[i] += n
		e.olds += n
	}
	e.new = [seenKinds]uint32{}
}

// countSymbols counts those since the last call.
func (b *block) countSymbols() {
	for _, s := range b.syms[b.seen:b.count] {
		if s < 256 {
			b.lit.freq[s]++
			b.new[s>>5&6|s&1]++
			continue
		}
		b.lit.freq[symbolOf[s&255]]++
		b.new[kindOf[s&255]]++
		b.dist.freq[distCode(s>>8-1)]++
	}
	b.seen = b.count
}

// differs reports whether the last symbols are of other kinds than those before.
func (b *block) differs(size int) bool {
	if b.olds == 0 {
		return false
	}
	news := uint32(0)
	for _, n := range b.new {
		news += n
	}
	sum := uint32(0)
	for i, n := range b.new {
		sum += absDiff(b.old[i]*news, n*b.olds)
	}
	limit := news * 200 / 512 * b.olds
	if all := b.olds + news; size < 10000 && all < 8192 {
		limit += uint32(uint64(limit) * uint64(8192-all) / 8192)
	}
	return sum+uint32(size/4096)*b.olds >= limit
}

func absDiff(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// flush writes the block, which ends at a position, as the kind that is smallest.
func (e *Encoder) flush(pos int, last bool) {
	e.countSymbols()
	e.lit.freq[endOfBlock]++
	e.lit.build(litSyms, maxBits)
	e.dist.build(distSyms, maxBits)
	dynamic, fixed := e.treeSize(), 3 // bits
	for s, n := range e.lit.freq[:litSyms] {
		extra := 0
		if s >= firstLength {
			extra = int(lengthExtra[s-firstLength])
		}
		dynamic += int(n) * (int(e.lit.size[s]) + extra)
		fixed += int(n) * (int(fixedLit.size[s]) + extra)
	}
	for s, n := range e.dist.freq[:distSyms] {
		dynamic += int(n) * (int(e.dist.size[s]) + int(distExtra[s]))
		fixed += int(n) * (5 + int(distExtra[s]))
	}
	raw := pos - e.start
	switch stored := 8*raw + 42*(raw/65535+1); {
	case stored <= min(dynamic, fixed):
		e.w.stored(e.text[e.start:pos], last)
	case fixed <= dynamic:
		e.w.header(1, last)
		e.w.symbols(e.syms[:e.count], &fixedLit, &fixedDist, fixed)
	default:
		e.w.header(2, last)
		e.writeTrees()
		e.w.symbols(e.syms[:e.count], &e.lit, &e.dist, dynamic)
	}
	if last {
		e.w.align()
	}
	e.begin(pos)
}

// run is a symbol of the sizes of codes, with extra bits.
type run struct {
	sym, extra uint8
}

var runBits = [lenSyms]uint8{16: 2, 17: 3, 18: 7}

// runs returns the sizes of both codes as symbols, and how many of each code they have.
func (e *Encoder) runs() (all []run, lits, dists int) {
	for lits = litSyms; lits > 257 && e.lit.size[lits-1] == 0; lits-- {
	}
	for dists = distSyms; dists > 1 && e.dist.size[dists-1] == 0; dists-- {
	}
	var sizes [litSyms + distSyms]uint8
	n := copy(sizes[:], e.lit.size[:lits])
	n += copy(sizes[n:], e.dist.size[:dists])
	all = e.runBuf[:0]
	for i := 0; i < n; {
		s, from := sizes[i], i
		for i++; i < n && sizes[i] == s; i++ {
		}
		left := i - from
		if s == 0 {
			for ; left >= 11; left -= min(left, 138) {
				all = append(all, run{18, uint8(min(left, 138) - 11)})
			}
			if left >= 3 {
				all = append(all, run{17, uint8(left - 3)})
				left = 0
			}
		} else if left >= 4 {
			all = append(all, run{sym: s})
			for left--; left >= 3; left -= min(left, 6) {
				all = append(all, run{16, uint8(min(left, 6) - 3)})
			}
		}
		for range left {
			all = append(all, run{sym: s})
		}
	}
	return all, lits, dists
}

// treeSize prepares the codes of codes and returns how many bits writeTrees takes.
func (e *Encoder) treeSize() int {
	e.runList, e.lits, e.dists = e.runs()
	e.lens.freq = [maxSyms]uint32{}
	for _, r := range e.runList {
		e.lens.freq[r.sym]++
	}
	e.lens.build(lenSyms, maxLenBits)
	for e.lenCount = lenSyms; e.lenCount > 4 && e.lens.size[lenOrder[e.lenCount-1]] == 0; e.lenCount-- {
	}
	size := 3 + 5 + 5 + 4 + 3*e.lenCount
	for s, n := range e.lens.freq[:lenSyms] {
		size += int(n) * int(e.lens.size[s]+runBits[s])
	}
	return size
}

// writeTrees writes the codes of a block.
func (e *Encoder) writeTrees() {
	e.w.write(uint32(e.lits-257), 5)
	e.w.write(uint32(e.dists-1), 5)
	e.w.write(uint32(e.lenCount-4), 4)
	for _, s := range lenOrder[:e.lenCount] {
		e.w.write(uint32(e.lens.size[s]), 3)
	}
	for _, r := range e.runList {
		e.w.write(uint32(e.lens.word[r.sym]), uint(e.lens.size[r.sym]))
		e.w.write(uint32(r.extra), uint(runBits[r.sym]))
	}
}
