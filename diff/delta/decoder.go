package delta

import (
	"errors"
	"fmt"
	"io"

	"pakdb/internal/stored"
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
	rangeCoder
	history
	page   []byte // of the old content, for single bytes
	pageAt int64
	place  place // of the literal at hand

	// The content at hand.
	from Old
	size int64 // of old
	new  []byte
	at   int // its position in the history
}

// Reset begins with a new stream, which is read from stream as it is needed.
func (d *Decoder) Reset(stream []byte) {
	d.models.reset()
	d.rangeCoder.read(stream)
	d.history.reset()
}

// Number reads a number that was written in this context. Behind the end of the
// stream numbers are arbitrary; Err tells.
func (d *Decoder) Number(context int) uint64 {
	return d.number[context].code(&d.rangeCoder, 0)
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
	d.begin(guess, tail, n)
	for pos := 0; pos < n; {
		end, err := min(pos+blockSize, n), error(nil)
		if d.plain.code(&d.rangeCoder, 0) == 1 {
			d.bytes(d.new[pos:end])
			d.state, pos = 0, end
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
	x := site{pos: pos, align: pos % posStates, before: byte(d.before(d.at + pos))}
	s := d.models.step(&d.rangeCoder, &x, step{})
	if s.kind == literal {
		err := d.literalAt(pos)
		return pos + 1, err
	}
	n := int(s.n)
	if n > len(d.new)-pos {
		return 0, fmt.Errorf("%w: %d bytes, %d are left of the content", ErrCorrupt, n, len(d.new)-pos)
	}
	return pos + n, d.copy(pos, n)
}

func (d *Decoder) literalAt(pos int) error {
	d.place = place{align: uint32(pos % posStates), behind: behindMatch(d.state), run: d.run, before: d.before(d.at + pos)}
	err := d.expect(d.place.expected[:], d.refs[0], pos)
	d.new[pos] = d.models.literals.code(&d.rangeCoder, &d.place, 0)
	d.literal()
	return err
}

// expect fills in what a reference has from one byte before pos on.
func (d *Decoder) expect(p []byte, r ref, pos int) error {
	if !r.old {
		d.seen(p, r, d.at+pos)
		return nil
	}
	at := int64(pos) + r.shift - 1
	if in := at - d.pageAt; in >= 0 && in <= int64(len(d.page)-len(p)) {
		copy(p, d.page[in:])
		return nil
	}
	for i := range p {
		if k := at + int64(i); uint64(k) < uint64(d.size) {
			if err := d.read(p[i:i+1], k); err != nil {
				return err
			}
		}
	}
	return nil
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
		return stored.ReadAt(d.from, p, off)
	}
	if d.page == nil {
		d.page = make([]byte, 0, pageSize)
	}
	d.page, d.pageAt = d.page[:min(pageSize, d.size-off)], off
	if err := stored.ReadAt(d.from, d.page, off); err != nil {
		d.page = d.page[:0]
		return err
	}
	copy(p, d.page)
	return nil
}
