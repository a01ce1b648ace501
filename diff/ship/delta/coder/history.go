package coder

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

// before returns the four bytes before a position, the last one lowest.
func (h *history) before(at int) (v uint32) {
	k := at - h.start
	if k >= 4 {
		return uint32(h.buf[k-4])<<24 | uint32(h.buf[k-3])<<16 | uint32(h.buf[k-2])<<8 | uint32(h.buf[k-1])
	}
	for i := range k {
		v = v<<8 | uint32(h.buf[i])
	}
	return v
}

// seen fills in what a reference back has from one byte before a position on, but
// for what is not there yet.
func (h *history) seen(p []byte, r ref, at int) {
	for i := range p {
		k := at - 1 + i + int(r.shift)
		if k < at && k >= h.start && r.shift < 0 && r.shift >= -maxWindow {
			p[i] = h.buf[k-h.start]
		}
	}
}
