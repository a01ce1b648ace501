package oodle_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// LZNA and BitKnit are decoded by two rANS states that take turns. Their encoders run the models forward, note every
// operation, and then run the operations backward.

// op is one read of the decoder: a value with the range [start, start+freq) of 1<<bits, or a word outside the coder.
type op struct {
	start, freq uint64
	bits        int
	word        bool
}

// rans encodes ops for states of twice wordBits bits, of which the last two hold tail.
func rans(ops []op, tail [2]uint64, wordBits int) (state [2]uint64, words []uint64) {
	reads := 0
	for _, o := range ops {
		if !o.word {
			reads++
		}
	}
	top := 2*wordBits - 1 // states are below 1<<top for LZNA
	if wordBits == 16 {
		top = 32
	}
	state[reads&1] = 1<<wordBits | tail[0]
	state[reads&1^1] = 1<<wordBits | tail[1]
	for _, o := range slices.Backward(ops) {
		if o.word {
			words = append(words, o.start)
			continue
		}
		reads--
		x := state[reads&1]
		if x >= o.freq<<(top-o.bits) {
			words = append(words, x&(1<<wordBits-1))
			x >>= wordBits
		}
		state[reads&1] = x/o.freq<<o.bits + o.start + x%o.freq
	}
	slices.Reverse(words)
	return state, words
}

func rawOp(v, n int) op { return op{start: uint64(v), freq: 1, bits: n} }

// model is an adaptive model, cumulative frequencies of 1<<15.
type model struct {
	cum   []int
	freq  []int
	count int
}

// lznaEncoder keeps the models by name; they are made when first used.
type lznaEncoder struct {
	bits   map[string]int
	models map[string]*model
	recent []int
	state  int
	ops    []op
}

func (e *lznaEncoder) raw(v, n int) { e.ops = append(e.ops, rawOp(v, n)) }

func (e *lznaEncoder) bit(v, start, n, shift int, name ...any) {
	key := fmt.Sprint(name...)
	m, ok := e.bits[key]
	if !ok {
		m = start
	}
	if v == 1 {
		e.ops = append(e.ops, op{start: uint64(m), freq: uint64(1<<n - m), bits: n})
		m -= m >> shift
	} else {
		e.ops = append(e.ops, op{freq: uint64(m), bits: n})
		m += (1<<n - m) >> shift
	}
	e.bits[key] = m
}

func (e *lznaEncoder) symbol(v, n, top int, name ...any) {
	key := fmt.Sprint(name...)
	m := e.models[key]
	if m == nil {
		m = &model{}
		for i := range n + 1 {
			m.cum = append(m.cum, i*0x8000/n)
		}
		e.models[key] = m
	}
	e.ops = append(e.ops, op{start: uint64(m.cum[v]), freq: uint64(m.cum[v+1] - m.cum[v]), bits: 15})
	for i := 1; i < n; i++ {
		to := 8 * i
		if i > v {
			to += top
		}
		m.cum[i] += (to - m.cum[i]) >> 7
	}
}

func (e *lznaEncoder) nibble(v int, name ...any) { e.symbol(v, 16, 0x7FD9, name...) }
func (e *lznaEncoder) three(v int, name ...any)  { e.symbol(v, 8, 0x7FE5, name...) }

// literal encodes b; expect is the byte at the last distance.
func (e *lznaEncoder) literal(b, expect byte, pos int) {
	e.bit(0, 0x1000, 13, 5, "match", e.state, pos&7)
	hi, lo := int(b>>4), int(b&15)
	e.nibble(hi, "up", pos&3, expect>>4)
	if hi == int(expect>>4) {
		e.nibble(lo, "low", pos&3, expect&15)
	} else {
		e.nibble(lo, "other", pos&3, hi)
	}
	e.state = []int{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}[e.state]
}

