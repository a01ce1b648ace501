package coder

// finder finds bytes in what was seen: by chains of 4 bytes, and for the greatest
// effort by a tree too.
type finder struct {
	chains chains
	added  int  // position up to which chains know the history
	deep   bool // the tree is used
	tree   tree
	grown  int // position up to which the tree does
	met    []meeting
}

func (f *finder) reset() {
	f.chains.reset(seenWidth, maxWindow)
	f.tree.planted = false
	f.added, f.grown = 0, 0
}

// learn makes the bytes before a position findable. Of a long match only so many at
// its ends are learned: what else is in it can be found where the match found it.
func (f *finder) learn(h *history, end, ends int) {
	if k := end - ends; k > f.added+ends {
		f.learnTo(h, f.added+ends)
		f.added = k
	}
	f.learnTo(h, end)
}

//go:norace
func (f *finder) learnTo(h *history, end int) {
	for ; f.added < end && f.added+4 <= h.end(); f.added++ {
		if k := f.added - h.start; k >= 0 {
			f.chains.add(h.buf[k:], f.added)
			if f.deep && f.added >= f.grown {
				f.meet(h, f.added)
			}
		}
	}
}

// meet adds a position, which the tree does not have yet, and returns the places with
// the same bytes, longer and longer ones. It is valid until the next call.
func (f *finder) meet(h *history, at int) []meeting {
	f.met = f.tree.add(h, at, f.met[:0])
	return f.met
}

// meetNext is meet for the position that comes next, which is then known.
func (f *finder) meetNext(h *history, at int) []meeting {
	f.grown = at + 1
	return f.meet(h, at)
}

// has reports that the history has the bytes at a position before that too.
func (f *finder) has(h *history, at int) bool {
	here := h.buf[at-h.start:]
	first, _ := f.chains.first(here)
	if first == 0 {
		return false
	}
	q := at - 1 - (at-int(first>>tagBits))&placeMask
	return q >= h.start && common(here, h.buf[q-h.start:]) >= window
}
