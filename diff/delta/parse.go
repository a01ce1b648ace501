package delta

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

const (
	maxBlock = 2048 // positions that are weighed against each other
	maxNice  = 96   // the longest match that is weighed
	minFresh = 3    // bytes that a new reference is worth
	infinite = 1<<32 - 1
)

// effort is how much is tried for a content.
type effort struct {
	nice    int  // a match of this length is taken without weighing
	enough  int  // one of this length is not looked further for
	depth   int  // places with the same 4 bytes that are looked at
	near    bool // in the old content too
	deep    bool // and in the tree of what was seen
	repeats int  // how many of the last references are tried
	leap    bool // nothing is looked for inside of what a reference at hand has
	ends    int  // bytes at either end of a long match that are learned
}

// The greatest effort is made anyhow for contents of up to smallContent bytes
// together with their old ones, as long as they are no more than smallContents in
// a stream: what it takes is not noticed, and small patches gain the most.
const (
	smallContent  = 256 << 10
	smallContents = 8 << 20
)

// choose sets the effort for the content at hand. The lesser one hardly costs size: of
// contents of a re-cooked build, 54 MB, the greatest gives 1,291 KB in 16 s, and it
// 1,334 KB in 3. Where the last reference goes on behind a few bytes, looking for
// others made these patches larger, by 2 %, not smaller: what the mixed estimates of literals
// learn there is worth more than a reference that is a few bytes longer.
func (e *Encoder) choose() {
	n := len(e.x.old) + len(e.new)
	small := n <= smallContent && e.spent+n <= smallContents
	if small {
		e.spent += n
	}
	if small || e.Best {
		e.effort = effort{nice: maxNice, enough: maxNice, depth: 24, repeats: len(e.refs), near: true, ends: 64}
		if e.Best {
			e.depth, e.deep = 96, true
			e.tree.plant()
		}
		return
	}
	e.effort = effort{nice: 32, enough: 6, depth: 1, repeats: 2, leap: true, ends: 16}
}

// node is the cheapest known way to a position of a block.
type node struct {
	price uint32
	step        // the last one
	from  int32 // where it started
	trail       // behind it
}

// block chooses the steps from pos on, puts them, and returns the position
// behind them. It is a shortest path: each position is reached from those
// before it by every literal and reference that leads there. It ends where all
// ways meet, or where a match is long enough.
func (e *Encoder) block(pos int) int {
	first := &e.nodes[0]
	first.price, first.trail = 0, e.trail
	e.far, e.leapTo, e.from = 0, 0, pos
	for i := 0; ; i++ {
		if i > 0 {
			e.visit(i)
			if i == e.far || i == maxBlock-1 || pos+i == e.stop {
				return e.commit(pos, e.beyond(i))
			}
			if i < e.leapTo {
				continue
			}
		}
		e.learnTo(e.at + pos + i)
		if s, ok := e.relax(pos, i); ok {
			pos = e.put(e.commit(pos, i), s)
			e.learn(pos)
			return pos
		}
	}
}

// beyond returns the node to end a block at that has no more than the way to node i
// and leads furthest: a run is not cut where a block happens to end.
func (e *Encoder) beyond(i int) int {
	for k := i + 1; k <= e.far; k++ {
		if e.nodes[k].price <= e.nodes[i].price {
			i = k
		}
	}
	return i
}

// visit computes what is known behind the last step to i.
func (e *Encoder) visit(i int) {
	n := &e.nodes[i]
	from := &e.nodes[n.from]
	n.trail = from.trail
	switch n.kind {
	case literal:
		n.trail.literal()
		return
	case short:
		n.state = afterShort(n.state)
	case fresh:
		n.state = afterMatch(n.state)
		n.push(n.to)
	default:
		n.state = afterRepeat(n.state)
		n.use(int(n.kind - repeat))
	}
	n.matched(e.from+i, n.n, n.state)
}

// commit puts the steps that lead to node i and returns its position.
func (e *Encoder) commit(pos, i int) int {
	e.path = e.path[:0]
	for ; i > 0; i = int(e.nodes[i].from) {
		e.path = append(e.path, e.nodes[i].step)
	}
	for k := len(e.path) - 1; k >= 0; k-- {
		pos = e.put(pos, e.path[k])
	}
	return pos
}

// reach offers a way of n bytes from node i.
func (e *Encoder) reach(i, n int, price uint32, s step) {
	for e.far < i+n {
		e.far++
		e.nodes[e.far].price = infinite
	}
	if to := &e.nodes[i+n]; price < to.price {
		s.n = int32(n)
		to.price, to.step, to.from = price, s, int32(i)
	}
}