// match encodes a match of up to n bytes and returns how many it took.
func (e *lznaEncoder) match(n, dist, pos int) int {
	e.bit(1, 0x1000, 13, 5, "match", e.state, pos&7)
	kind := func(x int) { e.nibble(x, "kind", e.state, pos&7) }
	after := func(fresh, matched int) {
		if e.state < 7 {
			e.state = fresh
		} else {
			e.state = matched
		}
	}
	i := slices.Index(e.recent, dist)
	if i >= 0 {
		switch {
		case n == 1 && i == 0:
			kind(0)
			after(9, 11)
			return n
		case n == 2:
			kind(12 + i)
		case n <= 10:
			kind(4 + 2*i)
			e.three(n-3, "short recent", i, pos&3)
		default:
			kind(5 + 2*i)
			n = 11 + e.length(n-11, pos, "long recent")
		}
		copy(e.recent[1:i+1], e.recent[:i])
		e.recent[0] = dist
		after(8, 11)
		return n
	}
	switch {
	case n <= 4:
		kind(1)
		e.bit(n-3, 0x2000, 14, 4, "short", e.state, pos&3)
		e.distance(dist, "near", n-3)
	case n <= 12:
		kind(2)
		e.three(n-5, "medium")
		e.distance(dist, "far")
	default:
		kind(3)
		n = 13 + e.length(n-13, pos, "long")
		e.distance(dist, "far")
	}
	copy(e.recent[1:], e.recent)
	e.recent[0] = dist
	after(7, 10)
	return n
}

// length encodes a length and returns the one that it encoded, the same unless n is huge.
func (e *lznaEncoder) length(n, pos int, name string) int {
	if n < 12 {
		e.nibble(n, name, 1, pos&3)
		return n
	}
	n = min(n, 12+4*30000)
	e.nibble(12+n&3, name, 1, pos&3)
	x := (n - 12) / 4
	g := 0
	base := func(g int) int {
		if g == 0 {
			return 0
		}
		return (2+(g-1)&1)<<((g-1)>>1) - 1
	}
	for base(g+1) <= x {
		g++
	}
	e.nibble(min(g, 15), name, 2)
	if g >= 15 {
		e.nibble(g-15, name, 3)
	}
	e.raw(x-base(g), max(g-1, 0)>>1)
	return n
}

func (e *lznaEncoder) distance(dist int, name ...any) {
	low, h := (dist-1)&31, (dist-1)>>5
	n := 0
	if h > 0 {
		n = log2(h + 1)
	}
	key := fmt.Sprint(name...)
	if key == "far" {
		e.nibble(min(n, 15), key, "first")
		if n >= 15 {
			e.nibble(n-15, key, "first high")
		}
	} else {
		e.nibble(n, key, "first")
	}
	if n > 0 {
		v := h + 1
		k := v >> (n - 1) & 1
		e.bit(k, 0x2000, 14, 6, key, "second", n-1)
		if n > 1 {
			e.bit(v>>(n-2)&1, 0x2000, 14, 6, key, "third", k, n-1)
		}
		if n > 2 {
			e.raw(v&(1<<(n-2)-1), n-2)
		}
	}
	zero := h == 0
	e.bit(low&1, 0x2000, 14, 6, "low", zero)
	e.nibble(low>>1, "low", zero, low&1)
}

