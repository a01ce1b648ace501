package delta

import "math"

// MaxContent is how many bytes Content takes at once. Larger contents are coded
// in parts.
const MaxContent = 1 << 20

// Encoder writes numbers and contents into one stream. The zero value is not
// ready; call Reset. It is not safe for concurrent use.
type Encoder struct {
	// Best is for the greatest effort: up to a tenth less, for up to six times the CPU. It may be
	// set between contents.
	Best bool

	// Most is how many bytes a stream may have, 0 for any number. Content stops in a stream that
	// is longer, which is then worthless: see IsOver.
	Most int

	models
	rangeCoder
	history
	chains  chains
	added   int // position up to which chains know the history
	tree    tree
	grown   int // position up to which the tree does
	met     []meeting
	nodes   []node
	path    []step
	lengths [2][posStates][maxNice + 1]uint32 // prices of new and repeated lengths
	stale   int                               // symbols until these are computed again
	far     int                               // last node of the block that a way leads to
	leapTo  int                               // nodes before it are not looked from
	from    int                               // position of the first node
	costs   [2]frequency                      // of literals: right behind a match, and further on
	spent   int                               // bytes of contents and old ones that the greatest effort was made for

	// The content at hand.
	new []byte
	at  int // its position in the history
	x   *Index
	effort
	stop int // where the next block begins, unless a run passes it
}

// Reset begins a new stream.
func (e *Encoder) Reset() {
	e.models.reset()
	e.rangeCoder.write()
	e.history.reset()
	if e.nodes == nil {
		e.nodes = make([]node, maxBlock+maxNice)
	}
	e.chains.reset(seenWidth, maxWindow)
	e.tree.planted = false
	e.costs = [2]frequency{}
	e.added, e.grown, e.stale, e.spent = 0, 0, 0, 0
}

// Bytes ends the stream and returns it. It is valid until the next Reset.
func (e *Encoder) Bytes() []byte { return e.finish() }

// Size returns how long the stream is so far, but for a few bytes.
func (e *Encoder) Size() int { return len(e.out) }

// IsOver reports that the stream will be longer than Most bytes, whatever follows.
func (e *Encoder) IsOver() bool { return e.Most > 0 && len(e.out) > e.Most+1+spare }

// Number writes v in a context, 0 to 31: numbers of one meaning, which resemble
// each other, belong to one.
func (e *Encoder) Number(context int, v uint64) { e.number[context].code(&e.rangeCoder, v) }

// Content writes new, at most [MaxContent] bytes, by what old and the contents
// before it have. Its first byte probably stands at guess in the old content,
// and its last one at tail-1.
func (e *Encoder) Content(new []byte, old *Index, guess, tail int64) {
	content, at := e.grow(len(new))
	copy(content, new)
	e.new, e.at, e.x = content, at, old
	e.choose()
	e.begin(guess, tail, len(new))
	for pos := 0; pos < len(new) && !e.IsOver(); {
		end := min(pos+blockSize, len(new))
		if e.isNoise(pos, end) {
			e.plain.code(&e.rangeCoder, 1)
			e.bytes(content[pos:end])
			e.state, pos = 0, end
			continue
		}
		e.plain.code(&e.rangeCoder, 0)
		for e.stop = end; pos < end && !e.IsOver(); {
			pos = e.block(pos)
		}
	}
	e.learn(len(new))
}

// Next returns where in the old content the byte behind the last Content
// probably stands. A Decoder that has read as far returns the same.
func (e *Encoder) Next() int64 { return e.next(len(e.new)) }

// isNoise reports that coding new[pos:end] would gain nothing: all bytes are
// about equally frequent in it, and none of it was seen before.
func (e *Encoder) isNoise(pos, end int) bool {
	p := e.new[pos:end]
	if len(p) < minNoise || !isEven(p) {
		return false
	}
	e.learnTo(e.at + pos)
	for i := range len(p) - window {
		at := pos + i
		for _, r := range e.refs {
			if i%window == 0 && e.matchLen(r, at) >= window/2 {
				return false
			}
		}
		if i%window < e.x.stride { // windows of the old content lie that far apart
			if q := e.x.findFar(e.new[at:]); q >= 0 && common(e.new[at:], e.x.old[q:]) >= window {
				return false
			}
		}
		if i%window == 0 && e.wasSeen(at) {
			return false
		}
	}
	return true
}

