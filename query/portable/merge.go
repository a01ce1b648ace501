package portable

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// run is a sorted run that is read.
type run struct {
	r    *bufio.Reader
	key  []byte
	done bool
}

// next reads the next row, or sets done after the last one.
func (r *run) next() error {
	head, err := r.r.Peek(4)
	if err == io.EOF && len(head) == 0 {
		r.done = true
		return nil
	}
	if err != nil {
		return err
	}
	n := int(binary.LittleEndian.Uint32(head))
	_, _ = r.r.Discard(4) // they are there
	r.key = slices.Grow(r.key[:0], n)[:n]
	if _, err = io.ReadFull(r.r, r.key); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// before reports whether the row of a run comes before that of another.
func (r *run) before(o *run) bool {
	if r.done || o.done {
		return !r.done
	}
	return bytes.Compare(r.key, o.key) < 0
}

// tournament finds the least of several rows, with a comparison for each level: an inner
// place has who lost there.
type tournament struct {
	losers []*run // from 1 on; place i is above 2i and 2i+1
	winner *run
	leaf   map[*run]int
}

func newTournament(all []*run) *tournament {
	t := &tournament{losers: make([]*run, len(all)), leaf: map[*run]int{}}
	for i, r := range all {
		t.leaf[r] = len(all) + i
	}
	var play func(place int) *run
	play = func(place int) *run {
		if place >= len(all) {
			return all[place-len(all)]
		}
		a, b := play(2*place), play(2*place+1)
		if b.before(a) {
			a, b = b, a
		}
		t.losers[place] = b
		return a
	}
	t.winner = play(1)
	return t
}

// least returns the run with the least row.
func (t *tournament) least() *run { return t.winner }

// again finds the least after that run has moved.
func (t *tournament) again() {
	r := t.winner
	for place := t.leaf[r] / 2; place > 0; place /= 2 {
		if o := t.losers[place]; o.before(r) {
			t.losers[place], r = r, o
		}
	}
	t.winner = r
}
