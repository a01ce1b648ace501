package patch

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"

	"pakdb/internal/stored"
)

// digest computes the SHA-1 of output and puts it where it belongs.
func (m *machine) digest(ctx context.Context) error {
	at, err := m.signed(inDigestAt, m.rawFrom, m.pos-digestSize)
	if err != nil {
		return err
	}
	from, err := m.signed(inDigestFrom, m.rawTo, m.pos)
	if err != nil {
		return err
	}
	back, err := m.number(inDigestTo, m.pos-from)
	if err != nil {
		return err
	}
	return m.digestOf(ctx, at, from, m.pos-back)
}

// partDigest computes that of what the 16 bytes before it tell: the place and the
// size.
func (m *machine) partDigest(ctx context.Context) error {
	at, err := m.signed(inDigestAt, m.rawFrom, m.pos-digestSize)
	if err != nil {
		return err
	}
	var told [16]byte
	if at < int64(len(told)) {
		return fmt.Errorf("%w: a digest of a part at %d", ErrCorrupt, at)
	}
	if err := errors.Join(m.flush(), stored.ReadAt(m.out, told[:], at-int64(len(told)))); err != nil {
		return err
	}
	from, n := binary.LittleEndian.Uint64(told[:]), binary.LittleEndian.Uint64(told[8:])
	if from > uint64(m.pos) || n > uint64(m.pos)-from {
		return fmt.Errorf("%w: a digest of %d bytes at %d of %d", ErrCorrupt, n, from, m.pos)
	}
	return m.digestOf(ctx, at, int64(from), int64(from+n))
}

// digestOf puts the SHA-1 of output to a place.
func (m *machine) digestOf(ctx context.Context, at, from, to int64) error {
	// Entries and the parts of an index are covered once or twice; more would be
	// meant to keep processors busy.
	if m.hashed += to - from; m.hashed > 4*m.size {
		return fmt.Errorf("%w: digests of %d bytes in a file of %d", ErrCorrupt, m.hashed, m.size)
	}
	if err := m.flush(); err != nil {
		return err
	}
	sum := sha1.New()
	buf := m.scratch(flushSize)
	for from < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(to-from, flushSize)]
		if err := stored.ReadAt(m.out, p, from); err != nil {
			return err
		}
		sum.Write(p)
		from += int64(len(p))
	}
	m.digests = append(m.digests, at)
	m.lastDigest = at + digestSize
	return m.replace(sum.Sum(nil), at)
}

// replace replaces output that is written. In a virtual file, a run in which that
// is may have to be cut, and those behind it moved.
func (m *machine) replace(p []byte, at int64) error {
	if v, ok := m.out.(*virtual); ok && !v.holds(at, int64(len(p))) {
		if err := m.old.work.spend(itemCost * int64(len(v.runs))); err != nil {
			return err
		}
	}
	_, err := m.out.WriteAt(p, at)
	return err
}

// sameDigest writes a digest of this segment a second time.
func (m *machine) sameDigest() error {
	at, sum, err := m.digestAgain()
	if err == nil {
		err = m.replace(sum[:], at)
	}
	return err
}

// digestAgain reads which digest is meant, and where it belongs.
func (m *machine) digestAgain() (at int64, sum [digestSize]byte, err error) {
	if at, err = m.signed(inSameAt, m.lastDigest, m.pos-digestSize); err != nil {
		return at, sum, err
	}
	of, err := m.signed(inSameOf, int64(m.same)+1, int64(len(m.digests))-1)
	if err != nil {
		return at, sum, err
	}
	if err := m.flush(); err != nil {
		return at, sum, err
	}
	m.same, m.lastDigest = int(of), at+digestSize
	return at, sum, stored.ReadAt(m.out, sum[:], m.digests[of])
}