// wasSeen reports that the history has the next bytes.
func (e *Encoder) wasSeen(at int) bool {
	first, _ := e.chains.first(e.new[at:])
	if first == 0 {
		return false
	}
	q := e.at + at - 1 - (e.at+at-int(first>>tagBits))&placeMask
	return q >= e.start && common(e.new[at:], e.buf[q-e.start:]) >= window
}

// minNoise is what can be told from other content.
const minNoise = 512

// chance is how many bits fewer noise seems to carry, however much of it there is:
// 255 / (2 ln 2).
const chance = 184

// isEven reports that the bytes of p carry 7.93 bits each or more.
func isEven(p []byte) bool {
	var count [256]int
	for _, c := range p {
		count[c]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			sum -= float64(n) * math.Log2(float64(n)/float64(len(p)))
		}
	}
	return sum >= 7.93*float64(len(p))-chance
}

// learn makes the bytes of the content before pos findable.
func (e *Encoder) learn(pos int) {
	// Of a long match only the ends are learned: what else is in it can be
	// found where the match found it.
	if k := e.at + pos - e.ends; k > e.added+e.ends {
		e.learnTo(e.added + e.ends)
		e.added = k
	}
	e.learnTo(e.at + pos)
}

func (e *Encoder) learnTo(end int) {
	for ; e.added < end && e.added+4 <= e.end(); e.added++ {
		if k := e.added - e.start; k >= 0 {
			e.chains.add(e.buf[k:], e.added)
			if e.deep && e.added >= e.grown {
				e.met = e.tree.add(&e.history, e.added, e.met[:0])
			}
		}
	}
}

// put encodes a step at pos and returns the position behind it.
func (e *Encoder) put(pos int, s step) int {
	if e.stale--; e.stale < 0 {
		e.reprice()
	}
	x := e.site(pos)
	if e.models.step(&e.rangeCoder, &x, s); s.kind != literal {
		return pos + int(s.n)
	}
	l := e.place(&e.trail, pos)
	e.models.literals.code(&e.rangeCoder, &l, e.new[pos])
	e.costs[min(e.few, 1)].add(e.new[pos])
	e.literal()
	return pos + 1
}

// place is that of a literal at pos, where a way there leaves that trail.
func (e *Encoder) place(t *trail, pos int) place {
	x := place{align: uint32(pos % posStates), behind: behindMatch(t.state), run: t.run, before: e.before(e.at + pos)}
	e.expect(x.expected[:], t.refs[0], pos)
	return x
}

func (e *Encoder) site(pos int) site {
	return site{pos: pos, align: pos % posStates, before: byte(e.before(e.at + pos))}
}

// expect fills in what a reference has from one byte before pos on.
func (e *Encoder) expect(p []byte, r ref, pos int) {
	if !r.old {
		e.seen(p, r, e.at+pos)
		return
	}
	for i := range p {
		if k := int64(pos+i) + r.shift - 1; uint64(k) < uint64(len(e.x.old)) {
			p[i] = e.x.old[k]
		}
	}
}

// matchLen is how many bytes from pos on a reference gives.
func (e *Encoder) matchLen(r ref, pos int) int {
	if r.old {
		p := int64(pos) + r.shift
		if uint64(p) >= uint64(len(e.x.old)) {
			return 0
		}
		return common(e.new[pos:], e.x.old[p:])
	}
	p := e.at + pos + int(r.shift) - e.start
	if p < 0 || r.shift >= 0 || r.shift < -maxWindow {
		return 0
	}
	return common(e.new[pos:], e.buf[p:])
}

// reprice computes the tables of prices anew.
func (e *Encoder) reprice() {
	e.stale = 256
	for i := range e.costs {
		e.costs[i].reprice()
	}
	e.length.prices(&e.lengths[0])
	e.repeatLen.prices(&e.lengths[1])
}
