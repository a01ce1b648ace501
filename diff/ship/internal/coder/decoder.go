package coder

import (
	"errors"
	"fmt"
	"io"
	"slices"

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
// It holds up to 8 MiB of what it decoded and 1 MiB of an old content, whatever the stream says, and never
// reads outside of an old content.
type Decoder struct {
	// Ready, if not nil, gets again and again how much of the content at hand is decoded.
	// These bytes stay until the next Content. Of a corrupt stream they mean nothing.
	Ready func(content []byte)

	models  models
	coder   rangeCoder
	history history
	old     pager
	place   place  // of the literal at hand
	room    []byte // what corrections are made of
	new     []byte // the content at hand
	at      int    // its position in the history
}

// Reset begins with a new stream, which is read from stream as it is needed.
func (d *Decoder) Reset(stream []byte) {
	d.models.reset()
	d.coder.read(stream)
	d.history.reset()
}

// Number reads a number that was written in this context. After the end of the
// stream numbers are arbitrary; see Err.
func (d *Decoder) Number(context int) uint64 {
	return d.models.number[context].code(&d.coder, 0)
}

// Err returns ErrCorrupt when more was read than the stream has.
func (d *Decoder) Err() error {
	if d.coder.overrun() {
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
	d.new, d.at = d.history.grow(n)
	d.old.open(old)
	d.models.begin(guess, tail, n)
	for pos := 0; pos < n; {
		end, err := min(pos+blockSize, n), error(nil)
		if d.models.plain.code(&d.coder, 0) == 1 {
			d.coder.bytes(d.new[pos:end])
			d.models.state, pos = 0, end
		}
		for pos < end && err == nil && !d.coder.overrun() {
			pos, err = d.symbol(pos)
		}
		if err == nil {
			err = d.Err()
		}
		if err != nil {
			return nil, err
		}
		if d.Ready != nil {
			d.Ready(d.new[:pos])
		}
	}
	return d.new, nil
}

// Next returns where in the old content the byte after the last Content
// probably is.
func (d *Decoder) Next() int64 { return d.models.next(len(d.new)) }

// symbol decodes one step at pos and returns the position after it.
func (d *Decoder) symbol(pos int) (int, error) {
	x := site{pos: pos, align: pos % posStates, before: byte(d.history.before(d.at + pos))}
	s := d.models.step(&d.coder, &x, step{})
	if s.kind == literal {
		err := d.literalAt(pos)
		return pos + 1, err
	}
	n := int(s.n)
	if n > len(d.new)-pos {
		return 0, fmt.Errorf("%w: %d bytes, %d are left of the content", ErrCorrupt, n, len(d.new)-pos)
	}
	if s.corrected {
		if err := d.correct(pos, n); err != nil {
			return 0, err
		}
	} else if err := d.copy(pos, n); err != nil {
		return 0, err
	}
	if k := d.models.gap; k > 0 && k <= maxGap {
		return pos + n, d.learn(pos-k, k)
	}
	return pos + n, nil
}

// learn takes note of what differs in the n bytes from pos on.
func (d *Decoder) learn(pos, n int) error {
	err := d.old.margins(&d.room, int64(pos)+d.models.shift, n)
	if err == nil {
		d.models.corrections.learn(d.room, d.new[pos:pos+n])
	}
	return err
}

// correct fills n bytes from pos on by the last reference, which is corrected.
func (d *Decoder) correct(pos, n int) error {
	at := int64(pos) + d.models.shift
	if at < 0 || at > d.old.size-int64(n) {
		return d.old.outside(n, at)
	}
	if err := d.old.margins(&d.room, at, n); err != nil {
		return err
	}
	d.models.corrections.run(&d.coder, d.room, d.new[pos:pos+n])
	d.models.corrections.learn(d.room, d.new[pos:pos+n])
	return nil
}

func (d *Decoder) literalAt(pos int) error {
	d.place = place{align: uint32(pos % posStates), behind: behindMatch(d.models.state), run: d.models.run, before: d.history.before(d.at + pos)}
	err := d.expect(d.place.expected[:], d.models.refs[0], pos)
	d.new[pos] = d.models.literals.code(&d.coder, &d.place, 0)
	d.models.literal()
	return err
}

// expect fills in what a reference has from one byte before pos on.
func (d *Decoder) expect(p []byte, r ref, pos int) error {
	if !r.old {
		d.history.seen(p, r, d.at+pos)
		return nil
	}
	return d.old.around(p, int64(pos)+r.shift-1)
}

// copy fills n bytes from pos on by the last reference.
func (d *Decoder) copy(pos, n int) error {
	r := d.models.refs[0]
	to := d.new[pos : pos+n]
	if r.old {
		return d.old.read(to, int64(pos)+r.shift)
	}
	from := d.at + pos + int(r.shift) - d.history.start
	if r.shift < -maxWindow || from < 0 {
		return fmt.Errorf("%w: a reference %d bytes back, where %d were seen", ErrCorrupt, -r.shift, d.at+pos-d.history.start)
	}
	// The two may overlap: bytes are repeated then.
	for len(to) > 0 {
		k := copy(to, d.history.buf[from:d.at+pos-d.history.start])
		to, from, pos = to[k:], from+k, pos+k
	}
	return nil
}

// pager reads an old content, a page at once for short runs.
type pager struct {
	from   Old
	size   int64
	page   []byte
	pageAt int64
}

// pageSize is how much of the old content is read at once for short runs.
const pageSize = 4 << 10

func (g *pager) open(old Old) {
	g.from, g.size = old, old.Size()
	g.page = g.page[:0]
}

// margins fills room with n bytes of the old content, and margins around these: zeros where it has none.
func (g *pager) margins(room *[]byte, at int64, n int) error {
	p := slices.Grow((*room)[:0], n+marginBefore+marginAfter)[:n+marginBefore+marginAfter]
	clear(p)
	*room = p
	from := at - marginBefore
	to := min(from+int64(len(p)), g.size)
	if from = max(from, 0); from >= to {
		return nil
	}
	return g.read(p[from-at+marginBefore:][:to-from], from)
}

// around fills in the bytes from a place on, as far as the old content has them.
func (g *pager) around(p []byte, at int64) error {
	if in := at - g.pageAt; in >= 0 && in <= int64(len(g.page)-len(p)) {
		copy(p, g.page[in:])
		return nil
	}
	for i := range p {
		if k := at + int64(i); uint64(k) < uint64(g.size) {
			if err := g.read(p[i:i+1], k); err != nil {
				return err
			}
		}
	}
	return nil
}

// read fills p, or fails with [ErrCorrupt] where the old content has not that much.
func (g *pager) read(p []byte, off int64) error {
	if off < 0 || int64(len(p)) > g.size || off > g.size-int64(len(p)) {
		return g.outside(len(p), off)
	}
	if in := off - g.pageAt; in >= 0 && in <= int64(len(g.page)-len(p)) {
		copy(p, g.page[in:])
		return nil
	}
	if len(p) > pageSize/4 {
		return stored.ReadAt(g.from, p, off)
	}
	if g.page == nil {
		g.page = make([]byte, 0, pageSize)
	}
	g.page, g.pageAt = g.page[:min(pageSize, g.size-off)], off
	if err := stored.ReadAt(g.from, g.page, off); err != nil {
		g.page = g.page[:0]
		return err
	}
	copy(p, g.page)
	return nil
}

func (g *pager) outside(n int, off int64) error {
	return fmt.Errorf("%w: %d bytes at %d of %d of the old content", ErrCorrupt, n, off, g.size)
}
