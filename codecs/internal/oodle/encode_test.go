package oodle_test

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The encoders here are for tests only: they make streams of any size with every feature of the command coding, from
// the format description, with stored arrays. They do not try to compress well.

// sequence is a run of literals and the match behind it. The last of a chunk has no match.
type sequence struct{ lit, match, dist int }

// parse cuts data[from:to] into sequences; minDist bounds the distances, minLen the matches by distance.
func parse(data []byte, from, to, minDist int, minLen func(dist int) int) []sequence {
	var last [1 << 16]int // position + 1 by hash
	key := func(i int) uint32 { return binary.LittleEndian.Uint32(data[i:]) * 2654435761 >> 16 }
	if from == to {
		return []sequence{{}}
	}
	known := max(0, min(from-minDist, to-4))
	for i := range known {
		last[key(i)] = i + 1
	}
	var all []sequence
	for start, i := from, from; ; {
		for ; known+minDist <= i && known+4 <= to; known++ {
			last[key(known)] = known + 1
		}
		if i+4 > to {
			return append(all, sequence{lit: to - start})
		}
		at := last[key(i)] - 1
		n := 0
		for at >= 0 && i+n < to && data[at+n] == data[i+n] {
			n++
		}
		if n < minLen(i-at) {
			i++
			continue
		}
		all = append(all, sequence{i - start, n, i - at})
		i += n
		start = i
	}
}

// bitWriter writes bits, most significant first.
type bitWriter struct {
	buf  []byte
	free int // bits free in the last byte
}

func (w *bitWriter) write(v uint64, n int) {
	for n--; n >= 0; n-- {
		if w.free == 0 {
			w.buf = append(w.buf, 0)
			w.free = 8
		}
		w.free--
		w.buf[len(w.buf)-1] |= byte(v>>n&1) << w.free
	}
}

// pair is bit data: written from both ends in turn.
type pairWriter [2]bitWriter

func (p *pairWriter) bytes() []byte {
	back := slices.Clone(p[1].buf)
	slices.Reverse(back)
	return append(p[0].buf, back...)
}

func log2(v int) int { return bits.Len(uint(v)) - 1 }

func stored(p []byte) []byte {
	return append([]byte{byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p))}, p...)
}

// variant selects among the forms of a codec.
type variant struct {
	mode   int
	scale  int  // of offsets
	second bool // Leviathan: 8 command arrays; Mermaid: coded near offsets
}

// lzWriter collects the offsets and lengths of a Kraken or Leviathan chunk.
type lzWriter struct {
	variant
	codes, lows []byte
	extra       []func(w *bitWriter) // bits of the offsets
	lengths     []int
	recent      []int
}

// selector returns the number of the recent distance, or adds a new one.
func (w *lzWriter) selector(dist int) int {
	i := slices.Index(w.recent, dist)
	sel := i
	if i < 0 {
		w.offset(dist)
		sel, i = len(w.recent), len(w.recent)-1
	}
	copy(w.recent[1:i+1], w.recent[:i])
	w.recent[0] = dist
	return sel
}

func (w *lzWriter) offset(dist int) {
	put := func(code, v, n int) {
		w.codes = append(w.codes, byte(code))
		w.extra = append(w.extra, func(b *bitWriter) { b.write(uint64(v)&(1<<n-1), n) })
	}
	if w.scale == 0 {
		v := dist + 248
		if k := log2(v >> 4); k <= 18 {
			put((k-4)<<4|v&15, v>>4, k)
			return
		}
		v = dist - 0x7EFF00
		k := log2(v >> 12)
		put(0xF0+k-4, v, k+12)
		return
	}
	if w.scale > 1 {
		w.lows = append(w.lows, byte(dist%w.scale))
		dist /= w.scale
	}
	v := dist + 8
	k := log2(v) - 3
	put(k<<3|v>>k&7, v, k)
}

// tail returns the parts behind the commands, or the offsets' part and the bits for Leviathan.
func (w *lzWriter) tail() (offsets, lengths, bitData []byte) {
	var p pairWriter
	if w.scale > 0 {
		offsets = append(offsets, byte(127+w.scale))
	}
	offsets = append(offsets, stored(w.codes)...)
	if w.scale > 1 {
		offsets = append(offsets, stored(w.lows)...)
	}
	var codes []byte
	var longs []int
	for _, n := range w.lengths {
		if n < 255+3 {
			codes = append(codes, byte(n-3))
		} else {
			codes = append(codes, 255)
			longs = append(longs, n-255-3)
		}
	}
	z := log2(len(longs) + 1)
	p[1].write(uint64(len(longs)+1), 2*z+1)
	for i, f := range w.extra {
		f(&p[i&1])
	}
	for i, n := range longs {
		k := log2(n + 64)
		p[i&1].write(1, k-6+1)
		p[i&1].write(uint64(n+64)&(1<<k-1), k)
	}
	return offsets, stored(codes), p.bytes()
}

