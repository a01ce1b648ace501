// Package oodle decodes Oodle LZ streams: the compression blocks of method "Oodle" in Unreal Engine's .pak and .ucas
// files, and the same streams elsewhere. It is pure Go without unsafe, uses the standard library only, and can be
// imported on its own. It does not compress.
//
// A stream says neither where it ends nor how much it decodes to, so both must be known from the container:
//
//	dst := make([]byte, rawSize)
//	_, err := oodle.Decode(dst, block)
//
// For many blocks keep a [Decoder] per goroutine; it allocates nothing once it has seen blocks of the usual size.
//
//	var d oodle.Decoder
//	for _, b := range blocks {
//		if _, err := d.Decode(dst[:b.rawSize], b.stored); err != nil {
//			return err
//		}
//	}
//
// # Streams
//
// FORMAT.md has the names of the parts, as errors use them, and what was observed. In short, all sizes in bytes:
//
//	stream   { block header (2), data } for each 0x40000 of output
//	block    stored bytes; or one quantum (Kraken, Mermaid, Leviathan); or one for each 0x4000 (LZNA, BitKnit)
//	quantum  header, then a fill byte, stored bytes, a copy of earlier bytes (LZNA, BitKnit), or compressed data
//	chunk    of a quantum of the newer codecs, for each 0x20000: stored bytes, one array, or LZ data
//	array    bytes that are stored, run-length, Huffman or tANS coded, or put together from other arrays
//	LZ data  arrays of literals, commands, offsets and lengths, and bits after them
//
// A command is a run of literals and a match with earlier output. The newer codecs first decode all arrays and
// then run the commands, which are whole bytes; LZNA and BitKnit read adaptive models step by step.
//
//	byte 0  0x0C, +0x40 stored block, +0x80 restart (set in the first block)
//	byte 1  codec: 5 LZNA, 6 Kraken, 10 Mermaid and Selkie, 11 BitKnit, 12 Leviathan; +0x80 quanta have checksums
//
// Each call decodes one whole stream with a window of its own, as Unreal Engine makes them: at most 64 KiB by default,
// but any size works.
//
// # Limits
//
// Errors wrap [ErrCorrupt], or [errors.ErrUnsupported] for older codecs (0 to 4, 7 to 9), for a restart in the middle
// of a stream of the newer codecs, and for the "excess" flag of Kraken, whose meanings are not known. Checksums
// in quantum headers are skipped, their algorithm is unknown; the streams of Unreal Engine have none. Dictionaries and
// windows that go on between calls are not supported.
//
// # Untrusted input
//
// Decode never writes outside dst nor reads outside src, does not panic, and needs a few MiB of memory at most beside
// dst. Its time is bound by the sizes of dst and src: nested arrays have a depth limit, and all arrays of a chunk
// together may decode to eight times its output. Damage does not always cause an error, as there is no checksum: a container's hash shows it.
//
// # Source
//
// The package was written from a description of the format in prose, with test vectors, and not from other decoders.
// Kraken is verified with files made by Unreal Engine 5.8.1, Mermaid and Leviathan with vectors, LZNA and BitKnit only
// by round trips through encoders made from the same description.
package oodle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

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

// Decode decodes the stream src, which must be complete and without padding after it, into dst. len(dst) must be the
// exact decoded size, known from the container; nothing is written beyond it. dst and src must not overlap.
//
// It returns len(dst) and nil, or an [*Error] together with the number of bytes at the start of dst that were decoded
// before the damaged chunk; the bytes of dst after those are then unspecified. A stream has no checksum: damage may
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
	blockSize = 0x40000 // raw bytes after a block header
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

// block decodes dst[d.raw:end] from the bytes after a block header and returns the position of the next one.
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

// fillBytes sets all of p to b, copying bytes that are set already: a loop over long runs is slower.
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

// minWide is the distance from which on a match can be copied 8 bytes at a time.
const minWide = 8

// copyMatch makes n bytes at out[o:] from those at a distance dist, one after another: an overlap repeats. It reports
// whether the match lies inside out and begins at or after its start.
func copyMatch(out []byte, o, n, dist int) bool {
	if n > len(out)-o || uint(dist-1) >= uint(o) {
		return false
	}
	// A copy doubles what there is to copy from: dist bytes at first.
	s := o - dist
	for n > 0 {
		c := copy(out[o:o+n], out[s:o])
		o += c
		n -= c
	}
	return true
}

// copyDelta makes len(lit) bytes at out[o:], each the sum of one of lit and the byte at a distance dist, which may be
// one of those just made. The caller has checked the room and the distance.
func copyDelta(out []byte, o int, lit []byte, dist int) {
	if dist >= minWide {
		for ; len(lit) >= 8; lit = lit[8:] {
			a := binary.LittleEndian.Uint64(lit)
			b := binary.LittleEndian.Uint64(out[o-dist:])
			binary.LittleEndian.PutUint64(out[o:], addBytes(a, b))
			o += 8
		}
	}
	for i, v := range lit {
		out[o+i] = v + out[o+i-dist]
	}
}

// addBytes adds the 8 bytes of a and b, each mod 256.
func addBytes(a, b uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return (a&low + b&low) ^ (a^b)&^low
}

// ErrCorrupt is wrapped by every error about a stream that breaks the format: damaged, truncated, not Oodle at all, or
// made for another decoded size than len(dst).
var ErrCorrupt = errors.New("corrupt")

// Error says where decoding stopped and why. Err wraps [ErrCorrupt], or [errors.ErrUnsupported] when the stream may be
// sound but uses a codec or a feature that this package does not know.
type Error struct {
	Codec  string // "Kraken", ...; empty while the codec is not known yet
	Field  string // the part of the stream, named as in FORMAT.md: "quantum.size", "commands.huffman.lengths"
	Offset int    // bytes into src of the part, or of the place in it where it went wrong
	Raw    int    // decoded bytes before the chunk that holds the part
	Err    error
}

// Error formats the codec, the field, the offset in src, the position in dst and the cause.
func (e *Error) Error() string {
	codec := e.Codec
	if codec == "" {
		codec = "stream"
	}
	return fmt.Sprintf("oodle: %s %s at %#x (raw %#x): %v", codec, e.Field, e.Offset, e.Raw, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func (d *Decoder) fail(off int, field string, err error) error {
	if d.part != "" {
		field = d.part + "." + field
	}
	return &Error{Codec: d.codec.String(), Field: field, Offset: off, Raw: d.raw, Err: err}
}

func (d *Decoder) corrupt(off int, field string) error { return d.fail(off, field, ErrCorrupt) }

func (d *Decoder) unsupported(off int, field, what string) error {
	return d.fail(off, field, fmt.Errorf("%w: %s", errors.ErrUnsupported, what))
}
