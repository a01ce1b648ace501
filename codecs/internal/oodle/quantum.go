package oodle

// maxQuantum is the size field's value of a quantum that is no compressed one.
const maxQuantum = 0x3FFFF

// checksumSize is skipped after a quantum header: the checksum's algorithm is unknown.
const checksumSize = 3

// quantum decodes dst[d.raw:end] from one quantum of Kraken, Mermaid or Leviathan.
func (d *Decoder) quantum(pos, end int, h blockHeader) (int, error) {
	if len(d.src)-pos < 3 {
		return 0, d.corrupt(pos, "quantum.header")
	}
	v := be24(d.src[pos:])
	size := v&maxQuantum + 1
	if size > maxQuantum {
		if v>>18 != 1 {
			return 0, d.corrupt(pos, "quantum.kind")
		}
		return d.fill(pos+3, end, "quantum.fill")
	}
	header := pos
	pos += 3
	if h.checksum {
		pos += checksumSize
	}
	if size > len(d.src)-pos || size > end-d.raw {
		return 0, d.corrupt(header, "quantum.size")
	}
	if size == end-d.raw {
		return d.stored(pos, end, "quantum.stored")
	}
	return pos + size, d.chunks(pos, pos+size, end)
}

// chunks decodes dst[d.raw:end] from the chunks in src[pos:stop].
func (d *Decoder) chunks(pos, stop, end int) error {
	for d.raw < end {
		next, err := d.chunk(pos, stop, d.raw+min(chunkSize, end-d.raw))
		if err != nil {
			return err
		}
		pos = next
	}
	if pos != stop {
		return d.corrupt(pos, "quantum.end")
	}
	return nil
}

// chunk decodes dst[d.raw:end] from the chunk at pos, which must not go beyond stop.
func (d *Decoder) chunk(pos, stop, end int) (int, error) {
	if stop-pos < 4 {
		return 0, d.corrupt(pos, "chunk.header")
	}
	r := end - d.raw
	d.work = 8*r + 64<<10
	d.arenaN = 0
	h := be24(d.src[pos:])
	if h>>23 == 0 {
		d.part = "chunk"
		next, err := d.arrays().arrayInto(pos, stop, d.dst[d.raw:end], 0)
		if err == nil {
			d.raw = end
			d.part = ""
		}
		return next, err
	}
	size, mode := h&0x7FFFF, h>>19&15
	if size > stop-pos-3 || size > r || size == r && mode != 0 {
		return 0, d.corrupt(pos, "chunk.size")
	}
	pos += 3
	if size == r {
		return d.stored(pos, end, "chunk.stored")
	}
	err := d.lzChunk(pos, pos+size, end, mode)
	if err == nil {
		d.raw = end
	}
	return pos + size, err
}

// lzChunk decodes dst[d.raw:end] from an LZ chunk, src[pos:stop].
func (d *Decoder) lzChunk(pos, stop, end, mode int) error {
	switch d.codec {
	case Mermaid:
		return chunkDecoder{d}.mermaid(pos, stop, end, mode)
	case Leviathan:
		return chunkDecoder{d}.leviathan(pos, stop, end, mode)
	default:
		return chunkDecoder{d}.kraken(pos, stop, end, mode)
	}
}

// first8 copies the 8 raw bytes that open an LZ chunk at the start of the window. It returns the positions after them.
func (d *Decoder) first8(pos, stop, end int) (srcPos, dstPos int, err error) {
	if d.raw > 0 {
		return pos, d.raw, nil
	}
	if stop-pos < 8 || end < 8 {
		return 0, 0, d.corrupt(pos, "first8")
	}
	copy(d.dst[:8], d.src[pos:])
	return pos + 8, 8, nil
}

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
