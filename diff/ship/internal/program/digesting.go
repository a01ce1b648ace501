package program

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"runtime"

	"pakdb/diff/ship/delta"
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

// partDigest computes the digest of the part that the 16 bytes before it name: the place and the
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

// Coding blocks again is half of what applying costs, and decoding content the other.
// Blocks of one operation do not depend on each other: some are coded at a time, while
// what follows them is decoded, and written in order.

// maxCoders is how many blocks are coded at a time. A coder keeps up to 0.7 MiB
// for each method, and a stored block.
const maxCoders = 4

// blockCoder codes blocks, each for a goroutine.
type blockCoder struct {
	delta.Coder
	stored []byte
	err    error
	done   chan struct{} // has something when a goroutine is done
}

// blockCoders are as many as work at a time. None are there before the first block.
type blockCoders struct {
	list    []blockCoder
	first   int // of those that work
	running int
}

// recoding is content that is being coded by a recipe, in blocks.
type recoding struct {
	*blockCoders
	out    *sink
	size   int // of all content
	block  int
	recipe delta.Recipe
	at     int // content before it was given to a coder
	err    error
}

// begin starts to code content of a size.
func (c *blockCoders) begin(out *sink, w *work, size, block int, r delta.Recipe) (*recoding, error) {
	if c.list == nil {
		c.list = make([]blockCoder, min(runtime.GOMAXPROCS(0), maxCoders))
		for i := range c.list {
			c.list[i].done = make(chan struct{}, 1)
		}
	}
	blocks := (size + block - 1) / block
	return &recoding{blockCoders: c, out: out, size: size, block: block, recipe: r}, w.spend(int64(size) + opCost*int64(blocks))
}

// take is given how much of the content is there, which must stay until the next call
// of finish. It leaves the last block to that.
func (x *recoding) take(content []byte) {
	for x.err == nil && x.at+x.block <= len(content) && x.at+x.block < x.size {
		if x.running == len(x.list) {
			x.err = x.collect()
		}
		c, p := &x.list[(x.first+x.running)%len(x.list)], content[x.at:x.at+x.block]
		x.running++
		x.at += x.block
		go func() {
			c.stored, c.err = c.Encode(c.stored[:0], p, x.recipe)
			c.done <- struct{}{}
		}()
	}
}

// finish codes what is left of the content, and ends when all is written.
func (x *recoding) finish(content []byte) error {
	x.take(content)
	if x.err != nil || x.at == x.size {
		return x.end()
	}
	if x.running == len(x.list) {
		x.err = x.collect()
	}
	last := &x.list[(x.first+x.running)%len(x.list)]
	last.stored, last.err = last.Encode(last.stored[:0], content[x.at:], x.recipe)
	if x.end() != nil {
		return x.err
	}
	return x.write(last)
}

// end waits for all coders and writes what they made, unless there was an error.
func (x *recoding) end() error {
	for x.running > 0 {
		if err := x.collect(); x.err == nil {
			x.err = err
		}
	}
	return x.err
}

// collect waits for the coder that began first, and writes what it made.
func (x *recoding) collect() error {
	c := &x.list[x.first]
	<-c.done
	x.first = (x.first + 1) % len(x.list)
	x.running--
	if x.err != nil {
		return x.err
	}
	return x.write(c)
}

func (x *recoding) write(c *blockCoder) error {
	if c.err != nil {
		return c.err
	}
	if err := x.out.write(c.stored); err != nil {
		return err
	}
	return x.out.fillBlock()
}
