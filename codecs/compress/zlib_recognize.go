package compress

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"

	"pakdb/codecs/internal/inflate"
)

// Recognize finds parameters with which zlib makes stored from decoded, and
// reports whether there are any: all levels, memory levels and window sizes are
// tried, with the default strategy. Those in first are tried before all others;
// the parameters of a stream's neighbours are a good choice, since archives are
// made with one set.
//
// A wrong guess costs little. The header shows the window and a few levels; the
// number of symbols in the first block shows the memory level, and whether
// zlib can have made it at all; and the symbols are compared with those of the
// first block while they are found. That zlib did not make a stream is usually
// known after some hundred symbols of each guess.
//
// What is found makes stored, but need not be what its author used: short
// inputs come out the same with many parameters. decoded must be what stored
// decodes to, or nothing is found.
func (e *ZlibEncoder) Recognize(stored, decoded []byte, first ...ZlibParams) (ZlibParams, bool) {
	wrapped := isWrapped(stored, decoded)
	stream := stored
	if wrapped {
		stream = stored[2:]
	}
	var last, known bool
	e.wantSyms, last, known = firstBlock(stream, e.wantSyms[:0], mostSymbols)
	defer func() { e.wantSyms = e.wantSyms[:0] }()
	if !known {
		e.wantSyms = e.wantSyms[:0]
	}
	for p := range guesses(first, !wrapped) {
		if n := 1<<(p.MemLevel+6) - 1; known && (!last && len(e.wantSyms) != n || len(e.wantSyms) > n) {
			continue
		}
		if e.makes(stored, decoded, p) {
			return p, true
		}
	}
	return ZlibParams{}, false
}

// Makes reports whether zlib makes stored from decoded with p. It gives up at
// the end of the first block that differs.
func (e *ZlibEncoder) Makes(stored, decoded []byte, p ZlibParams) bool {
	return e.makes(stored, decoded, p.filled())
}

func (e *ZlibEncoder) makes(stored, decoded []byte, p ZlibParams) bool {
	h := p.header()
	if p.check() != nil || uint64(len(decoded)) >= zlibMaxInput || !p.Raw && !bytes.HasPrefix(stored, h[:]) {
		return false
	}
	e.begin(e.spare[:0], decoded, p)
	e.want = stored
	if len(e.wantSyms) > 0 {
		e.stop = min(e.stop, firstCheck)
	}
	e.encode()
	same := e.agreed || !e.off && bytes.Equal(e.w.out, stored)
	e.spare, e.want = e.w.out, nil
	e.end()
	return same
}

// probeSymbols is how many symbols Begins compares: those of 3 to 10 KiB of most
// contents.
const probeSymbols = 1 << 10

// Begins reports whether what zlib makes from decoded with p has the header of
// stored, and the same symbols at its front. Where that holds, zlib nearly
// always made stored with p, and it is known for a tenth of the time that
// [ZlibEncoder.Makes] takes. A stream of fewer symbols is compared wholly.
func (e *ZlibEncoder) Begins(stored, decoded []byte, p ZlibParams) bool {
	p = p.filled()
	stream := stored
	if !p.Raw {
		stream = stored[min(2, len(stored)):]
	}
	var last, all bool
	if e.wantSyms, last, all = firstBlock(stream, e.wantSyms[:0], probeSymbols); all && !last {
		e.wantSyms = e.wantSyms[:0] // blocks of few symbols; compare streams
	}
	e.probing = !all && len(e.wantSyms) == probeSymbols
	defer func() { e.wantSyms, e.probing = e.wantSyms[:0], false }()
	return e.makes(stored, decoded, p)
}

// firstCheck is after how many symbols a trial is compared for the first time.
const firstCheck = 64

// full is called when the block has as many symbols as stop says: it is
// complete, or a trial is to be compared. It reports whether to give up.
func (e *ZlibEncoder) full(pos int) (giveUp bool) {
	if e.symCount == len(e.syms) {
		return e.flush(pos, false)
	}
	e.stop = min(2*e.stop, len(e.syms))
	n := min(e.symCount, len(e.wantSyms))
	e.off = n < e.symCount || !slices.Equal(e.syms[:n], e.wantSyms[:n])
	e.agreed = e.probing && !e.off && n == probeSymbols
	return e.off || e.agreed
}

// isWrapped reports whether stored has header and end of RFC 1950. Its first
// bytes could be the begin of a bare stream too, the Adler-32 at its end could
// not.
func isWrapped(stored, decoded []byte) bool {
	if len(stored) < 6 {
		return false
	}
	h, sum := binary.BigEndian.Uint16(stored), binary.BigEndian.Uint32(stored[len(stored)-4:])
	return h>>8&15 == 8 && h%31 == 0 && sum == inflate.Adler32(decoded)
}

// guesses yields parameters, the likeliest first.
func guesses(first []ZlibParams, raw bool) iter.Seq[ZlibParams] {
	return func(yield func(ZlibParams) bool) {
		for _, p := range first {
			if p.Raw == raw && !yield(p.filled()) {
				return
			}
		}
		for _, mem := range []uint8{8, 9, 7, 6, 5, 4, 3, 2, 1} {
			for _, window := range []uint8{15, 14, 13, 12, 11, 10, 9, 8} {
				for _, level := range []uint8{6, 1, 9, 5, 4, 3, 2, 7, 8, 0} {
					if !yield(ZlibParams{Level: level, MemLevel: mem, WindowBits: window, Raw: raw}) {
						return
					}
				}
			}
		}
	}
}
