package oodle

// The quanta of LZNA and BitKnit are of smallQuantumSize raw bytes.
const (
	smallQuantumSize = 0x4000
	maxSmallQuantum  = 0x3FFF // the size field's value of a quantum that is no compressed one
	maxMatchShift    = 21     // of the variable-length part of a whole match's distance
)

// smallDecoder decodes quanta of LZNA and BitKnit.
type smallDecoder struct{ *Decoder }

// resetModels brings the adaptive models to their start values.
func (d smallDecoder) resetModels() {
	switch d.codec {
	case LZNA:
		if d.lzna == nil {
			d.lzna = new(lznaState)
		}
		d.lzna.reset()
	case BitKnit:
		if d.bitKnit == nil {
			d.bitKnit = new(bitKnitState)
		}
		d.bitKnit.reset()
	}
}

// smallQuantum decodes dst[d.raw:end] from one quantum of LZNA or BitKnit.
func (d smallDecoder) smallQuantum(pos, end int, h blockHeader) (int, error) {
	if len(d.src)-pos < 2 {
		return 0, d.corrupt(pos, "quantum.header")
	}
	v := be16(d.src[pos:])
	size := v&maxSmallQuantum + 1
	if size > maxSmallQuantum {
		return d.specialQuantum(pos, end, v>>14)
	}
	header := pos
	pos += 2
	if h.checksum {
		pos += checksumSize
	}
	if size > len(d.src)-pos || size > end-d.raw {
		return 0, d.corrupt(header, "quantum.size")
	}
	if size == end-d.raw {
		return d.stored(pos, end, "quantum.stored")
	}
	src, out := d.src[pos:pos+size], d.dst[:end]
	ok := false
	if d.codec == LZNA {
		ok = d.lzna.decode(out, d.raw, src)
	} else {
		ok = d.bitKnit.decode(out, d.raw, src)
	}
	if !ok {
		return 0, d.corrupt(pos, "quantum.data")
	}
	d.raw = end
	return pos + size, nil
}

// specialQuantum decodes a fill, a stored quantum or a match that is the whole quantum.
func (d smallDecoder) specialQuantum(pos, end, kind int) (int, error) {
	switch kind {
	case 0:
		return d.wholeMatch(pos, end)
	case 1:
		return d.fill(pos+2, end, "quantum.fill")
	case 2:
		return d.stored(pos+2, end, "quantum.stored")
	}
	return 0, d.corrupt(pos, "quantum.kind")
}

// wholeMatch decodes a quantum that is a copy of earlier bytes.
func (d smallDecoder) wholeMatch(pos, end int) (int, error) {
	start := pos
	pos += 2
	if len(d.src)-pos < 2 {
		return 0, d.corrupt(start, "quantum.match")
	}
	w := be16(d.src[pos:])
	pos += 2
	dist := uint64(w) - 0x7FFF
	if w < 0x8000 {
		x, next, err := d.matchNumber(pos)
		if err != nil {
			return 0, err
		}
		pos = next
		dist = 0x8001 + uint64(w) + x<<15
	}
	if dist > uint64(d.raw) || !copyMatch(d.dst[:end], d.raw, end-d.raw, int(dist)) {
		return 0, d.corrupt(start, "quantum.match")
	}
	d.raw = end
	return pos, nil
}

// matchNumber reads the variable-length part of a distance: 7 bits a byte, the last byte marked.
func (d smallDecoder) matchNumber(pos int) (x uint64, next int, err error) {
	for shift := 0; shift <= maxMatchShift && pos < len(d.src); shift += 7 {
		b := uint64(d.src[pos])
		pos++
		if b >= 0x80 {
			return x + (b-0x80)<<shift, pos, nil
		}
		x += (b + 0x80) << shift
	}
	return 0, 0, d.corrupt(pos, "quantum.match")
}

func be16(p []byte) int { return int(p[0])<<8 | int(p[1]) }
