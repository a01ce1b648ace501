package program

import (
	"errors"
	"fmt"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/coder"
)

// side is one side of a segment. The operands of every operation are described once,
// by functions that take a side (operands.go, prediction.go): a writer writes the
// values that it is given, a reader ignores them and reads. Both return the operand,
// so that an Emitter and a Machine cannot disagree.
//
// A reader refuses what is out of bounds, and returns 0 from then on; err has its
// first error. A writer has no bounds: the proof of a patch executes what was written.
type side interface {
	word(in int, v uint64) uint64              // any number
	number(in int, v, most int64) int64        // 0 to most
	place(in int, v, base, most int64) int64   // 0 to most, as the distance from base
	skip(q *Queue, i int) int                  // a thing that is left in a queue, which is not empty
	content(from, n, guess int64) (next int64) // n bytes of the content at hand, at most delta.MaxContent
	key(k int) int                             // number in the header of a key that is given, or 0
	spend(n int64)                             // counts the work of reading what follows
	text() []byte                              // the content at hand, once it is coded
	fail(err error)                            // refuses the segment, unless the error is nil
	err() error
}

// corrupt says why a patch is refused.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", delta.ErrCorrupt, fmt.Sprintf(format, args...))
}

// writer is the side of an Emitter.
type writer struct {
	enc      *coder.Encoder
	bytes    []byte // the content at hand
	keys     *delta.KeyList
	index    *coder.Index
	tail     int64 // size of what index is over
	contents int64 // bytes of contents in the segment
}

func (w *writer) word(in int, v uint64) uint64 {
	w.enc.Number(in, v)
	return v
}

func (w *writer) number(in int, v, _ int64) int64 {
	w.enc.Number(in, uint64(v))
	return v
}

func (w *writer) place(in int, v, base, _ int64) int64 {
	w.enc.Number(in, zigzag(v-base))
	return v
}

func (w *writer) skip(q *Queue, i int) int {
	w.enc.Number(inSkip, zigzag(q.Skip(i)))
	return i
}

func (w *writer) content(from, n, guess int64) int64 {
	w.contents += n
	w.enc.Content(w.bytes[from:from+n], w.index, guess, w.tail)
	return w.enc.Next()
}

func (w *writer) key(k int) int { return w.keys.Number(k) }

func (w *writer) text() []byte { return w.bytes }
func (*writer) spend(int64)    {}
func (*writer) fail(error)     {}
func (*writer) err() error     { return nil }

// reader is the side of a Machine.
type reader struct {
	dec    coder.Decoder
	src    coder.Old
	work   *work
	bytes  []byte // the content that was read
	failed error
}

func (r *reader) reset(stream []byte, w *work) {
	r.dec.Reset(stream)
	r.work, r.failed = w, nil
}

func (r *reader) word(in int, _ uint64) uint64 {
	if r.failed != nil {
		return 0
	}
	return r.dec.Number(in)
}

func (r *reader) number(in int, _, most int64) int64 {
	v := r.word(in, 0)
	if most < 0 || v > uint64(most) { // below 0: there is nothing to choose from
		r.fail(corrupt("number %d in context %d, at most %d", v, in, most))
		return 0
	}
	return int64(v)
}

func (r *reader) place(in int, _, base, most int64) int64 {
	v := base + unzigzag(r.word(in, 0))
	if v < 0 || v > most {
		r.fail(corrupt("place %d in context %d, at most %d", v, in, most))
		return 0
	}
	return v
}

func (r *reader) skip(q *Queue, _ int) int { return q.at(unzigzag(r.word(inSkip, 0))) }

func (r *reader) content(from, n, guess int64) int64 {
	if r.failed != nil {
		return guess
	}
	part, err := r.dec.Content(int(n), r.src, guess, r.src.Size())
	if errors.Is(err, coder.ErrCorrupt) { // else the old file could not be read
		err = fmt.Errorf("%w: %w", delta.ErrCorrupt, err)
	}
	r.failed = err
	r.bytes = append(r.bytes[:from], part...)
	return r.dec.Next()
}

func (*reader) key(k int) int { return k }

func (r *reader) spend(n int64) {
	if r.failed == nil {
		r.failed = r.work.spend(n)
	}
}

func (r *reader) text() []byte { return r.bytes }

func (r *reader) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

// err returns the first error: also when more was read than the segment has.
func (r *reader) err() error {
	if r.failed == nil {
		if err := r.dec.Err(); err != nil {
			r.failed = fmt.Errorf("%w: %w", delta.ErrCorrupt, err)
		}
	}
	return r.failed
}
