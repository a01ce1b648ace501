package compress

import (
	"errors"
	"io"
)

const (
	lz4Window = 64 << 10 // how far back a match can lie, and one byte more
	lz4Ahead  = 256 << 10
	lz4Match  = 4 // bytes of a match that its length does not count
)

// lz4Reader decodes one block while it is read.
type lz4Reader struct {
	src  io.Reader
	in   []byte // read, not decoded yet
	end  error  // of src
	some bool   // there was input

	out  []byte // the last 64 KiB, and what follows
	from int    // what was handed out of it
	left int64  // bytes that the block is yet to yield

	literals, match int64 // of the sequence that is being decoded
	distance        int
	begun           bool // its match is yet to come
	low             byte // the token's part of the length of the match
	ended           bool // by a sequence without a match
	err             error

	inBuf, outBuf []byte
}

// NewLZ4Reader returns the content of the one raw LZ4 block in src, of size bytes, in
// memory of the same size for any block. What [Decode] refuses it refuses too, but only
// after what stands before the damage was read.
func NewLZ4Reader(src io.Reader, size int64) io.Reader {
	r := &lz4Reader{src: src, left: size, inBuf: make([]byte, 64<<10), outBuf: make([]byte, lz4Window+lz4Ahead)}
	r.out = r.outBuf[:0]
	return r
}

func (r *lz4Reader) Read(p []byte) (int, error) {
	for r.from == len(r.out) {
		if r.err != nil {
			return 0, r.err
		}
		if keep := len(r.out) - lz4Window; keep > 0 {
			r.out = r.outBuf[:copy(r.outBuf, r.out[keep:])]
			r.from = len(r.out)
		}
		r.err = r.decode()
	}
	n := copy(p, r.out[r.from:])
	r.from += n
	return n, nil
}

// decode fills out. It returns [io.EOF] when the block ends with it, as it should.
func (r *lz4Reader) decode() error {
	for {
		room := cap(r.out) - len(r.out)
		switch {
		case r.literals > 0:
			if room == 0 {
				return nil
			}
			if !r.more() {
				return r.short()
			}
			n := min(int64(len(r.in)), r.literals, int64(room))
			r.out = append(r.out, r.in[:n]...)
			r.in = r.in[n:]
			r.literals -= n
		case r.match > 0:
			if room == 0 {
				return nil
			}
			n := int(min(r.match, int64(room)))
			r.repeat(n)
			r.match -= int64(n)
		case r.begun:
			if done, err := r.matchOf(); done {
				return err
			}
		case !r.more():
			return r.short()
		default:
			token := r.in[0]
			r.in = r.in[1:]
			r.low, r.begun = token&15, true
			var err error
			if r.literals, err = r.length(token>>4, 0); err != nil {
				return err
			}
		}
	}
}

// matchOf reads what follows the literals of a sequence. The last has nothing.
func (r *lz4Reader) matchOf() (done bool, err error) {
	if !r.more() && r.low == 0 {
		r.begun, r.ended = false, true
		return true, r.short()
	}
	for shift := 0; shift < 16; shift += 8 {
		if !r.more() {
			return true, r.short()
		}
		r.distance = r.distance&(1<<shift-1) | int(r.in[0])<<shift
		r.in = r.in[1:]
	}
	if r.distance == 0 || r.distance > len(r.out) {
		return true, corrupt(LZ4, "a match %d bytes back, of %d", r.distance, len(r.out))
	}
	if r.match, err = r.length(r.low, lz4Match); err != nil {
		return true, err
	}
	r.begun = false
	return false, nil
}

// length completes the four bits of a length, to which least is added, and takes it from
// what is left.
func (r *lz4Reader) length(bits byte, least int64) (int64, error) {
	n := int64(bits)
	for more := bits == 15; more; {
		if !r.more() {
			return 0, r.short()
		}
		n += int64(r.in[0])
		more = r.in[0] == 255
		r.in = r.in[1:]
		if n > r.left {
			break
		}
	}
	if n += least; n > r.left {
		return 0, corrupt(LZ4, "yields more than was declared")
	}
	r.left -= n
	return n, nil
}

// repeat appends n bytes from distance back, which may be less than n.
func (r *lz4Reader) repeat(n int) {
	for n > 0 {
		at := len(r.out) - r.distance
		m := min(n, r.distance)
		r.out = append(r.out, r.out[at:at+m]...)
		n -= m
		if n > 0 && r.distance < lz4Window/4 {
			r.distance *= 2 // what was appended is the same again
		}
	}
}

// more reports whether there is a byte of input, reading on where need be.
func (r *lz4Reader) more() bool {
	for len(r.in) == 0 && r.end == nil {
		var n int
		n, r.end = r.src.Read(r.inBuf)
		r.in = r.inBuf[:n]
		r.some = r.some || n > 0
	}
	return len(r.in) > 0
}

// short says why there is no more input: it failed, or it ends, which is as it should be
// behind literals if all that was declared is there.
func (r *lz4Reader) short() error {
	switch {
	case !errors.Is(r.end, io.EOF):
		return r.end
	case r.begun || r.literals > 0:
		return corrupt(LZ4, "ends within a sequence")
	case r.left > 0:
		return corrupt(LZ4, "yields %d bytes less than was declared", r.left)
	case !r.ended && r.some:
		return corrupt(LZ4, "ends with a match")
	}
	return io.EOF
}
