package record

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxOffsets is how many offsets are packed together at most: a look-up of one reads all.
const MaxOffsets = 512

// OffsetPacker packs the offsets of entries that follow each other: of each its difference
// from the end of the one before, and 0 for an entry without a place. The zero value is
// ready.
type OffsetPacker struct {
	plain []byte
	end   int64 // of the entry before
	n     int
	z     *flate.Writer
}

// Add adds the next entry. An offset below 0 is none.
func (p *OffsetPacker) Add(offset, stored int64) {
	p.n++
	if offset < 0 {
		p.plain = append(p.plain, 0)
		return
	}
	p.plain = binary.AppendUvarint(p.plain, zigzag(offset-p.end)+1)
	p.end = endOf(offset, stored)
}

// Len returns how many entries were added.
func (p *OffsetPacker) Len() int { return p.n }

// Pack returns the packed offsets of the entries that were added, and begins anew.
func (p *OffsetPacker) Pack() []byte {
	var packed bytes.Buffer
	if p.z == nil {
		p.z, _ = flate.NewWriter(&packed, flate.BestSpeed) // that is a level
	} else {
		p.z.Reset(&packed)
	}
	_, _ = p.z.Write(p.plain) // to memory
	_ = p.z.Close()
	p.plain, p.end, p.n = p.plain[:0], 0, 0
	return packed.Bytes()
}

// Offsets reads packed offsets, entry by entry.
type Offsets struct {
	left   []byte
	plain  bytes.Buffer
	end    int64
	source bytes.Reader
	z      io.ReadCloser
}

// Reset begins with the first of some packed offsets. Damaged ones are an error.
func (o *Offsets) Reset(packed []byte) error {
	o.source.Reset(packed)
	if o.z == nil {
		o.z = flate.NewReader(&o.source)
	} else if err := o.z.(flate.Resetter).Reset(&o.source, nil); err != nil {
		return err
	}
	o.plain.Reset()
	o.end = 0
	const most = MaxOffsets * binary.MaxVarintLen64
	n, err := io.Copy(&o.plain, io.LimitReader(o.z, most+1))
	if o.left = o.plain.Bytes(); err != nil || n > most {
		o.left = nil
		return fmt.Errorf("packed offsets are damaged, or more than %d: %w", MaxOffsets, errors.Join(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// More reports whether there is a next entry.
func (o *Offsets) More() bool { return len(o.left) > 0 }

// Next returns the offset of the next entry, -1 for none. It fails after the last one.
func (o *Offsets) Next(stored int64) (int64, error) {
	code, n := binary.Uvarint(o.left)
	if n <= 0 {
		return 0, fmt.Errorf("packed offsets end before the entries do")
	}
	o.left = o.left[n:]
	if code == 0 {
		return -1, nil
	}
	offset := o.end + unzigzag(code-1)
	if offset < 0 {
		return 0, fmt.Errorf("packed offsets lead to %d", offset)
	}
	o.end = endOf(offset, stored)
	return offset, nil
}

// endOf returns where an entry ends; 0 where no file reaches that far.
func endOf(offset, stored int64) int64 { return max(0, offset+stored) }

func zigzag(n int64) uint64   { return uint64(n<<1) ^ uint64(n>>63) }
func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
