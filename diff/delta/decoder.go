package delta

import (
	"errors"
	"fmt"
	"io"
)

// ErrCorrupt means that a stream does not decode with this old content.
var ErrCorrupt = errors.New("corrupt delta")

// Old is an old content. *bytes.Reader and *io.SectionReader are such.
type Old interface {
	io.ReaderAt
	Size() int64
}

// Decoder reads what an [Encoder] wrote. It is not safe for concurrent use.
// It holds up to 8 MiB of what it decoded, whatever the stream says, and never
// reads outside of an old content.
type Decoder struct {
	models
	rangeDecoder
	history
	page   []byte // of the old content, for single bytes
	pageAt int64

	// The content at hand.
	from Old
	size int64 // of old
	new  []byte
	at   int // its position in the history
}

// Reset begins with a new stream, which is read from stream as it is needed.
func (d *Decoder) Reset(stream []byte) {
	d.models.reset()
	d.rangeDecoder.reset(stream)
	d.history.reset()
}

// Number reads a number that was written in this context. Behind the end of the
// stream numbers are arbitrary; Err tells.
func (d *Decoder) Number(context int) uint64 {
	return d.number[context].decode(&d.rangeDecoder)
}

// Err returns ErrCorrupt when more was read than the stream has.
func (d *Decoder) Err() error {
	if d.overrun() {
		return fmt.Errorf("%w: the stream ends early", ErrCorrupt)
	}
	return nil
}

// Content reads a content of n bytes, at most [MaxContent], that was written
// with the same old content, guess and tail. It is valid until the next call.
func (d *Decoder) Content(n int, old Old, guess, tail int64) ([]byte, error) {
	if n < 0 || n > MaxContent {
		return nil, fmt.Errorf("%w: a content of %d bytes", ErrCorrupt, n)
	}
	d.new, d.at = d.grow(n)
	d.from, d.size = old, old.Size()
	d.page = d.page[:0]
	d.begin(guess, tail-int64(n))
	for pos := 0; pos < n; {
		end, err := min(pos+blockSize, n), error(nil)
		if d.bit(&d.plain) == 1 {
			d.bytes(d.new[pos:end])
			d.last, d.state, pos = d.new[end-1], 0, end
		}
		for pos < end && err == nil && !d.overrun() {
			pos, err = d.symbol(pos)
		}
		if err == nil {
			err = d.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	return d.new, nil
}

// Next returns where in the old content the byte behind the last Content
// probably stands.
func (d *Decoder) Next() int64 { return d.models.next(len(d.new)) }

// symbol decodes one step at pos and returns the position behind it.
func (d *Decoder) symbol(pos int) (int, error) {
	k, s := pos%posStates, d.state
	if d.bit(&d.match[s][k]) == 0 {
		c, err := d.literalAt(pos)
		d.new[pos], d.last, d.state = c, c, afterLiteral(s)
		return pos + 1, err
	}
	n := 1
	switch {
	case d.bit(&d.repeat[s]) == 0:
		n = d.fresh(k)
		d.state = afterMatch(s)
	case d.bit(&d.repeat0[s]) == 0:
		if d.bit(&d.long[s][k]) == 0 {
			d.state = afterShort(s)
			break
		}
		n = d.repeatLen.decode(&d.rangeDecoder, k)
		d.state = afterRepeat(s)
	default:
		use(&d.refs, d.which(s))
		n = d.repeatLen.decode(&d.rangeDecoder, k)
		d.state = afterRepeat(s)
	}
	if d.refs[0].old {
		d.lastOld = d.refs[0].shift
	}
	if n > len(d.new)-pos {
		return 0, fmt.Errorf("%w: %d bytes, %d are left of the content", ErrCorrupt, n, len(d.new)-pos)
	}
	if err := d.copy(pos, n); err != nil {
		return 0, err
	}
	pos += n
	d.last = d.new[pos-1]
	return pos, nil
}

// which of the references but the last is used.
func (d *Decoder) which(s uint8) int {
	if d.bit(&d.repeat1[s]) == 0 {
		return 1
	}
	return 2 + int(d.bit(&d.repeat2[s]))
}

// fresh reads a length and a new reference.
func (d *Decoder) fresh(k int) int {
	n := d.length.decode(&d.rangeDecoder, k)
	if d.bit(&d.models.old[nearState(&d.refs)]) == 0 {
		far := d.distanceOf(n).decode(&d.rangeDecoder)
		push(&d.refs, ref{false, -int64(min(far, maxWindow)) - 1})
		return n
	}
	shift := d.predicted(&d.refs) + unzigzag(d.oldShift.decode(&d.rangeDecoder))
	push(&d.refs, ref{true, shift})
	return n
}

func (d *Decoder) literalAt(pos int) (byte, error) {
	at := d.last >> (8 - literalBits)
	if d.state < literalState {
		return byte(decodeTree(&d.rangeDecoder, d.literal[at][:], 8)), nil
	}
	b, err := d.byteAt(d.refs[0], pos)
	m, plain, expected := &d.matched[at], &d.literal[at], uint32(b)
	node, agree := uint32(1), true
	for i := 7; i >= 0; i-- {
		var bit uint32
		if agree {
			want := expected >> i & 1
			bit = d.bit(&m[want<<8|node])
			agree = want == bit
		} else {
			bit = d.bit(&plain[node])
		}
		node = node<<1 | bit
	}
	return byte(node), err
}

// copy fills n bytes from pos on by the last reference.
func (d *Decoder) copy(pos, n int) error {
	r := d.refs[0]
	to := d.new[pos : pos+n]
	if r.old {
		return d.read(to, int64(pos)+r.shift)
	}
	from := d.at + pos + int(r.shift) - d.start
	if r.shift < -maxWindow || from < 0 {
		return fmt.Errorf("%w: a reference %d bytes back, where %d were seen", ErrCorrupt, -r.shift, d.at+pos-d.start)
	}
	// The two may overlap: bytes are repeated then.
	for len(to) > 0 {
		k := copy(to, d.buf[from:d.at+pos-d.start])
		to, from, pos = to[k:], from+k, pos+k
	}
	return nil
}

// byteAt is the byte that a reference gives for pos, or 0.
func (d *Decoder) byteAt(r ref, pos int) (byte, error) {
	if !r.old {
		if p := d.at + pos + int(r.shift) - d.start; p >= 0 && r.shift >= -maxWindow {
			return d.buf[p], nil
		}
		return 0, nil
	}
	p := int64(pos) + r.shift
	if uint64(p) >= uint64(d.size) {
		return 0, nil
	}
	var b [1]byte
	err := d.read(b[:], p)
	return b[0], err
}

// pageSize is how much of the old content is read at once for short runs.
const pageSize = 4 << 10

// read fills p from the old content.
func (d *Decoder) read(p []byte, off int64) error {
	if off < 0 || int64(len(p)) > d.size || off > d.size-int64(len(p)) {
		return fmt.Errorf("%w: %d bytes at %d of %d of the old content", ErrCorrupt, len(p), off, d.size)
	}
	if in := off - d.pageAt; in >= 0 && in <= int64(len(d.page)-len(p)) {
		copy(p, d.page[in:])
		return nil
	}
	if len(p) > pageSize/4 {
		return readFull(d.from, p, off)
	}
	if d.page == nil {
		d.page = make([]byte, 0, pageSize)
	}
	d.page, d.pageAt = d.page[:min(pageSize, d.size-off)], off
	if err := readFull(d.from, d.page, off); err != nil {
		d.page = d.page[:0]
		return err
	}
	copy(p, d.page)
	return nil
}

func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
