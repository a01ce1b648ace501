package oodle

const (
	maxSources = 63
	maxPiece   = 16 // largest log2 of a piece's length
)

// recursive decodes an array made of arrays: a concatenation, or a multi-array with one target.
func (d arrayDecoder) recursive(h arrayHeader, out []byte, depth int) error {
	if h.stored < 6 {
		return d.corrupt(h.pos, "recursive.stored")
	}
	b := d.src[h.pos]
	n := int(b & 0x7F)
	if n < 2 {
		return d.corrupt(h.pos, "recursive.count")
	}
	if b&0x80 != 0 {
		return d.recursiveMulti(h, out, depth)
	}
	pos := h.pos + 1
	for range n {
		a, err := d.arrayHeader(pos, h.end(), len(out))
		if err != nil {
			return err
		}
		if err := d.charge(pos, a.size); err != nil {
			return err
		}
		if err := d.payload(a, out[:a.size], depth+1); err != nil {
			return err
		}
		out, pos = out[a.size:], a.end()
	}
	if len(out) > 0 || pos != h.end() {
		return d.corrupt(pos, "recursive.end")
	}
	return nil
}

func (d arrayDecoder) recursiveMulti(h arrayHeader, out []byte, depth int) error {
	var target [1][]byte
	next, err := d.multi(h.pos, h.end(), target[:], len(out), depth+1)
	if err != nil {
		return err
	}
	if next != h.end() || len(target[0]) != len(out) {
		return d.corrupt(next, "multi.size")
	}
	copy(out, target[0])
	return nil
}

// multi decodes the multi-array at pos into targets, at most limit bytes together, and returns the position after it.
//
// A multi-array holds sources, arrays of bytes of similar statistics, and the list of pieces of them that make up each
// target.
func (d arrayDecoder) multi(pos, stop int, targets [][]byte, limit, depth int) (int, error) {
	if stop-pos < 4 || d.src[pos]&0x80 == 0 {
		return 0, d.corrupt(pos, "multi.header")
	}
	if depth > maxDepth {
		return 0, d.corrupt(pos, "depth")
	}
	n := int(d.src[pos] & 0x3F)
	pos++
	if n == 0 {
		return d.several(pos, stop, targets, limit, depth)
	}
	var all [maxSources][]byte
	sources := all[:n]
	pos, err := d.several(pos, stop, sources, limit, depth)
	if err != nil {
		return 0, err
	}
	p, next, err := d.pieceList(pos, stop, len(targets), depth)
	if err != nil {
		return 0, err
	}
	total := 0
	for _, s := range sources {
		total += len(s)
	}
	if err := d.charge(pos, total); err != nil {
		return 0, err
	}
	if !p.assemble(d.alloc(total), targets, sources) {
		return 0, d.corrupt(pos, "multi.pieces")
	}
	return next, nil
}

// several decodes one array after another, at most limit bytes together.
func (d arrayDecoder) several(pos, stop int, out [][]byte, limit, depth int) (int, error) {
	for i := range out {
		a, next, err := d.array(pos, stop, limit, depth)
		if err != nil {
			return 0, err
		}
		out[i], pos = a, next
		limit -= len(a)
	}
	return pos, nil
}

// pieces is the list of pieces: a source number (from 1) for each, 0 after the last of a target.
type pieces struct {
	index  []byte
	length []int32
	packed bool // 0 entries have a length, of no meaning, too
}

// pieceList reads the indexes, the logs and the bit data of the lengths.
func (d arrayDecoder) pieceList(pos, stop, targets, depth int) (pieces, int, error) {
	if stop-pos < 2 {
		return pieces{}, 0, d.corrupt(pos, "multi.flags")
	}
	q := le16(d.src[pos:])
	index, next, err := d.array(pos+2, stop, maxArray, depth)
	if err != nil {
		return pieces{}, 0, err
	}
	p := pieces{index: index, packed: q&0x8000 != 0}
	count := len(index) - targets
	if count < 1 {
		return pieces{}, 0, d.corrupt(pos+2, "multi.indexes")
	}
	logs := index
	if p.packed {
		count = len(index)
	} else {
		if logs, next, err = d.array(next, stop, count, depth); err != nil {
			return pieces{}, 0, err
		}
		if len(logs) != count {
			return pieces{}, 0, d.corrupt(pos, "multi.logs")
		}
	}
	size := q & 0x3FFF
	if size > stop-next {
		return pieces{}, 0, d.corrupt(pos, "multi.bits")
	}
	if cap(d.pieces) < count {
		d.pieces = make([]int32, count, count+count/2)
	}
	p.length = d.pieces[:count]
	shift := 0
	if p.packed {
		shift = 4
	}
	bits := d.pair(d.src[next : next+size])
	if !readPieces(&bits, p.length, logs, shift) {
		return pieces{}, 0, d.corrupt(next, "multi.lengths")
	}
	return p, next + size, nil
}

// readPieces reads the lengths, whose log2 is in the bits of logs from shift on, from both ends in turn.
func readPieces(b *bitPair, length []int32, logs []byte, shift int) bool {
	for i := range length {
		k := int(logs[i] >> shift)
		if k > maxPiece || b.over() {
			return false
		}
		if i&1 == 0 {
			length[i] = int32(1<<k + top(b.peekA(), k))
			b.a += k
		} else {
			length[i] = int32(1<<k + top(b.peekB(), k))
			b.b += k
		}
	}
	return b.met()
}

// assemble builds the targets in buf, which has the size of all sources. It reports whether everything was used up.
func (p *pieces) assemble(buf []byte, targets, sources [][]byte) bool {
	mask := byte(0xFF)
	if p.packed {
		mask = 15
	}
	length, t, start, end := p.length, 0, 0, 0
	for _, v := range p.index {
		s := int(v & mask)
		if s == 0 {
			if t == len(targets) {
				return false
			}
			targets[t] = buf[start:end:min(end+slack, cap(buf))]
			start = end
			t++
			if p.packed {
				length = length[1:]
			}
			continue
		}
		if s > len(sources) || len(length) == 0 {
			return false
		}
		n := int(length[0])
		length = length[1:]
		if n > len(sources[s-1]) {
			return false
		}
		copy(buf[end:], sources[s-1][:n])
		sources[s-1] = sources[s-1][n:]
		end += n
	}
	return t == len(targets) && start == end && end == len(buf) && len(length) == 0
}
