package program

import (
	"crypto/cipher"
	"fmt"

	"pakdb/diff/pkdelta"
	"pakdb/internal/aes256"
	"pakdb/internal/stored"
)

// What archives encrypt they cut into units: an entry, a block of one. A unit is
// padded to whole AES blocks by repeating it from its start, each block of an
// entry by repeating the first one. Between opSeal and the next one, what is
// written is encrypted on its way out. Copies are of stored bytes, and stand
// outside of units.

// seal is the unit that is being written.
type seal struct {
	key   cipher.Block // nil: nothing is encrypted
	head  []byte       // the first bytes of the unit, up to an AES block
	known bool         // head is complete
	held  []byte       // bytes that do not fill an AES block yet
	out   []byte
}

// add takes bytes, and returns what can be written of the unit. It is valid until
// the next call.
func (s *seal) add(p []byte) []byte {
	if n := aes256.Block - len(s.head); n > 0 && !s.known {
		s.head = append(s.head, p[:min(n, len(p))]...)
	}
	s.out = append(append(s.out[:0], s.held...), p...)
	whole := len(s.out) &^ (aes256.Block - 1)
	s.held = append(s.held[:0], s.out[whole:]...)
	aes256.EncryptECB(s.key, s.out[:whole])
	return s.out[:whole]
}

// begin starts a unit. head, which may be empty, is how one began that goes on.
func (s *seal) begin(key cipher.Block, head []byte) {
	s.key, s.known = key, len(head) > 0
	s.head = append(s.head[:0], head...)
	s.held = s.held[:0]
}

// padding returns the bytes that the last block of a unit lacks.
func (s *seal) padding() []byte {
	s.known = true
	return aes256.AppendPadding(nil, s.head, int64(len(s.held)))
}

// seal begins or ends a unit.
func (m *Machine) sealUnit() error {
	n, err := m.number(inKey, int64(len(m.Old.Keys)))
	if err != nil {
		return err
	}
	if err := m.fillBlock(); err != nil || n == 0 {
		m.unit.key = nil
		return err
	}
	back, err := m.number(inUnit, m.Pos/aes256.Block)
	if err != nil {
		return err
	}
	key := m.Old.Keys[n-1]
	var head []byte
	if back > 0 {
		if err := m.flush(); err != nil {
			return err
		}
		head = make([]byte, aes256.Block)
		if err := stored.ReadAt(m.Out, head, m.Pos-back*aes256.Block); err != nil {
			return err
		}
		aes256.DecryptECB(key, head)
	}
	m.unit.begin(key, head)
	return nil
}

// fillBlock completes the AES block that is being written.
func (m *Machine) fillBlock() error {
	if m.unit.key == nil {
		return nil
	}
	return m.write(m.unit.padding())
}

// moveOld writes bytes of an old file, which may be encrypted there, as content.
func (m *Machine) moveOld() error {
	r, err := m.nextRange()
	if err != nil {
		return err
	}
	if r.Method != pkdelta.Methods[0] {
		return fmt.Errorf("%w: a move of what is compressed", pkdelta.ErrCorrupt)
	}
	src := NewSource(m.Old, []Range{r})
	for at := int64(0); at < r.Size; {
		p := m.scratch(int(min(r.Size-at, FlushSize)))
		if _, err := src.ReadAt(p, at); err != nil {
			return err
		}
		if err := m.write(p); err != nil {
			return err
		}
		at += int64(len(p))
	}
	return m.fillBlock()
}

// sealedDigest writes a digest of this segment a second time, into what has been
// encrypted.
func (m *Machine) sealedDigest() error {
	n, err := m.number(inKey, int64(len(m.Old.Keys)))
	if err != nil {
		return err
	}
	skip, err := m.number(inUnit, aes256.Block-1)
	if err != nil {
		return err
	}
	at, sum, err := m.digestAgain()
	size := aes256.Align(skip + DigestSize)
	if err == nil && (n == 0 || at < skip || size > m.Pos-(at-skip)) {
		err = fmt.Errorf("%w: a digest at %d in what is not encrypted", pkdelta.ErrCorrupt, at)
	}
	if err != nil {
		return err
	}
	buf := make([]byte, size)
	if err := stored.ReadAt(m.Out, buf, at-skip); err != nil {
		return err
	}
	key := m.Old.Keys[n-1]
	aes256.DecryptECB(key, buf)
	copy(buf[skip:], sum[:])
	aes256.EncryptECB(key, buf)
	return m.replace(buf, at-skip)
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
	e.Op(opSeal)
	e.Enc.Number(inKey, uint64(e.Keys.Number(s.Key)))
	if s.Key > 0 {
		e.Enc.Number(inUnit, uint64((e.Pos-s.Start)/aes256.Block))
	}
	e.Unit = s
}

// Move writes old bytes anew. stored is what they take.
func (e *Emitter) Move(r Range, stored int64) {
	e.FlushCopy()
	e.Op(opMove)
	e.putRange(r)
	e.Pos += stored
}
