package program

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"

	"pakdb/internal/aes256"
	"pakdb/internal/stored"
)

// digest computes the SHA-1 of output and puts it where it belongs.
func (m *Machine) digest(ctx context.Context) error {
	d := m.state.codeDigest(&m.r, m.output(), covering{})
	if err := m.r.err(); err != nil {
		return err
	}
	return m.digestOf(ctx, d)
}

// partDigest computes that of what the 16 bytes before it tell: the place and the
// size.
func (m *Machine) partDigest(ctx context.Context) error {
	at, pos := m.state.codeDigestAt(&m.r, m.output(), 0), m.out.pos
	if err := m.r.err(); err != nil {
		return err
	}
	var header [16]byte
	if at < int64(len(header)) {
		return corrupt("a digest of a part at %d", at)
	}
	if err := errors.Join(m.out.flush(), stored.ReadAt(m.out.to, header[:], at-int64(len(header)))); err != nil {
		return err
	}
	from, n := binary.LittleEndian.Uint64(header[:]), binary.LittleEndian.Uint64(header[8:])
	if from > uint64(pos) || n > uint64(pos)-from {
		return corrupt("a digest of %d bytes at %d of %d", n, from, pos)
	}
	return m.digestOf(ctx, covering{at, int64(from), int64(from + n)})
}

// digestOf puts the SHA-1 of output to a place.
func (m *Machine) digestOf(ctx context.Context, d covering) error {
	// Entries and the parts of an index are covered once or twice; more would be
	// meant to keep processors busy.
	if m.hashed += d.to - d.from; m.hashed > 4*m.out.size {
		return corrupt("digests of %d bytes in a file of %d", m.hashed, m.out.size)
	}
	if err := m.out.flush(); err != nil {
		return err
	}
	sum := sha1.New()
	buf := m.out.scratch(FlushSize)
	for from := d.from; from < d.to; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(d.to-from, FlushSize)]
		if err := stored.ReadAt(m.out.to, p, from); err != nil {
			return err
		}
		sum.Write(p)
		from += int64(len(p))
	}
	m.Digests = append(m.Digests, d.at)
	return m.out.replace(sum.Sum(nil), d.at, &m.Old.Work)
}

// sameDigest writes a digest of this segment a second time.
func (m *Machine) sameDigest() error {
	a := m.state.codeSame(&m.r, m.output(), again{}, len(m.Digests))
	sum, err := m.digestAt(a)
	if err == nil {
		err = m.out.replace(sum[:], a.at, &m.Old.Work)
	}
	return err
}

// sealedDigest does so into what has been encrypted.
func (m *Machine) sealedDigest() error {
	a := m.state.codeSealedSame(&m.r, m.output(), again{}, len(m.Digests))
	sum, err := m.digestAt(a)
	if err != nil {
		return err
	}
	buf := make([]byte, aes256.Align(a.skip+DigestSize))
	if err := stored.ReadAt(m.out.to, buf, a.at-a.skip); err != nil {
		return err
	}
	key := m.Old.Keys[a.key-1]
	aes256.DecryptECB(key, buf)
	copy(buf[a.skip:], sum[:])
	aes256.EncryptECB(key, buf)
	return m.out.replace(buf, a.at-a.skip, &m.Old.Work)
}

// digestAt reads a digest that was written, unless its operands were refused.
func (m *Machine) digestAt(a again) (sum [DigestSize]byte, err error) {
	if err = m.r.err(); err == nil {
		err = m.out.flush()
	}
	if err == nil {
		err = stored.ReadAt(m.out.to, sum[:], m.Digests[a.of])
	}
	return sum, err
}