// stop is a node whose ways on are looked for.
type stop struct {
	*node
	i     int    // its index
	at    int    // its position in the content
	align int    // of the position
	limit int    // the longest way that stays within the content
	match uint32 // price of getting here and then of a reference
	best  int    // longest repeated match
}

// relax offers all ways on from node i. It returns a step that is so long that
// nothing else need be weighed.
func (e *Encoder) relax(pos, i int) (long step, found bool) {
	n := &e.nodes[i]
	s := stop{node: n, i: i, at: pos + i, align: (pos + i) % posStates}
	s.limit = len(e.new) - s.at
	s.match = n.price + e.match.state[n.state][s.align].price1()
	for r := range n.refs[:e.repeats] {
		if have := e.relaxRepeat(&s, r); have >= e.nice {
			return step{kind: uint8(repeat + r), n: int32(have)}, true
		}
	}
	e.reach(i, 1, n.price+e.match.state[n.state][s.align].price0()+e.literalPrice(&s), step{kind: literal})
	if len(e.new)-s.at < 4 || e.resumes(n.refs[0], s.at) {
		return step{}, false
	}
	if s.best >= e.enough {
		if e.leap {
			e.leapTo = i + s.best - 1
		}
		return step{}, false
	}
	if long = e.relaxLocal(&s); long.n == 0 && e.near {
		long = e.relaxNear(&s)
	}
	if long.n == 0 && s.best < e.enough {
		long = e.relaxFar(&s)
	}
	if long.n == 0 && s.best < e.enough {
		if e.deep {
			long = e.relaxMet(&s)
		} else {
			long = e.relaxSeen(&s)
		}
	}
	return long, long.n > 0
}

// relaxRepeat offers reference r and returns how many bytes it gives.
func (e *Encoder) relaxRepeat(s *stop, r int) int {
	have := e.matchLen(s.refs[r], s.at)
	if have >= e.nice || have == 0 {
		return have
	}
	price := s.match + e.repeat.state[s.state][s.align].price1()
	if r == 0 {
		e.reach(s.i, 1, price+e.repeat0.state[s.state][s.align].price0()+e.long.state[s.state][s.align].price0(), step{kind: short})
	}
	price += e.repeatPrice(s.state, s.align, r)
	for m := minMatch; m <= min(have, s.limit); m++ {
		e.reach(s.i, m, price+e.lengths[1][s.align][m], step{kind: uint8(repeat + r)})
	}
	s.best = max(s.best, have)
	return have
}

func (e *Encoder) repeatPrice(s uint8, k, r int) uint32 {
	if r == 0 {
		return e.repeat0.state[s][k].price0() + e.long.state[s][k].price1()
	}
	p := e.repeat0.state[s][k].price1()
	if r == 1 {
		return p + e.repeat1[s].price0()
	}
	return p + e.repeat1[s].price1() + e.repeat2[s].price(uint32(r-2))
}

// relaxFresh offers a new reference of a known price. It returns a step when
// that is long enough.
func (e *Encoder) relaxFresh(s *stop, r ref, from, have int, price uint32) step {
	if have >= e.nice {
		return step{kind: fresh, n: int32(have), to: r}
	}
	s.best = max(s.best, have)
	price += s.match + e.repeat.state[s.state][s.align].price0() + e.models.old[isOld(s.refs[0])][s.few].price(isOld(r))
	for m := from; m <= min(have, s.limit); m++ {
		e.reach(s.i, m, price+e.lengths[0][s.align][m], step{kind: fresh, to: r})
	}
	return step{}
}

// relaxOld offers old[q:] unless it is shorter than what is known.
func (e *Encoder) relaxOld(s *stop, q, have int) step {
	r := ref{true, int64(q - s.at)}
	_, price := e.oldWay(&s.trail, int64(s.at), r.shift)
	return e.relaxFresh(s, r, minFresh, have, price)
}

// local is how far behind the end of the last reference to the old content is
// looked for where it goes on.
const local = 128

// relaxLocal offers what stands behind the end of the last reference to the old
// content, and what the one before it has.
func (e *Encoder) relaxLocal(s *stop) step {
	p, old := e.new[s.at:], e.x.old
	for _, q := range [2]int64{int64(s.end) + s.shift, int64(s.at) + s.prior} {
		if q < 0 || q >= int64(len(old)) || q == int64(s.at)+s.shift {
			continue
		}
		if have := common(p, old[q:]); have >= minFresh && have > s.best {
			if long := e.relaxOld(s, int(q), have); long.n > 0 {
				return long
			}
		}
	}
	q := int64(s.end) + s.shift
	if q < 0 || q >= int64(len(old)) {
		return step{}
	}
	to := min(q+local, int64(len(old)))
	if k := bytes.Index(old[q:to], p[:4]); k > 0 {
		if have := common(p, old[int(q)+k:]); have > s.best {
			return e.relaxOld(s, int(q)+k, have)
		}
	}
	return step{}
}

