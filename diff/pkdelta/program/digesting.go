package program

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"

	"pakdb/diff/pkdelta"
	"pakdb/internal/stored"
)

// digest computes the SHA-1 of output and puts it where it belongs.
func (m *Machine) digest(ctx context.Context) error {
	at, err := m.signed(inDigestAt, m.rawFrom, m.Pos-DigestSize)
	if err != nil {
		return err
	}
	from, err := m.signed(inDigestFrom, m.rawTo, m.Pos)
	if err != nil {
		return err
	}
	back, err := m.number(inDigestTo, m.Pos-from)
	if err != nil {
		return err
	}
	return m.digestOf(ctx, at, from, m.Pos-back)
}

// partDigest computes that of what the 16 bytes before it tell: the place and the
// size.
func (m *Machine) partDigest(ctx context.Context) error {
	at, err := m.signed(inDigestAt, m.rawFrom, m.Pos-DigestSize)
	if err != nil {
		return err
	}
	var told [16]byte
	if at < int64(len(told)) {
		return fmt.Errorf("%w: a digest of a part at %d", pkdelta.ErrCorrupt, at)
	}
	if err := errors.Join(m.flush(), stored.ReadAt(m.Out, told[:], at-int64(len(told)))); err != nil {
		return err
	}
	from, n := binary.LittleEndian.Uint64(told[:]), binary.LittleEndian.Uint64(told[8:])
	if from > uint64(m.Pos) || n > uint64(m.Pos)-from {
		return fmt.Errorf("%w: a digest of %d bytes at %d of %d", pkdelta.ErrCorrupt, n, from, m.Pos)
	}
	return m.digestOf(ctx, at, int64(from), int64(from+n))
}

// digestOf puts the SHA-1 of output to a place.
func (m *Machine) digestOf(ctx context.Context, at, from, to int64) error {
	// Entries and the parts of an index are covered once or twice; more would be
	// meant to keep processors busy.
	if m.hashed += to - from; m.hashed > 4*m.size {
		return fmt.Errorf("%w: digests of %d bytes in a file of %d", pkdelta.ErrCorrupt, m.hashed, m.size)
	}
	if err := m.flush(); err != nil {
		return err
	}
	sum := sha1.New()
	buf := m.scratch(FlushSize)
	for from < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(to-from, FlushSize)]
		if err := stored.ReadAt(m.Out, p, from); err != nil {
			return err
		}
		sum.Write(p)
		from += int64(len(p))
	}
	m.Digests = append(m.Digests, at)
	m.lastDigest = at + DigestSize
	return m.replace(sum.Sum(nil), at)
}

// replace replaces output that is written. In a virtual file, a run in which that
// is may have to be cut, and those behind it moved.
func (m *Machine) replace(p []byte, at int64) error {
	if v, ok := m.Out.(*Virtual); ok && !v.holds(at, int64(len(p))) {
		if err := m.Old.Work.spend(itemCost * int64(len(v.Runs))); err != nil {
			return err
		}
	}
	_, err := m.Out.WriteAt(p, at)
	return err
}

// sameDigest writes a digest of this segment a second time.
func (m *Machine) sameDigest() error {
	at, sum, err := m.digestAgain()
	if err == nil {
		err = m.replace(sum[:], at)
	}
	return err
}

// digestAgain reads which digest is meant, and where it belongs.
func (m *Machine) digestAgain() (at int64, sum [DigestSize]byte, err error) {
	if at, err = m.signed(inSameAt, m.lastDigest, m.Pos-DigestSize); err != nil {
		return at, sum, err
	}
	of, err := m.signed(inSameOf, int64(m.same)+1, int64(len(m.Digests))-1)
	if err != nil {
		return at, sum, err
	}
	if err := m.flush(); err != nil {
		return at, sum, err
	}
	m.same, m.lastDigest = int(of), at+DigestSize
	return at, sum, stored.ReadAt(m.Out, sum[:], m.Digests[of])
}
