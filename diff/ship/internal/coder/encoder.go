package coder

import "math"

// MaxContent is how many bytes Content takes at once. Larger contents are coded
// in parts.
const MaxContent = 1 << 20

// Encoder writes numbers and contents into one stream. The zero value is not
// ready; call Reset. It is not safe for concurrent use, and must not be copied.
type Encoder struct {
	// Best is for the greatest effort: up to a tenth less, for up to six times the CPU. It may be
	// set between contents.
	Best bool

	// Most is how many bytes a stream may have, 0 for any number. Content stops in a stream that
	// is longer, which is then worthless: see IsOver.
	Most int

	models models
	coder  rangeCoder
	parser parser
	spent  int // bytes of contents and old ones that the greatest effort was made for
}

// Reset begins a new stream.
func (e *Encoder) Reset() {
	e.models.reset()
	e.coder.write()
	e.parser.reset(&e.models)
	e.spent = 0
}

// Bytes ends the stream and returns it. It is valid until the next Reset.
func (e *Encoder) Bytes() []byte { return e.coder.finish() }

// Size returns how long the stream is so far, but for a few bytes.
func (e *Encoder) Size() int { return len(e.coder.out) }

// IsOver reports that the stream will be longer than Most bytes, whatever follows.
func (e *Encoder) IsOver() bool { return e.Most > 0 && len(e.coder.out) > e.Most+1+spare }

// Number writes v in a context, 0 to 31: numbers of one meaning, which resemble
// each other, belong to one.
func (e *Encoder) Number(context int, v uint64) { e.models.number[context].code(&e.coder, v) }

// Content writes new, at most [MaxContent] bytes, by what old and the contents
// before it have. Its first byte probably is at guess in the old content,
// and its last one at tail-1.
func (e *Encoder) Content(new []byte, old *Index, guess, tail int64) {
	p := &e.parser
	p.begin(new, old, e.effortFor(len(new), old))
	e.models.begin(guess, tail, len(new))
	for pos := 0; pos < len(new) && !e.IsOver(); {
		end := min(pos+blockSize, len(new))
		if e.isNoise(pos, end) {
			e.models.plain.code(&e.coder, 1)
			e.coder.bytes(p.text.new[pos:end])
			e.models.state, pos = 0, end
			continue
		}
		e.models.plain.code(&e.coder, 0)
		for pos < end && !e.IsOver() {
			steps, long := p.choose(pos, end)
			for _, s := range steps {
				planned := pos + int(s.n)
				if pos = e.put(pos, s); pos != planned {
					break // what was learned since cut the step
				}
			}
			if long {
				p.learn(pos)
			}
		}
	}
	p.learn(len(new))
}

// Next returns where in the old content the byte after the last Content
// probably is. A Decoder that has read as far returns the same.
func (e *Encoder) Next() int64 { return e.models.next(len(e.parser.text.new)) }

// put encodes a step at pos and returns the position after it.
func (e *Encoder) put(pos int, s step) int {
	e.parser.prices.count(&e.models)
	t := &e.parser.text
	x := t.site(pos)
	if s.corrected {
		s = e.parser.cut(pos, s)
	}
	if e.models.step(&e.coder, &x, s); s.kind != literal {
		end := pos + int(s.n)
		if s.corrected {
			old := t.margins(&e.parser.room, pos, end, e.models.shift)
			e.models.corrections.run(&e.coder, old, t.new[pos:end])
			e.models.corrections.learn(old, t.new[pos:end])
		}
		if k := e.models.gap; k > 0 && k <= maxGap {
			e.models.corrections.learn(t.margins(&e.parser.room, pos-k, pos, e.models.shift), t.new[pos-k:pos])
		}
		return end
	}
	l := t.place(&e.models.trail, pos)
	e.models.literals.code(&e.coder, &l, t.new[pos])
	e.parser.prices.addLiteral(e.models.few, t.new[pos])
	e.models.literal()
	return pos + 1
}

// The greatest effort is made anyhow for contents of up to smallContent bytes
// together with their old ones, as long as they are no more than smallContents in
// a stream: what it takes is not noticed, and small patches gain the most.
const (
	smallContent  = 256 << 10
	smallContents = 8 << 20
)

// enoughAtBest is the match after which even the greatest effort looks no further: more
// made patches of assets larger, by 2 %, and those of texts smaller by 0.06 %.
const enoughAtBest = 32

// effortFor is the effort for a content of n bytes. The lesser one hardly costs size: of
// contents of a re-cooked build, 54 MB, the greatest gives 1,291 KB in 16 s, and it
// 1,334 KB in 3. Where the last reference goes on after a few bytes, looking for
// others made these patches larger, by 2 %, not smaller: what the mixed estimates of literals
// learn there is worth more than a reference that is a few bytes longer.
func (e *Encoder) effortFor(n int, old *Index) effort {
	n += len(old.old)
	small := n <= smallContent && e.spent+n <= smallContents
	if small {
		e.spent += n
	}
	if small || e.Best {
		x := effort{nice: maxNice, enough: enoughAtBest, depth: 24, repeats: len(e.models.refs), near: true, ends: 64}
		if e.Best {
			x.depth, x.deep = 96, true
		}
		return x
	}
	return effort{nice: 32, enough: 6, depth: 1, repeats: 2, leap: true, ends: 16}
}

// isNoise reports that coding new[pos:end] would gain nothing: all bytes are
// about equally frequent in it, and none of it was seen before.
func (e *Encoder) isNoise(pos, end int) bool {
	t := &e.parser.text
	p := t.new[pos:end]
	if len(p) < minNoise || !isEven(p) {
		return false
	}
	e.parser.seen.learnTo(&t.history, t.at+pos)
	for i := range len(p) - window {
		at := pos + i
		for _, r := range e.models.refs {
			if i%window == 0 && t.matchLen(r, at) >= window/2 {
				return false
			}
		}
		if i%window < t.old.stride { // windows of the old content lie that far apart
			if q := t.old.findFar(t.new[at:]); q >= 0 && common(t.new[at:], t.old.old[q:]) >= window {
				return false
			}
		}
		if i%window == 0 && e.parser.seen.has(&t.history, t.at+at) {
			return false
		}
	}
	return true
}

// minNoise is the least length that can be recognised.
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
