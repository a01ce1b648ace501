package program

import (
	"crypto/cipher"

	"pakdb/internal/aes256"
)

// What archives encrypt they cut into units: an entry, a block of one. A unit is
// padded to whole AES blocks by repeating it from its start, each block of an
// entry by repeating the first one. Between opSeal and the next one, what is
// written is encrypted on its way out. Copies are of stored bytes, and stand
// outside of units.

// seal is the unit that is being written.
type seal struct {
	key     cipher.Block // nil: nothing is encrypted
	head    []byte       // the first bytes of the unit, up to an AES block
	known   bool         // head is complete
	partial []byte       // bytes that do not fill an AES block yet
	out     []byte
}

// add takes bytes, and returns what can be written of the unit. It is valid until
// the next call.
func (s *seal) add(p []byte) []byte {
	if n := aes256.Block - len(s.head); n > 0 && !s.known {
		s.head = append(s.head, p[:min(n, len(p))]...)
	}
	s.out = append(append(s.out[:0], s.partial...), p...)
	whole := len(s.out) &^ (aes256.Block - 1)
	s.partial = append(s.partial[:0], s.out[whole:]...)
	aes256.EncryptECB(s.key, s.out[:whole])
	return s.out[:whole]
}

// begin starts a unit. head, which may be empty, is how one began that goes on.
func (s *seal) begin(key cipher.Block, head []byte) {
	s.key, s.known = key, len(head) > 0
	s.head = append(s.head[:0], head...)
	s.partial = s.partial[:0]
}

// lacks returns how many bytes the last block of a unit lacks; 0 without a unit.
func (s *seal) lacks() int64 {
	if s.key == nil {
		return 0
	}
	return -int64(len(s.partial)) & (aes256.Block - 1)
}

// reset leaves a unit as it is, without completing it.
func (s *seal) reset() { s.key, s.partial = nil, s.partial[:0] }

// padding returns the bytes that the last block of a unit lacks.
func (s *seal) padding() []byte {
	s.known = true
	return aes256.AppendPadding(nil, s.head, int64(len(s.partial)))
}

// Sealing is what an emitter knows of the unit at hand.
type Sealing struct {
	Key   int
	Start int64 // of the unit, in the output
}

// Seal makes sure that what is written next is in a unit, or, with key 0, is in
// none.
func (e *Emitter) Seal(s Sealing) {
	if !e.Open {
		e.Unit = Sealing{}
	}
	if e.Open && e.Unit == s || s.Key == 0 && e.Unit.Key == 0 {
		return
	}
	e.FlushCopy()
	if e.Unit.Key > 0 {
		e.Pos += (e.Unit.Start - e.Pos) & (aes256.Block - 1)
	}
	back := int64(0)
	if s.Key > 0 {
		back = (e.Pos - s.Start) / aes256.Block
	}
	e.op(opSeal)
	codeUnit(&e.w, e.output(), unit{int64(s.Key), back})
	e.Unit = s
}

// Move writes old bytes anew. stored is what they take.
func (e *Emitter) Move(r Range, stored int64) {
	e.FlushCopy()
	e.op(opMove)
	e.state.codeRange(&e.w, e.output(), r)
	e.Pos += stored
}