// quantum encodes data[from:to].
func (e *lznaEncoder) quantum(data []byte, from, to int) []byte {
	e.ops = nil
	if e.recent[0] >= 0xC000 {
		i := slices.IndexFunc(e.recent, func(r int) bool { return r < 0xC000 })
		if i < 0 {
			copy(e.recent[1:], e.recent)
			e.recent[0] = 4
		} else {
			r := e.recent[i]
			copy(e.recent[1:i+1], e.recent[:i])
			e.recent[0] = r
		}
	}
	e.state = 5
	o := from
	if o == 0 {
		hi, lo := int(data[0]>>4), int(data[0]&15)
		switch {
		case data[0] == 0:
			e.raw(1, 1)
		case hi != 0:
			e.raw(0, 1)
			e.nibble(hi, "up", 0, 0)
			e.nibble(lo, "other", 0, hi)
		default:
			e.raw(0, 1)
			e.nibble(hi, "up", 0, 0)
			e.nibble(lo, "low", 0, 0)
		}
		o++
	}
	end := to - 8
	for _, s := range parse(data, o, end, 1, func(dist int) int { return 4 }) {
		for range s.lit {
			if data[o] == data[o-e.recent[0]] && o&1 == 0 {
				o += e.match(1, e.recent[0], o)
				continue
			}
			e.literal(data[o], data[o-e.recent[0]], o)
			o++
		}
		for n := s.match; n > 0; {
			took := e.match(n, s.dist, o)
			o += took
			n -= took
		}
	}
	tail := [2]uint64{uint64(binary.LittleEndian.Uint32(data[end:])), uint64(binary.LittleEndian.Uint32(data[end+4:]))}
	state, words := rans(e.ops, tail, 32)
	var out []byte
	for _, x := range state {
		v := binary.BigEndian.AppendUint64(nil, x>>4)
		for len(v) > 0 && v[0] == 0 {
			v = v[1:]
		}
		out = append(append(out, byte(len(v))<<4|byte(x&15)), v...)
	}
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, uint32(w))
	}
	return out
}

// bitKnitEncoder keeps the models by name.
type bitKnitEncoder struct {
	models map[string]*model
	recent []int
	last   int
	ops    []op
}

func (e *bitKnitEncoder) symbol(v, n, bonus int, name ...any) {
	key := fmt.Sprint(name...)
	m := e.models[key]
	if m == nil {
		m = &model{freq: slices.Repeat([]int{1}, n)}
		for i := range n + 1 {
			switch {
			case n < 300:
				m.cum = append(m.cum, 32768*i/n)
			case i < 264:
				m.cum = append(m.cum, 32732*i/264)
			default:
				m.cum = append(m.cum, 32468+i)
			}
		}
		e.models[key] = m
	}
	e.ops = append(e.ops, op{start: uint64(m.cum[v]), freq: uint64(m.cum[v+1] - m.cum[v]), bits: 15})
	m.freq[v] += 31
	if m.count++; m.count%1024 == 0 {
		m.freq[v] += bonus
		sum := 0
		for i := range n {
			sum += m.freq[i]
			m.freq[i] = 1
			m.cum[i+1] += (sum - m.cum[i+1]) >> 1
		}
	}
}

func (e *bitKnitEncoder) match(n, dist, pos int) {
	sym := n + 254
	if sym < 288 {
		e.symbol(sym, 300, 725, "length", pos&3)
	} else {
		k := log2(sym - 286)
		e.symbol(287+k, 300, 725, "length", pos&3)
		e.ops = append(e.ops, rawOp(sym-286-1<<k, k))
	}
	if i := slices.Index(e.recent, dist); i >= 0 {
		e.symbol(i, 40, 985, "slot", pos&3)
		copy(e.recent[1:i+1], e.recent[:i])
		e.recent[0] = dist
	} else {
		// dist = (32<<k) + 32*v + t - 39, with t in 8..39 and v of k bits
		x := dist - 1 + 32
		k := log2(x >> 5)
		v := x>>5 - 1<<k
		e.symbol(8+x&31, 40, 985, "slot", pos&3)
		e.symbol(k, 21, 1004, "extra")
		if k < 16 {
			e.ops = append(e.ops, rawOp(v, k))
		} else {
			e.ops = append(e.ops, rawOp(v>>16, k-16), op{word: true, start: uint64(v & 0xFFFF)})
		}
		e.recent[7], e.recent[6] = e.recent[6], dist
	}
	e.last = dist
}

// quantum encodes data[from:to].
func (e *bitKnitEncoder) quantum(data []byte, from, to int) []byte {
	e.ops = nil
	o := from
	if o == 0 {
		e.ops = append(e.ops, rawOp(int(data[0]), 8))
		o++
	}
	end := to - 4
	for _, s := range parse(data, o, end, 1, func(dist int) int { return 4 }) {
		for range s.lit {
			e.symbol(int(data[o]-data[o-e.last]), 300, 725, "length", o&3)
			o++
		}
		for n := s.match; n > 0; {
			m := min(n, 8000)
			if n-m == 1 {
				m--
			}
			e.match(m, s.dist, o)
			o += m
			n -= m
		}
	}
	tail := [2]uint64{uint64(binary.LittleEndian.Uint16(data[end:])), uint64(binary.LittleEndian.Uint16(data[end+2:]))}
	state, words := rans(e.ops, tail, 16)
	return slices.Concat(bitKnitStart(state[0], state[1]), words16(words))
}