// kraken encodes data[from:to] as one LZ chunk.
func kraken(data []byte, from, to int, v variant) []byte {
	w := lzWriter{variant: v, recent: []int{8, 8, 8}}
	var lit, cmd []byte
	head, o := first8(data, from)
	minDist := 8
	if v.scale > 0 {
		minDist = 1
	}
	for _, s := range parse(data, o, to, minDist, func(int) int { return 4 }) {
		for range s.lit {
			lit = append(lit, literal(data, o, w.recent[0], v.mode))
			o++
		}
		if s.match == 0 {
			break
		}
		f := min(s.lit, 3)
		if f == 3 {
			w.lengths = append(w.lengths, s.lit)
		}
		if s.match < 17 {
			f |= (s.match - 2) << 2
		} else {
			f |= 15 << 2
			w.lengths = append(w.lengths, s.match-14)
		}
		cmd = append(cmd, byte(f|w.selector(s.dist)<<6))
		o += s.match
	}
	offsets, lengths, bitData := w.tail()
	return slices.Concat(head, stored(lit), stored(cmd), offsets, lengths, bitData)
}

// first8 returns the raw bytes in front of the first chunk.
func first8(data []byte, from int) ([]byte, int) {
	if from > 0 {
		return nil, from
	}
	return data[:8], 8
}

func literal(data []byte, o, dist, mode int) byte {
	if mode == 1 {
		return data[o]
	}
	return data[o] - data[o-dist]
}

// leviathan encodes data[from:to] as one LZ chunk.
func leviathan(data []byte, from, to int, v variant) []byte {
	w := lzWriter{variant: v, recent: []int{8, 8, 8, 8, 8, 8, 8}}
	lit := make([][]byte, []int{1, 1, 2, 4, 16, 16}[v.mode])
	cmd := make([][]byte, 1)
	if v.second {
		cmd = make([][]byte, 8)
	}
	var back []int
	head, o := first8(data, from)
	for _, s := range parse(data, o, to, 1, func(int) int { return 4 }) {
		at := (o - from) & (len(cmd) - 1)
		for i := range s.lit {
			k, mode := 0, 0
			switch v.mode {
			case 1:
				mode = 1
			case 2:
				if i == 0 {
					k = 1
				}
			case 3, 5:
				k = (o - from) & (len(lit) - 1)
			case 4:
				k, mode = int(data[o-1]>>4), 1
			}
			lit[k] = append(lit[k], literal(data, o, w.recent[0], mode))
			o++
		}
		if s.match == 0 {
			break
		}
		f := min(s.lit, 3) << 3
		if s.lit >= 3 {
			w.lengths = append(w.lengths, s.lit)
		}
		if s.match < 9 {
			f |= s.match - 2
		} else {
			f |= 7
			back = append(back, s.match-6)
		}
		cmd[at] = append(cmd[at], byte(f|w.selector(s.dist)<<5))
		o += s.match
	}
	slices.Reverse(back)
	w.lengths = append(w.lengths, back...)
	offsets, lengths, bitData := w.tail()
	out := slices.Concat(head, offsets, lengths)
	out = append(out, arrays(lit, 0x80)...)
	if v.second {
		out = append(out, 0x83)
	}
	return append(append(out, arrays(cmd, 0x80)...), bitData...)
}

// arrays returns one array, or several as a multi-array without sources.
func arrays(all [][]byte, header byte) []byte {
	if len(all) == 1 {
		return stored(all[0])
	}
	out := []byte{header}
	for _, p := range all {
		out = append(out, stored(p)...)
	}
	return out
}