// relaxFar offers what the windows of the old content have.
func (e *Encoder) relaxFar(s *stop) step {
	q := e.x.findFar(e.new[s.at:])
	if q < 0 {
		return step{}
	}
	if have := common(e.new[s.at:], e.x.old[q:]); have >= window && have > s.best {
		return e.relaxOld(s, q, have)
	}
	return step{}
}

// relaxNear offers places of a small old content, longer and longer ones.
func (e *Encoder) relaxNear(s *stop) step {
	e.x.indexNear()
	p, top := e.new[s.at:], max(s.best, minFresh)
	want, differ := rest(p)<<rowBits, differing(top)
	for _, q := range e.x.near.find(e.x.old, p, e.depth) {
		if (q^want)&differ != 0 {
			continue
		}
		at := int(q & (1<<rowBits - 1))
		if have := longer(p, e.x.old[at:], top); have > top {
			if long := e.relaxOld(s, at, have); long.n > 0 {
				return long
			}
			top, differ = have, differing(have)
		}
	}
	return step{}
}

// relaxSeen offers places in the history, longer and longer ones.
func (e *Encoder) relaxSeen(s *stop) step {
	p, top, here := e.new[s.at:], max(s.best, minFresh), e.at+s.at
	q, tag := e.chains.first(p)
	for d := e.depth; q > 0 && d > 0; d-- {
		at := here - 1 - (here-int(q>>tagBits))&placeMask
		if here-at >= maxWindow || at < e.start {
			break
		}
		if q&(1<<tagBits-1) == tag {
			if have := longer(p, e.buf[at-e.start:], top); have > top {
				price := e.distanceOf(have).price(uint64(here - at - 1))
				if long := e.relaxFresh(s, ref{false, int64(at - here)}, minFresh, have, price); long.n > 0 {
					return long
				}
				top = have
			}
		}
		q = e.chains.links[at%len(e.chains.links)]
	}
	return step{}
}

// relaxMet offers places in the history that the tree knows: for each length the one
// that was met first, which is the last.
func (e *Encoder) relaxMet(s *stop) step {
	here := e.at + s.at
	if here < e.grown {
		return step{}
	}
	e.met, e.grown = e.tree.add(&e.history, here, e.met[:0]), here+1
	from := minFresh
	for _, m := range e.met {
		if m.n == maxNice {
			m.n = common(e.new[s.at:], e.buf[here-m.back-e.start:])
		}
		if m.n <= s.best {
			continue
		}
		price := e.distanceOf(m.n).price(uint64(m.back - 1))
		if long := e.relaxFresh(s, ref{false, int64(-m.back)}, from, m.n, price); long.n > 0 {
			return long
		}
		from = m.n + 1
	}
	return step{}
}

// literalPrices are the highest of a literal, by how many stand before it, where not much
// effort is made: to mix the estimates for each byte that might become a literal takes
// longer than to code those that do. Bytes that most literals are of late, as spaces or
// zeros that were inserted, are cheaper, and so is what the last literals foresee: numbers
// in a table that grew by the same.
var literalPrices = [4]uint32{3 * bitPrice, 4 * bitPrice, 4 * bitPrice, 6 * bitPrice}

// literalPrice is about that of the byte at s: what has been learned when the block
// is coded may be something else.
func (e *Encoder) literalPrice(s *stop) uint32 {
	if e.leap {
		p := min(literalPrices[s.few], e.costs[min(s.few, 1)].prices[e.new[s.at]])
		if behindMatch(s.state) < 3 && p > bitPrice {
			if x := e.place(&s.trail, s.at); e.models.literals.foresees(&x, e.new[s.at]) {
				p = bitPrice
			}
		}
		return p
	}
	x := e.place(&s.trail, s.at)
	return e.models.literals.price(&x, e.new[s.at])
}

// skipped is how many bytes may differ where a reference is taken for one that goes on.
const skipped = 4

// resumes reports that a reference to the old content has the bytes behind the
// next few: nothing better need be looked for. Runs of one byte, which stand
// everywhere, do not tell.
func (e *Encoder) resumes(r ref, pos int) bool {
	p := int64(pos) + r.shift + skipped
	if !r.old || p < skipped || p+8 > int64(len(e.x.old)) || pos+skipped+8 > len(e.new) {
		return false
	}
	v := binary.LittleEndian.Uint64(e.new[pos+skipped:])
	return v == binary.LittleEndian.Uint64(e.x.old[p:]) && v != bits.RotateLeft64(v, 8)
}
