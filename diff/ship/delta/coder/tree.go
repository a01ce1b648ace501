package coder

// tree finds the longest matches in the history, for the greatest effort. It is LZMA's
// match finder: the positions with the same first 4 bytes are a binary tree, sorted by
// the bytes that follow, with the last position as the root. Nodes get progressively
// closer to the key on the way down. Links are positions + 1, modulo 2^32; 0 is none.
type tree struct {
	heads []uint32    // by hash: the root
	sons  [][2]uint32 // by position modulo maxWindow: below it what sorts before, and behind

	planted bool // for the stream at hand
}

// treeDepth bounds the way down.
const treeDepth = 64

// meeting is a place that has n bytes, back bytes before a position.
type meeting struct{ back, n int }

// plant prepares the tree for a stream, once; it takes 33 MiB.
func (t *tree) plant() {
	if t.planted {
		return
	}
	t.planted = true
	t.heads = zeros(t.heads, 1<<seenWidth)
	if t.sons == nil {
		t.sons = make([][2]uint32, maxWindow) // none of what they say is reached from heads
	}
}

// add makes a position the root of its tree and appends the places that it
// met on its way, longer and longer ones above minFresh, up to maxNice. It needs
// 4 bytes of the history there.
func (t *tree) add(h *history, at int, met []meeting) []meeting {
	p := h.buf[at-h.start:]
	p = p[:min(len(p), maxNice)]
	head := &t.heads[hash4(p)>>(32-seenWidth)]
	next := *head
	*head = uint32(at + 1)
	own := &t.sons[at%maxWindow]
	before, behind, top := &own[0], &own[1], minFresh
	for d := treeDepth; next != 0 && d > 0; d-- {
		back := int(uint32(at+1) - next)
		if back == 0 || back >= maxWindow || at-back < h.start {
			break
		}
		// All of it is compared, not only what is beyond the runs met so far: where a
		// content ended, trees were sorted by less than what stands there now.
		q := h.buf[at-back-h.start:]
		n := common(p, q)
		if n > top {
			top = n
			met = append(met, meeting{back, n})
		}
		sons := &t.sons[(at-back)%maxWindow]
		if n == len(p) {
			*before, *behind = sons[0], sons[1]
			return met
		}
		if q[n] < p[n] {
			*before, before, next = next, &sons[1], sons[1]
		} else {
			*behind, behind, next = next, &sons[0], sons[0]
		}
	}
	*before, *behind = 0, 0
	return met
}
