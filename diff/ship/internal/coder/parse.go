package coder

import (
	"bytes"
	"slices"
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

// node is the cheapest known way to a position of a block.
type node struct {
	price uint32
	step        // the last one
	from  int32 // where it started
	trail       // after it
}

// parser chooses the steps by which a content is coded. It prices them by what the
// models have learned, and changes nothing of these.
type parser struct {
	effort
	models *models
	text   text
	seen   finder
	prices stepPrices
	nodes  []node
	path   []step
	room   []byte // what corrections are made of
	far    int    // last node of the block that a way leads to
	leapTo int    // nodes before it are not looked from
	from   int    // position of the first node
}

// reset begins with a new stream, which models learn from.
func (p *parser) reset(m *models) {
	p.models = m
	p.text.reset()
	p.seen.reset()
	p.prices.reset()
	if p.nodes == nil {
		p.nodes = make([]node, maxBlock+maxNice)
	}
}

// begin goes on with a content.
func (p *parser) begin(new []byte, old *Index, how effort) {
	p.effort = how
	p.text.begin(new, old)
	p.seen.deep = how.deep
	p.seen.begin(p.text.end())
}

// learn makes the bytes of the content before pos findable.
func (p *parser) learn(pos int) { p.seen.learn(&p.text.history, p.text.at+pos, p.ends) }

// choose returns the steps of a block from pos on, which ends at stop unless a run
// passes it, and whether the last one was so long that nothing was weighed. It is a
// shortest path: each position is reached from those before it by every literal and
// reference that leads there. It ends where all ways meet, or where a match is long
// enough. The steps are valid until the next call.
func (p *parser) choose(pos, stop int) (steps []step, long bool) {
	first := &p.nodes[0]
	first.price, first.trail = 0, p.models.trail
	p.far, p.leapTo, p.from = 0, 0, pos
	for i := 0; ; i++ {
		if i > 0 {
			known := p.nodes[i].price < infinite // no corrected step passes over it
			if known {
				p.visit(i)
			}
			if i == p.far || i == maxBlock-1 || pos+i == stop {
				return p.wayTo(p.beyond(i)), false
			}
			if i < p.leapTo || !known {
				continue
			}
		}
		p.seen.learnTo(&p.text.history, p.text.at+pos+i)
		if s, ok := p.relax(pos, i); ok {
			return append(p.wayTo(i), s), true
		}
	}
}

// beyond returns the node to end a block at that has no more than the way to node i
// and leads furthest: a run is not cut where a block happens to end.
func (p *parser) beyond(i int) int {
	for k := i + 1; k <= p.far; k++ {
		if p.nodes[k].price <= p.nodes[i].price {
			i = k
		}
	}
	return i
}

// visit computes what is known after the last step to i.
//
//go:norace
func (p *parser) visit(i int) {
	n := &p.nodes[i]
	from := &p.nodes[n.from]
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
	n.matched(p.from+i, n.n, n.state)
}

// wayTo returns the steps that lead to node i.
func (p *parser) wayTo(i int) []step {
	p.path = p.path[:0]
	for ; i > 0; i = int(p.nodes[i].from) {
		p.path = append(p.path, p.nodes[i].step)
	}
	slices.Reverse(p.path)
	return p.path
}

// reach offers a way of n bytes from node i.
//
//go:norace
func (p *parser) reach(i, n int, price uint32, s step) {
	for p.far < i+n {
		p.far++
		p.nodes[p.far].price = infinite
	}
	if to := &p.nodes[i+n]; price < to.price {
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
//
//go:norace
func (p *parser) relax(pos, i int) (long step, found bool) {
	n := &p.nodes[i]
	s := stop{node: n, i: i, at: pos + i, align: (pos + i) % posStates}
	s.limit = len(p.text.new) - s.at
	s.match = n.price + p.models.match.state[n.state][s.align].price1()
	if long = p.relaxReferences(&s); long.n > 0 {
		return long, true
	}
	price := uint32(0)
	if p.far > 0 { // else there is no other way, as at most bytes of noise
		price = n.price + p.models.match.state[n.state][s.align].price0() + p.literalPrice(&s)
	}
	p.reach(i, 1, price, step{kind: literal})
	return step{}, false
}

// relaxReferences offers all references. It returns a step when one is long enough.
//
//go:norace
func (p *parser) relaxReferences(s *stop) (long step) {
	for r := range s.refs[:p.repeats] {
		if long = p.relaxRepeat(s, r); long.n > 0 {
			return long
		}
	}
	if len(p.text.new)-s.at < 4 || p.text.resumes(s.refs[0], s.at) {
		return step{}
	}
	if s.best >= p.enough {
		if p.leap {
			p.leapTo = s.i + s.best - 1
		}
		return step{}
	}
	all := false // of what the old content has was looked at
	if long = p.relaxLocal(s); long.n == 0 && p.near {
		long, all = p.relaxNear(s)
	}
	if long.n == 0 && s.best < p.enough && !all {
		long = p.relaxFar(s)
	}
	if long.n == 0 && s.best < p.enough {
		if p.deep {
			long = p.relaxMet(s)
		} else {
			long = p.relaxSeen(s)
		}
	}
	return long
}

// relaxRepeat offers reference r. It returns a step when that is long enough.
//
//go:norace
func (p *parser) relaxRepeat(s *stop, r int) step {
	have := p.text.matchLen(s.refs[r], s.at)
	all := p.corrected(s.refs[r], s.at, have, len(p.text.new))
	if all == 0 {
		return step{}
	}
	if all >= p.nice {
		return step{kind: uint8(repeat + r), n: int32(all), corrected: all > have}
	}
	price := s.match + p.models.repeat.state[s.state][s.align].price1()
	if r == 0 && have > 0 {
		p.reach(s.i, 1, price+p.models.repeat0.state[s.state][s.align].price0()+p.models.long.state[s.state][s.align].price0(), step{kind: short})
	}
	price += p.repeatPrice(s.state, s.align, r)
	for m := minMatch; m <= min(have, s.limit); m++ {
		p.reach(s.i, m, price+p.prices.lengths[1][s.align][m], step{kind: uint8(repeat + r)})
	}
	if all > max(have, 1) {
		p.reach(s.i, all, price+p.prices.lengths[1][s.align][all]+flagPrice, step{kind: uint8(repeat + r), corrected: true})
	}
	s.best = max(s.best, all)
	return step{}
}

// flagPrice is about what the flags of a corrected step cost.
const flagPrice = 2 * bitPrice

// corrected returns how many bytes from pos on, up to end, a reference gives if it is corrected. It
// gives the first n as it is.
func (p *parser) corrected(r ref, pos, n, end int) int {
	t := &p.text
	for r.old && p.models.corrections.known {
		at, q := pos+n, int64(pos+n)+r.shift
		if at >= end || q < 0 || q >= int64(len(t.old.old)) {
			break
		}
		k := p.models.corrections.fits(t.margins(&p.room, at, at, r.shift), t.new[at:end])
		if k == 0 || q+int64(k) > int64(len(t.old.old)) {
			break
		}
		n += k + common(t.new[at+k:end], t.old.old[q+int64(k):])
	}
	return n
}

// cut returns a corrected step as far as it still goes: corrections were learned after it was chosen.
func (p *parser) cut(pos int, s step) step {
	r := s.to
	if s.kind < fresh {
		r = p.models.refs[s.kind-repeat]
	}
	have := min(p.text.matchLen(r, pos), int(s.n))
	s.n = int32(p.corrected(r, pos, have, pos+int(s.n)))
	s.corrected = int(s.n) > have
	if s.n < minMatch {
		return step{kind: literal, n: 1}
	}
	return s
}

//go:norace
func (p *parser) repeatPrice(s uint8, k, r int) uint32 {
	if r == 0 {
		return p.models.repeat0.state[s][k].price0() + p.models.long.state[s][k].price1()
	}
	price := p.models.repeat0.state[s][k].price1()
	if r == 1 {
		return price + p.models.repeat1[s].price0()
	}
	return price + p.models.repeat1[s].price1() + p.models.repeat2[s].price(uint32(r-2))
}

// relaxFresh offers a new reference of a known price. It returns a step when
// that is long enough.
//
//go:norace
func (p *parser) relaxFresh(s *stop, r ref, from, have int, price uint32) step {
	all := p.corrected(r, s.at, have, len(p.text.new))
	if all >= p.nice {
		return step{kind: fresh, n: int32(all), to: r, corrected: all > have}
	}
	s.best = max(s.best, all)
	price += s.match + p.models.repeat.state[s.state][s.align].price0() + p.models.old[isOld(s.refs[0])][s.few].price(isOld(r))
	for m := from; m <= min(have, s.limit); m++ {
		p.reach(s.i, m, price+p.prices.lengths[0][s.align][m], step{kind: fresh, to: r})
	}
	if all > have {
		p.reach(s.i, all, price+p.prices.lengths[0][s.align][all]+flagPrice, step{kind: fresh, to: r, corrected: true})
	}
	return step{}
}

// relaxOld offers old[q:] unless it is shorter than what is known.
//
//go:norace
func (p *parser) relaxOld(s *stop, q, have int) step {
	r := ref{true, int64(q - s.at)}
	_, price := p.models.oldWay(&s.trail, int64(s.at), r.shift)
	return p.relaxFresh(s, r, minFresh, have, price)
}

// local is how far after the end of the last reference to the old content is
// looked for where it goes on.
const local = 128

// relaxLocal offers what is after the end of the last reference to the old
// content, and what the one before it has.
func (p *parser) relaxLocal(s *stop) step {
	content, old := p.text.new[s.at:], p.text.old.old
	for _, q := range [2]int64{int64(s.end) + s.shift, int64(s.at) + s.prior} {
		if q < 0 || q >= int64(len(old)) || q == int64(s.at)+s.shift {
			continue
		}
		if have := common(content, old[q:]); have >= minFresh && have > s.best {
			if long := p.relaxOld(s, int(q), have); long.n > 0 {
				return long
			}
		}
	}
	q := int64(s.end) + s.shift
	if q < 0 || q >= int64(len(old)) {
		return step{}
	}
	to := min(q+local, int64(len(old)))
	if k := bytes.Index(old[q:to], content[:4]); k > 0 {
		if have := common(content, old[int(q)+k:]); have > s.best {
			return p.relaxOld(s, int(q)+k, have)
		}
	}
	return step{}
}

// relaxFar offers what the windows of the old content have.
//
//go:norace
func (p *parser) relaxFar(s *stop) step {
	q := p.text.old.findFar(p.text.new[s.at:])
	if q < 0 {
		return step{}
	}
	if have := common(p.text.new[s.at:], p.text.old.old[q:]); have >= window && have > s.best {
		return p.relaxOld(s, q, have)
	}
	return step{}
}

// relaxNear offers places of a small old content, longer and longer ones, and reports
// whether these were all that have 4 bytes.
func (p *parser) relaxNear(s *stop) (long step, all bool) {
	if !p.text.old.indexNear() {
		return step{}, false
	}
	content, top := p.text.new[s.at:], max(s.best, minFresh)
	want, differ := rest(content)<<rowBits, differing(top)
	places, all := p.text.old.near.find(p.text.old.old, content, p.depth)
	for _, q := range places {
		if (q^want)&differ != 0 {
			continue
		}
		at := int(q & (1<<rowBits - 1))
		if have := longer(content, p.text.old.old[at:], top); have > top {
			if long := p.relaxOld(s, at, have); long.n > 0 {
				return long, all
			}
			top, differ = have, differing(have)
		}
	}
	return step{}, all
}

// relaxSeen offers places in the history, longer and longer ones.
//
//go:norace
func (p *parser) relaxSeen(s *stop) step {
	content, top, here := p.text.new[s.at:], max(s.best, minFresh), p.text.at+s.at
	q, tag := p.seen.chains.first(content)
	for d := p.depth; q > 0 && d > 0; d-- {
		at := here - 1 - (here-int(q>>tagBits))&placeMask
		if here-at >= maxWindow || at < p.text.start {
			break
		}
		if q&(1<<tagBits-1) == tag {
			if have := longer(content, p.text.buf[at-p.text.start:], top); have > top {
				price := p.models.distanceOf(have).price(uint64(here - at - 1))
				if long := p.relaxFresh(s, ref{false, int64(at - here)}, minFresh, have, price); long.n > 0 {
					return long
				}
				top = have
			}
		}
		q = p.seen.chains.links[at%len(p.seen.chains.links)]
	}
	return step{}
}

// relaxMet offers places in the history that the tree knows: for each length the one
// that was met first, which is the last.
//
//go:norace
func (p *parser) relaxMet(s *stop) step {
	here := p.text.at + s.at
	if here < p.seen.grown {
		return step{}
	}
	from := minFresh
	for _, m := range p.seen.meetNext(&p.text.history, here) {
		if m.n == maxNice {
			m.n = common(p.text.new[s.at:], p.text.buf[here-m.back-p.text.start:])
		}
		if m.n <= s.best {
			continue
		}
		price := p.models.distanceOf(m.n).price(uint64(m.back - 1))
		if long := p.relaxFresh(s, ref{false, int64(-m.back)}, from, m.n, price); long.n > 0 {
			return long
		}
		from = m.n + 1
	}
	return step{}
}

// literalPrices are the highest of a literal, by how many are before it, where not much
// effort is made: to mix the estimates for each byte that might become a literal takes
// longer than to code those that do. Bytes that most literals are of late, as spaces or
// zeros that were inserted, are cheaper, and so is what the last literals foresee: numbers
// in a table that grew by the same.
var literalPrices = [4]uint32{3 * bitPrice, 4 * bitPrice, 4 * bitPrice, 6 * bitPrice}

// literalPrice is about that of the byte at s: what has been learned when the block
// is coded may be something else.
//
//go:norace
func (p *parser) literalPrice(s *stop) uint32 {
	if p.leap {
		price := min(literalPrices[s.few], p.prices.literal(s.few, p.text.new[s.at]))
		if behindMatch(s.state) < 3 && price > bitPrice {
			if x := p.text.place(&s.trail, s.at); p.models.literals.foresees(&x, p.text.new[s.at]) {
				price = bitPrice
			}
		}
		return price
	}
	x := p.text.place(&s.trail, s.at)
	return p.models.literals.price(&x, p.text.new[s.at])
}
