package unreal

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
)

// Span is a range of bytes.
type Span struct{ Offset, Size int64 }

// DigestHead is how many bytes of an export [PackageFacts.Digest] shows to mask.
const DigestHead = 64 << 10

// Digest reads a part of the package once: the size bytes of r, which begin at
// the offset from of the package. That is all of it, or the exports of a [PackageFacts.Split]
// one, from HeaderSize on. Noise lists where bytes mean nothing, by offset and
// outside of exports; mask, unless nil, zeroes such bytes in the beginning of an
// export. It returns nil where exports overlap, which no engine writes.
func (f *PackageFacts) Digest(ctx context.Context, r io.ReaderAt, from, size int64, noise []Span, mask func([]byte)) (*codecs.PartDigest, error) {
	d := &packageDigester{r: r, from: from, noise: noise, mask: mask, all: blake3.New()}
	buf := digestBuffers.Get().(*[DigestHead]byte)
	defer digestBuffers.Put(buf)
	d.buf = buf[:]
	out := &codecs.PartDigest{}
	at := from
	for _, i := range f.exportsWithin(from, size) {
		x := &f.Exports[i]
		if x.Offset < at {
			return nil, ctx.Err()
		}
		if err := d.gap(ctx, at, x.Offset); err != nil {
			return nil, err
		}
		sum, err := d.export(ctx, x.Offset, x.Size)
		if err != nil {
			return nil, err
		}
		if out.Parts == nil {
			out.Parts = make([]uint64, len(f.Exports))
		}
		out.Parts[i] = sum
		at = x.Offset + x.Size
	}
	if err := d.gap(ctx, at, from+size); err != nil {
		return nil, err
	}
	copy(out.Essence[:], d.all.Sum(nil))
	return out, nil
}

// exportsWithin lists the exports whose bytes lie in a range, by offset.
func (f *PackageFacts) exportsWithin(from, size int64) []int {
	var order []int
	for i := range f.Exports {
		x := &f.Exports[i]
		if x.Size > 0 && x.Offset >= from && x.Offset-from <= size && x.Size <= size-(x.Offset-from) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Exports[a].Offset, f.Exports[b].Offset) })
	return order
}

var digestBuffers = sync.Pool{New: func() any { return new([DigestHead]byte) }}

type packageDigester struct {
	r     io.ReaderAt
	from  int64
	noise []Span
	mask  func([]byte)
	all   *blake3.Hasher
	one   *blake3.Hasher // of an export that does not fit into buf
	buf   []byte
}

// gap hashes what lies between exports.
func (d *packageDigester) gap(ctx context.Context, from, to int64) error {
	return d.pieces(ctx, from, to-from, func(at int64, b []byte) {
		for len(d.noise) > 0 && d.noise[0].Offset+d.noise[0].Size <= at {
			d.noise = d.noise[1:]
		}
		for _, n := range d.noise {
			if n.Offset >= at+int64(len(b)) {
				break
			}
			clear(b[max(0, n.Offset-at):min(int64(len(b)), n.Offset+n.Size-at)])
		}
		_, _ = d.all.Write(b)
	})
}

// export hashes the bytes of one export.
func (d *packageDigester) export(ctx context.Context, from, size int64) (uint64, error) {
	var sum [32]byte
	err := d.pieces(ctx, from, size, func(at int64, b []byte) {
		if at == from && d.mask != nil {
			d.mask(b)
		}
		if size <= int64(len(d.buf)) {
			sum = blake3.Sum256(b)
			return
		}
		if d.one == nil {
			d.one = blake3.New()
		}
		_, _ = d.one.Write(b)
	})
	if err == nil && size > int64(len(d.buf)) {
		d.one.Sum(sum[:0])
		d.one.Reset()
	}
	_, _ = d.all.Write(sum[:8])
	return binary.LittleEndian.Uint64(sum[:]), err
}

// pieces reads a range of the package.
func (d *packageDigester) pieces(ctx context.Context, from, size int64, do func(at int64, b []byte)) error {
	for at := from; size > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := d.buf[:min(size, int64(len(d.buf)))]
		if n, err := d.r.ReadAt(b, at-d.from); n < len(b) {
			return cmp.Or(err, io.ErrUnexpectedEOF)
		}
		do(at, b)
		at, size = at+int64(len(b)), size-int64(len(b))
	}
	return nil
}