func words16(words []uint64) (out []byte) {
	for _, w := range words {
		out = binary.LittleEndian.AppendUint16(out, uint16(w))
	}
	return out
}

// bitKnitStart encodes the initial states.
func bitKnitStart(a, b uint64) []byte {
	n := log2(int(b)) - 16
	words := []uint64{b & 0xFFFF}
	u := a<<n | b>>16&(1<<n-1)
	if u >= 1<<32 {
		words = append([]uint64{a & 0xFFFF}, words...)
		u = a>>16<<n | b>>16&(1<<n-1)
	}
	if u >= 1<<28 {
		words = append([]uint64{u & 0xFFFF}, words...)
		u >>= 16
	}
	v := u<<4 | uint64(n)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(v)), words16(words)...)
}

// quantumEncoder encodes data[from:to] as one quantum.
type quantumEncoder interface {
	quantum(data []byte, from, to int) []byte
}

// encodeSmall makes a stream of LZNA or BitKnit. Every restart-th block starts with new models, but for 0.
func encodeSmall(data []byte, codec byte, restart int) []byte {
	var out []byte
	var e quantumEncoder
	for from := 0; from < len(data); {
		if from%0x40000 == 0 {
			b := byte(0x0C)
			if from == 0 || restart > 0 && from/0x40000%restart == 0 {
				b |= 0x80
				e = newQuantumEncoder(codec)
			}
			out = append(out, b, codec)
		}
		to := min(from+0x4000, len(data))
		out = append(out, smallQuantum(e, data, from, to)...)
		from = to
	}
	return out
}

// smallQuantum encodes data[from:to] in the special form that it allows, or with e. Every fifth quantum is stored.
func smallQuantum(e quantumEncoder, data []byte, from, to int) []byte {
	q := data[from:to]
	if bytes.Count(q, q[:1]) == len(q) {
		return []byte{0x7F, 0xFF, q[0]}
	}
	for _, dist := range []int{1, 0x8000, 0x8001, 0x8001 + 3, 0x18003} {
		if from >= dist && bytes.Equal(q, data[from-dist:to-dist]) {
			return append([]byte{0x3F, 0xFF}, matchNumber(dist)...)
		}
	}
	if from/0x4000%5 == 3 || len(q) < 64 {
		return append([]byte{0xBF, 0xFF}, q...)
	}
	p := e.quantum(data, from, to)
	if len(p) >= len(q) {
		panic("no gain: choose other data, the models of the encoder have moved on")
	}
	n := len(p) - 1
	return append([]byte{byte(n >> 8), byte(n)}, p...)
}

// matchNumber encodes the distance of a whole match.
func matchNumber(dist int) []byte {
	if dist <= 0x8000 {
		return binary.BigEndian.AppendUint16(nil, uint16(dist+0x7FFF))
	}
	x := dist - 0x8001
	out := binary.BigEndian.AppendUint16(nil, uint16(x&0x7FFF))
	for x >>= 15; ; {
		// A byte that is not the last counts 0x80 more than its value.
		if x < 0x80 {
			return append(out, byte(x+0x80))
		}
		out = append(out, byte(x&0x7F))
		x = x>>7 - 1
	}
}

func newQuantumEncoder(codec byte) quantumEncoder {
	if codec == 5 {
		return &lznaEncoder{bits: map[string]int{}, models: map[string]*model{}, recent: []int{1, 1, 1, 1}}
	}
	return &bitKnitEncoder{models: map[string]*model{}, recent: slices.Repeat([]int{1}, 8), last: 1}
}
