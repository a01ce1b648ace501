package oodle

// maxQuantum is the size field's value of a quantum that is no compressed one.
const maxQuantum = 0x3FFFF

// checksumSize is skipped behind a quantum header: the checksum's algorithm is unknown.
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

// first8 copies the 8 raw bytes that open an LZ chunk at the start of the window. It returns the positions behind them.
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
