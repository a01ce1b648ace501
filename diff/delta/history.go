package delta

import "slices"

// history is what a coder has seen last: the contents before, and the one at
// hand. Positions count from the last reset.
type history struct {
	buf   []byte
	start int // position of buf[0]
}

func (h *history) reset() { h.buf, h.start = h.buf[:0], 0 }

// end is the position of the byte that comes next.
func (h *history) end() int { return h.start + len(h.buf) }

// grow makes room for a content of n bytes and returns its place and its
// position. What lies further back than a reference reaches is forgotten.
func (h *history) grow(n int) (content []byte, at int) {
	if over := len(h.buf) - maxWindow; over > 0 && len(h.buf)+n > 2*maxWindow {
		h.buf = append(h.buf[:0], h.buf[over:]...)
		h.start += over
	}
	at = h.end()
	k := len(h.buf)
	h.buf = slices.Grow(h.buf, n)[:k+n]
	return h.buf[k:], at
}
