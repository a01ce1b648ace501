package coder

import (
	"encoding/binary"
	"math/bits"
)

// text is the content at hand with all that references lead to: the old content, and
// what was seen before.
type text struct {
	history
	new []byte
	at  int // its position in the history
	old *Index
}

// begin goes on with a content.
func (t *text) begin(new []byte, old *Index) {
	t.new, t.at = t.grow(len(new))
	t.old = old
	copy(t.new, new)
}

// place is that of a literal at pos, where a way there leaves that trail.
func (t *text) place(way *trail, pos int) place {
	x := place{align: uint32(pos % posStates), behind: behindMatch(way.state), run: way.run, before: t.before(t.at + pos)}
	t.expect(x.expected[:], way.refs[0], pos)
	return x
}

func (t *text) site(pos int) site {
	return site{pos: pos, align: pos % posStates, before: byte(t.before(t.at + pos))}
}

// expect fills in what a reference has from one byte before pos on.
func (t *text) expect(p []byte, r ref, pos int) {
	if !r.old {
		t.seen(p, r, t.at+pos)
		return
	}
	for i := range p {
		if k := int64(pos+i) + r.shift - 1; uint64(k) < uint64(len(t.old.old)) {
			p[i] = t.old.old[k]
		}
	}
}

// matchLen is how many bytes from pos on a reference gives.
func (t *text) matchLen(r ref, pos int) int {
	if r.old {
		p := int64(pos) + r.shift
		if uint64(p) >= uint64(len(t.old.old)) {
			return 0
		}
		return common(t.new[pos:], t.old.old[p:])
	}
	p := t.at + pos + int(r.shift) - t.start
	if p < 0 || r.shift >= 0 || r.shift < -maxWindow {
		return 0
	}
	return common(t.new[pos:], t.buf[p:])
}

// skipped is how many bytes may differ where a reference is taken for one that goes on.
const skipped = 4

// resumes reports that a reference to the old content has the bytes behind the
// next few: nothing better need be looked for. Runs of one byte, which stand
// everywhere, do not tell.
func (t *text) resumes(r ref, pos int) bool {
	p := int64(pos) + r.shift + skipped
	if !r.old || p < skipped || p+8 > int64(len(t.old.old)) || pos+skipped+8 > len(t.new) {
		return false
	}
	v := binary.LittleEndian.Uint64(t.new[pos+skipped:])
	return v == binary.LittleEndian.Uint64(t.old.old[p:]) && v != bits.RotateLeft64(v, 8)
}
