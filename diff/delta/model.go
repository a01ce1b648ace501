package delta

// ref says where bytes of a content come from: from the old content, at the
// position in the new one plus shift, or from what the coder has seen last,
// -shift bytes back.
type ref struct {
	old   bool
	shift int64
}

// states tell what came last, as LZMA has them: 0 to 6 end in a literal.
const (
	states       = 12
	literalState = 7
)

func afterLiteral(s uint8) uint8 {
	switch {
	case s < 4:
		return 0
	case s < 10:
		return s - 3
	}
	return s - 6
}

func after(s, literal, match uint8) uint8 {
	if s < literalState {
		return literal
	}
	return match
}

func afterMatch(s uint8) uint8  { return after(s, 7, 10) }
func afterRepeat(s uint8) uint8 { return after(s, 8, 11) }
func afterShort(s uint8) uint8  { return after(s, 9, 11) }

const (
	posStates   = 4 // many numbers are aligned to 4 bytes
	literalBits = 3 // of the byte before a literal that choose its model
	minMatch    = 2
	blockSize   = 16 << 10 // bytes of a content that are coded, or are not
	maxWindow   = 4 << 20  // bytes that a reference to seen ones goes back at most
	numbers     = 32       // contexts of Number
)

// models are all probabilities of a coder. Encoder and decoder change theirs in
// the same way.
type models struct {
	match     [states][posStates]prob
	repeat    [states]prob
	repeat0   [states]prob
	repeat1   [states]prob
	repeat2   [states]prob
	long      [states][posStates]prob // repeat 0: more than one byte
	old       [2]prob                 // a new reference is to the old content
	length    lengthModel
	repeatLen lengthModel
	oldShift  numberModel
	distance  [4]numberModel // by length
	literal   [1 << literalBits][0x100]prob
	matched   [1 << literalBits][0x200]prob
	number    [numbers]numberModel
	plain     prob // a block is not coded
	state     uint8
	last      byte // the byte before
	refs      [4]ref
	lastOld   int64 // shift of the last reference to the old content
}

func (m *models) reset() {
	for s := range states {
		fill(m.match[s][:])
		fill(m.long[s][:])
	}
	fill(m.repeat[:])
	fill(m.repeat0[:])
	fill(m.repeat1[:])
	fill(m.repeat2[:])
	fill(m.old[:])
	m.length.reset()
	m.repeatLen.reset()
	m.oldShift.reset(fewLow)
	for i := range m.distance {
		m.distance[i].reset(fewLow)
	}
	for i := range m.literal {
		fill(m.literal[i][:])
		fill(m.matched[i][:])
	}
	for i := range m.number {
		m.number[i].reset(manyLow)
	}
	m.plain = probStart
	m.state, m.last = 0, 0
}

// begin starts a content whose bytes probably stand where they stood, but for a
// shift: one that holds for its front, and one that holds for its end.
func (m *models) begin(front, end int64) {
	m.refs = [4]ref{{true, front}, {true, end}, {false, -1}, {false, -4}}
	m.lastOld = front
	m.state = literalState // as if the content so far had come from the old one
}

// next is where in the old content the byte behind one of n bytes probably
// stands.
func (m *models) next(n int) int64 { return m.predicted(&m.refs) + int64(n) }

// predicted is the shift that the next reference to the old content has most
// probably: the one that was used last.
func (m *models) predicted(refs *[4]ref) int64 {
	for _, r := range refs {
		if r.old {
			return r.shift
		}
	}
	return m.lastOld
}

// nearState is the context of whether a new reference is to the old content.
func nearState(refs *[4]ref) uint32 { return isOld(refs[0]) }

func isOld(r ref) uint32 {
	if r.old {
		return 1
	}
	return 0
}

// use moves a reference to the front.
func use(refs *[4]ref, k int) {
	r := refs[k]
	copy(refs[1:k+1], refs[:k])
	refs[0] = r
}

// push puts a new reference to the front.
func push(refs *[4]ref, r ref) {
	copy(refs[1:], refs[:3])
	refs[0] = r
}

// lengthModel codes the length of a match, less minMatch.
type lengthModel struct {
	choice [2]prob
	low    [posStates][8]prob
	mid    [posStates][8]prob
	high   numberModel
}

func (m *lengthModel) reset() {
	fill(m.choice[:])
	for i := range posStates {
		fill(m.low[i][:])
		fill(m.mid[i][:])
	}
	m.high.reset(fewLow)
}

func (m *lengthModel) encode(e *rangeEncoder, n int, pos int) {
	switch n -= minMatch; {
	case n < 8:
		e.bit(&m.choice[0], 0)
		encodeTree(e, m.low[pos][:], uint32(n), 3)
	case n < 16:
		e.bit(&m.choice[0], 1)
		e.bit(&m.choice[1], 0)
		encodeTree(e, m.mid[pos][:], uint32(n-8), 3)
	default:
		e.bit(&m.choice[0], 1)
		e.bit(&m.choice[1], 1)
		m.high.encode(e, uint64(n-16))
	}
}

// decode returns a length that may be anything up to the largest int32.
func (m *lengthModel) decode(d *rangeDecoder, pos int) int {
	if d.bit(&m.choice[0]) == 0 {
		return minMatch + int(decodeTree(d, m.low[pos][:], 3))
	}
	if d.bit(&m.choice[1]) == 0 {
		return minMatch + 8 + int(decodeTree(d, m.mid[pos][:], 3))
	}
	return int(min(m.high.decode(d), 1<<31-32)) + minMatch + 16
}

func (m *lengthModel) price(n int, pos int) uint32 {
	switch n -= minMatch; {
	case n < 8:
		return m.choice[0].price0() + priceTree(m.low[pos][:], uint32(n), 3)
	case n < 16:
		return m.choice[0].price1() + m.choice[1].price0() + priceTree(m.mid[pos][:], uint32(n-8), 3)
	default:
		return m.choice[0].price1() + m.choice[1].price1() + m.high.price(uint64(n-16))
	}
}

// distanceOf returns the model of the distances of matches of that length.
func (m *models) distanceOf(n int) *numberModel { return &m.distance[min(n-minMatch, 3)] }