// mermaid encodes data[from:to] as one LZ chunk.
func mermaid(data []byte, from, to int, v variant) []byte {
	var lit, cmd, near, lengths, far []byte
	var farCount [2]int
	head, o := first8(data, from)
	recent, split := 8, 0
	long := func(n int) {
		if n <= 251 {
			lengths = append(lengths, byte(n))
			return
		}
		lengths = append(lengths, byte(252+n&3))
		lengths = binary.LittleEndian.AppendUint16(lengths, uint16((n-252)>>2))
	}
	literals := func(n int) {
		for range n {
			lit = append(lit, literal(data, o, recent, v.mode))
			o++
		}
	}
	mid := min(from+0x10000, to)
	for half, end := range []int{mid, to} {
		start := []int{from, mid}[half]
		for _, s := range parse(data, max(o, start), end, 1, func(dist int) int {
			if dist > 0xFFFF {
				return 8
			}
			return 4
		}) {
			if s.match == 0 {
				literals(s.lit)
				break
			}
			n := s.lit
			if n >= 64 {
				cmd = append(cmd, 0)
				long(n - 64)
				literals(n)
				n = 0
			}
			for ; n > 7; n -= 7 {
				cmd = append(cmd, 0x80|7)
				literals(7)
			}
			m := s.match
			isFar := s.dist > 0xFFFF || m >= 8 && n == 0 && s.dist >= o-start
			if isFar {
				if n > 0 {
					cmd = append(cmd, 0x80|byte(n))
					literals(n)
				}
				if m < 29 {
					cmd = append(cmd, byte(m-5))
				} else {
					cmd = append(cmd, 2)
					long(m - 29)
				}
				x := s.dist - (o - start)
				far = appendFar(far, x, start)
				farCount[half]++
				recent = s.dist
				o += m
				continue
			}
			if m >= 91 {
				if n > 0 {
					cmd = append(cmd, 0x80|byte(n))
					literals(n)
				}
				cmd = append(cmd, 1)
				long(m - 91)
				near = binary.LittleEndian.AppendUint16(near, uint16(s.dist))
				recent = s.dist
				o += m
				continue
			}
			f := byte(min(m, 15)<<3 | n)
			literals(n)
			if s.dist == recent {
				f |= 0x80
			} else {
				near = binary.LittleEndian.AppendUint16(near, uint16(s.dist))
				recent = s.dist
			}
			cmd = append(cmd, f)
			o += min(m, 15)
			for m -= min(m, 15); m > 0; m -= min(m, 15) {
				cmd = append(cmd, 0x80|byte(min(m, 15)<<3))
				o += min(m, 15)
			}
		}
		if half == 0 {
			split = len(cmd)
		}
	}
	out := slices.Concat(head, stored(lit), stored(cmd))
	if to-from > 0x10000 {
		out = binary.LittleEndian.AppendUint16(out, uint16(split))
	}
	if v.second {
		var high, low []byte
		for i := 0; i < len(near); i += 2 {
			low, high = append(low, near[i]), append(high, near[i+1])
		}
		out = slices.Concat(out, []byte{0xFF, 0xFF}, stored(high), stored(low))
	} else {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(near)/2))
		out = append(out, near...)
	}
	x := min(farCount[0], 4095)<<12 | min(farCount[1], 4095)
	out = append(out, byte(x), byte(x>>8), byte(x>>16))
	for _, n := range farCount {
		if n >= 4095 {
			out = binary.LittleEndian.AppendUint16(out, uint16(n))
		}
	}
	return slices.Concat(out, far, lengths)
}

func appendFar(far []byte, x, limit int) []byte {
	if limit < 0xC00000-1 || x < 0xC00000 {
		return append(far, byte(x), byte(x>>8), byte(x>>16))
	}
	low := x&(1<<22-1) | 0xC00000
	return append(far, byte(low), byte(low>>8), byte(low>>16), byte((x-low)>>22))
}

// chunkEncoder encodes data[from:to] as one LZ chunk.
type chunkEncoder func(data []byte, from, to int, v variant) []byte

// encode makes a stream of a codec of the current family.
func encode(data []byte, codec byte, chunk chunkEncoder, v variant) []byte {
	var out []byte
	for from := 0; from < len(data); from += 0x40000 {
		out = append(out, 0x0C, codec)
		out = append(out, quantum(data[:min(from+0x40000, len(data))], from, chunk, v)...)
	}
	if len(out) > 0 {
		out[0] |= 0x80
	}
	return out
}

// quantum encodes data[from:].
func quantum(data []byte, from int, chunk chunkEncoder, v variant) []byte {
	var q []byte
	for at := from; at < len(data); {
		end := min(at+0x20000, len(data))
		h := 1<<23 | v.mode<<19
		var p []byte
		if end-at >= 32 {
			p = chunk(data, at, end, v)
		}
		if p == nil || len(p) >= end-at {
			p, h = data[at:end], 1<<23
		}
		h |= len(p)
		q = append(append(q, byte(h>>16), byte(h>>8), byte(h)), p...)
		at = end
	}
	if len(q) >= len(data)-from {
		q = data[from:]
	}
	n := len(q) - 1
	return append([]byte{byte(n >> 16), byte(n >> 8), byte(n)}, q...)
}
