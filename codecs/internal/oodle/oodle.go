package oodle

import "strconv"

// Codec is the decoder type of a block, the low 7 bits of its second byte.
type Codec uint8

// The codecs that this package decodes. Selkie is an encoder's choice inside Mermaid, Hydra one among all of them.
const (
	LZNA      Codec = 5
	Kraken    Codec = 6
	Mermaid   Codec = 10
	BitKnit   Codec = 11
	Leviathan Codec = 12
)

// String returns the codec's name, "codec N" for one that has none here, and "" for 0.
func (c Codec) String() string {
	switch c {
	case 0:
		return ""
	case LZNA:
		return "LZNA"
	case Kraken:
		return "Kraken"
	case Mermaid:
		return "Mermaid"
	case BitKnit:
		return "BitKnit"
	case Leviathan:
		return "Leviathan"
	}
	return "codec " + strconv.Itoa(int(c))
}

// Decode decodes src into dst. See [Decoder.Decode]; a Decoder saves the allocations when there are many blocks.
func Decode(dst, src []byte) (int, error) {
	var d Decoder
	return d.Decode(dst, src)
}

// Decoder decodes streams one after another and keeps its working memory between them, so that it allocates nothing
// once it has seen blocks of the usual size. The zero value is ready. A Decoder must not be used by two goroutines at
// once; use one for each.
//
// Its memory stays at a few MiB, whatever the stream says.
type Decoder struct {
	src   []byte
	dst   []byte // the window: dst[:raw] is decoded
	raw   int    // start of the chunk in work
	codec Codec
	part  string // what the array in work holds, prefix of the fields of its errors

	work    int    // bytes that the arrays of this chunk may still decode to
	arena   []byte // arrays of this chunk
	arenaN  int    // part of arena in use
	pad     []byte // see pair
	offsets []uint32
	lengths []int32
	pieces  []int32 // lengths of a multi-array
	longs   [maxLongs]int32

	huff    huffTable
	tans    *tansTable
	lzna    *lznaState
	bitKnit *bitKnitState
}

// Decode decodes the stream src, which must be complete and without padding behind it, into dst. len(dst) must be the
// exact decoded size, known from the container; nothing is written beyond it. dst and src must not overlap.
//
// It returns len(dst) and nil, or an [*Error] together with the number of bytes at the start of dst that were decoded
// before the damaged chunk; the bytes of dst behind those are then unspecified. A stream has no checksum: damage may
// also go unnoticed and give wrong bytes, so verify the container's hash where it matters.
func (d *Decoder) Decode(dst, src []byte) (int, error) {
	d.dst, d.src = dst, src
	d.raw, d.codec, d.part = 0, 0, ""
	err := d.blocks()
	n := d.raw
	d.dst, d.src = nil, nil
	return n, err
}

const (
	blockSize = 0x40000 // raw bytes behind a block header
	chunkSize = 0x20000 // raw bytes of a chunk of Kraken, Mermaid, Leviathan

	flagStored   = 0x40
	flagRestart  = 0x80
	flagChecksum = 0x80
)

// blockHeader is the 2-byte header before each blockSize of raw bytes.
type blockHeader struct {
	stored, restart, checksum bool
	codec                     Codec
}

// blocks decodes the whole stream. d.raw only grows by complete chunks.
func (d *Decoder) blocks() error {
	pos := 0
	for d.raw < len(d.dst) {
		h, err := d.blockHeader(pos)
		if err != nil {
			return err
		}
		end := d.raw + min(blockSize, len(d.dst)-d.raw)
		if pos, err = d.block(pos+2, end, h); err != nil {
			return err
		}
	}
	if pos != len(d.src) {
		return d.corrupt(pos, "end")
	}
	return nil
}

func (d *Decoder) blockHeader(pos int) (blockHeader, error) {
	if len(d.src)-pos < 2 {
		return blockHeader{}, d.corrupt(pos, "block.header")
	}
	b0, b1 := d.src[pos], d.src[pos+1]
	if b0&0x3F != 0x0C {
		return blockHeader{}, d.corrupt(pos, "block.magic")
	}
	d.codec = Codec(b1 & 0x7F)
	return blockHeader{
		stored:   b0&flagStored != 0,
		restart:  b0&flagRestart != 0,
		checksum: b1&flagChecksum != 0,
		codec:    d.codec,
	}, nil
}

// block decodes dst[d.raw:end] from the bytes behind a block header and returns the position of the next one.
func (d *Decoder) block(pos, end int, h blockHeader) (int, error) {
	small := false
	switch h.codec {
	case Kraken, Mermaid, Leviathan:
		if h.restart && d.raw > 0 && !h.stored {
			return 0, d.unsupported(pos-2, "block.restart", "restart inside a stream")
		}
	case LZNA, BitKnit:
		if h.restart || d.raw == 0 {
			smallDecoder{d}.resetModels()
		}
		small = true
	default:
		return 0, d.unsupported(pos-1, "block.codec", "Oodle "+h.codec.String())
	}
	if h.stored {
		return d.stored(pos, end, "block.stored")
	}
	if !small {
		return d.quantum(pos, end, h)
	}
	for d.raw < end {
		var err error
		pos, err = smallDecoder{d}.smallQuantum(pos, d.raw+min(smallQuantumSize, end-d.raw), h)
		if err != nil {
			return 0, err
		}
	}
	return pos, nil
}

// arrays returns what decodes the arrays of a chunk.
func (d *Decoder) arrays() arrayDecoder { return arrayDecoder{d} }

// stored copies dst[d.raw:end] from src.
func (d *Decoder) stored(pos, end int, field string) (int, error) {
	n := end - d.raw
	if n > len(d.src)-pos {
		return 0, d.corrupt(pos, field)
	}
	copy(d.dst[d.raw:end], d.src[pos:])
	d.raw = end
	return pos + n, nil
}

// fill sets dst[d.raw:end] to the byte at pos.
func (d *Decoder) fill(pos, end int, field string) (int, error) {
	if pos >= len(d.src) {
		return 0, d.corrupt(pos, field)
	}
	fillBytes(d.dst[d.raw:end], d.src[pos])
	d.raw = end
	return pos + 1, nil
}

// fillBytes sets all of p to b, copying what is there already: a loop over long runs is slower.
func fillBytes(p []byte, b byte) {
	n := min(len(p), 16)
	for i := range n {
		p[i] = b
	}
	for ; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

func be24(p []byte) int { return int(p[0])<<16 | int(p[1])<<8 | int(p[2]) }

func le24(p []byte) int { return int(p[2])<<16 | int(p[1])<<8 | int(p[0]) }

func le16(p []byte) int { return int(p[1])<<8 | int(p[0]) }
