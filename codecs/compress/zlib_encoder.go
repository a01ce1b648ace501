package compress

import (
	"bytes"
	"encoding/binary"
	"math"

	"pakdb/codecs/internal/inflate"
)

const (
	zlibMinMatch = 3
	maxMatch     = 258
	minLookahead = maxMatch + zlibMinMatch + 1 // what zlib wants to see before it decides
	tooFar       = 4096                        // matches of 3 bytes are not worth a larger distance
	ringSize     = 1 << 15                     // the largest window
	zlibMaxInput = math.MaxUint32              // positions have 32 bits
)

// ZlibEncoder makes deflate streams. The zero value is ready; it grows to about
// 400 KiB at the first use of a level below 4, by 700 KiB at that of a higher
// one, and allocates nothing after that but what dst lacks. An Encoder is not
// safe for concurrent use; what it makes depends on source and parameters alone,
// never on what it made before.
type ZlibEncoder struct {
	p      ZlibParams
	search search

	src []byte
	w   bitWriter

	hashShift uint
	hashMask  uint32
	buckets   *buckets // the hash chains of lazy

	// The hash chains of greedy. A stored position is the position in src plus
	// shift, which grows by the length of each input, so that what earlier inputs
	// left by it lies below every position and needs no clearing.
	head  []uint32          // by hash: the latest position
	prev  *[ringSize]uint32 // by position: the one before of the same hash
	shift uint32

	// zlib's window, which is not there, but decides when a block can still be
	// stored and which position counts as none.
	window  int // its size
	maxDist int // furthest match
	base    int // position in src at which it begins
	filled  int // position up to which it holds src

	blockStart int
	syms       []uint32 // of the current block: distance<<8 | length-3, or a literal byte
	symCount   int
	stop       int // at how many symbols to ask what to do

	codes codes

	// An encoding that is tried: see Recognize.
	want     []byte   // what out must become, nil otherwise
	wantSyms []uint32 // the symbols of its first block, none otherwise
	off      bool     // it does not become that
	probing  bool     // the symbols at hand decide
	agreed   bool     // they do agree
	spare    []byte   // kept for the next trial's out
}

// Encode appends the stream that zlib makes of src to dst and returns the
// extended slice. Errors wrap [ErrZlibParams] or [ErrZlibTooLarge]; dst is then
// returned as it was. src and the spare capacity of dst must not overlap.
func (e *ZlibEncoder) Encode(dst, src []byte, p ZlibParams) ([]byte, error) {
	p = p.filled()
	if err := p.check(); err != nil {
		return dst, err
	}
	if uint64(len(src)) >= zlibMaxInput {
		return dst, ErrZlibTooLarge
	}
	e.begin(dst, src, p)
	e.encode()
	out := e.w.out
	e.end()
	return out, nil
}

// end lets go of what the caller gave.
func (e *ZlibEncoder) end() { e.src, e.w.out = nil, nil }

func (e *ZlibEncoder) begin(dst, src []byte, p ZlibParams) {
	e.p, e.search, e.src, e.w.out = p, searches[p.Level], src, dst
	e.window = 1 << max(p.WindowBits, 9)
	e.maxDist = e.window - minLookahead
	e.base, e.filled, e.blockStart = 0, 0, 0
	e.w.bits, e.w.nbits = 0, 0
	e.symCount, e.off, e.agreed = 0, false, false
	if n := 1<<(p.MemLevel+6) - 1; len(e.syms) != n {
		e.syms = resize(e.syms, n)
	}
	e.stop = len(e.syms)
	e.prepareHash(uint(p.MemLevel) + 7)
}

// prepareHash makes the tables ready for positions of src. hashShift is such
// that a byte has left the hash when three have followed it.
func (e *ZlibEncoder) prepareHash(bits uint) {
	e.hashShift = (bits + zlibMinMatch - 1) / zlibMinMatch
	e.hashMask = 1<<bits - 1
	if e.search.slow {
		if e.buckets == nil {
			e.buckets = new(buckets)
		}
		e.buckets.to = 0
		return
	}
	if e.prev == nil {
		e.prev = new([ringSize]uint32)
	}
	if e.shift == 0 || uint64(e.shift)+uint64(len(e.src)) > math.MaxUint32 {
		clear(e.head[:cap(e.head)])
		e.shift = 1
	}
	e.head = resize(e.head, 1<<bits)
}

// resize keeps what is there: positions of earlier inputs do no harm.
func resize(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	return s[:n]
}

func (e *ZlibEncoder) encode() {
	if !e.p.Raw {
		h := e.p.header()
		e.w.out = append(e.w.out, h[:]...)
	}
	switch {
	case e.p.Level == 0:
		e.store()
	case e.p.Strategy == ZlibHuffmanOnly:
		e.literals()
	case e.p.Strategy == ZlibRLE:
		e.runs()
	case e.search.slow:
		e.lazy()
	default:
		e.greedy()
		e.shift += uint32(len(e.src))
	}
	if !e.p.Raw && !e.off && !e.agreed {
		e.w.out = binary.BigEndian.AppendUint32(e.w.out, inflate.Adler32(e.src))
	}
}

// fill follows zlib's fill_window at a position: it moves the window and takes
// in more of src. zlib calls it when fewer than minLookahead bytes are ahead.
func (e *ZlibEncoder) fill(pos int) {
	for {
		more := e.base + 2*e.window - e.filled
		if pos-e.base >= e.window+e.maxDist {
			e.base += e.window
			more += e.window
		}
		if e.filled == len(e.src) {
			return
		}
		e.filled += min(more, len(e.src)-e.filled)
		if e.filled-pos >= minLookahead {
			return
		}
	}
}

// store is level 0: blocks as long as they may be.
func (e *ZlibEncoder) store() {
	const most = 65535
	for src := e.src; ; {
		n := min(len(src), most)
		e.w.writeStored(src[:n], n == len(src))
		if src = src[n:]; len(src) == 0 {
			break
		}
	}
}

// tally adds a symbol to the block. The caller looks at stop next.
func (e *ZlibEncoder) tally(sym uint32) {
	e.syms[e.symCount] = sym
	e.symCount++
}

// flush is _tr_flush_block: it writes the source from blockStart to pos, whose
// symbols have been tallied, as the kind of block that is smallest. It reports
// whether to give up, because a trial has gone another way.
func (e *ZlibEncoder) flush(pos int, last bool) (giveUp bool) {
	c, syms := &e.codes, e.syms[:e.symCount]
	c.reset()
	c.count(syms)
	lens := c.build()
	best, fixed := (c.best+3+7)/8, (c.fixed+3+7)/8
	if fixed <= best || e.p.Strategy == ZlibFixed {
		best = fixed
	}
	// A block whose begin has left zlib's window cannot be stored any more.
	stored := pos - e.blockStart
	switch {
	case stored+4 <= best && e.blockStart >= e.base:
		e.w.writeStored(e.src[e.blockStart:pos], last)
	case best == fixed:
		e.w.blockHeader(fixedBlock, last)
		e.w.writeSymbols(syms, fixedLit[:], fixedDist[:], c.fixed)
	default:
		e.w.blockHeader(dynamicBlock, last)
		e.w.writeTrees(c, lens)
		e.w.writeSymbols(syms, c.lit[:], c.dist[:], c.best)
	}
	if last {
		e.w.align()
	}
	e.symCount, e.stop, e.blockStart = 0, len(e.syms), pos
	e.off = e.want != nil && !bytes.HasPrefix(e.want, e.w.out)
	return e.off
}
