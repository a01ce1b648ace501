package table

import (
	"bytes"
	"encoding/binary"
	"io"
)

// BlankAt is where blank tables are said to begin, when they are parsed: behind
// whatever their rows may say.
const BlankAt = 1 << 40

// Blank returns tables of the same rows that say nothing of what follows from the
// entries: instead of a place they have refs, one for each row, and zeros instead
// of sizes and hashes. Parsed at BlankAt, they predict what these do, for other
// places. Only tables of Unreal paks can be blank.
func Blank(t Tables, refs []int64) ([]byte, error) {
	p, ok := t.(*pak)
	if !ok || len(refs) != len(p.rows) {
		return nil, fail("tables that cannot be blank")
	}
	items := make([]Item, len(refs))
	for i, ref := range refs {
		if items[i] = (Item{Old: i, Off: ref}); p.rows[i].Off < 0 {
			items[i].Off = -1
		} else if ref < 0 || ref >= BlankAt/2 {
			return nil, fail("row %d: place %d", i, ref)
		}
	}
	b, err := p.Predict(items, Kept, zeros{}, BlankAt)
	if err == nil && p.hashed != nil {
		p.markForm(b)
	}
	return b, err
}

// markForm gives the first encoded entry one block, in the form that the tables
// have those of one.
func (p *pak) markForm(b []byte) {
	const heads = 4 + 8 + 2*(4+36) // count, seed, two parts
	at := p.index + len(p.mount) + heads
	first := b[at+4:]
	le := binary.LittleEndian
	if le.Uint32(b[at:]) < 4 || p.hashed.form == blockExact {
		return
	}
	bits := le.Uint32(first)&^0x3f | 1<<6
	if p.hashed.form == blockLarge {
		bits |= 0x3e
	}
	le.PutUint32(first, bits)
}

// Ends returns where Unreal tables may end in b, which has up to some hundred
// bytes of something else behind them: the largest first.
func Ends(b []byte) (ends []int) {
	tail := max(0, len(b)-512)
	magic := bytes.LastIndex(b[tail:], binary.LittleEndian.AppendUint32(nil, pakMagic))
	if magic < 0 {
		return nil
	}
	for _, n := range []int{44 + 1 + 5*32, 44 + 5*32, 44 + 4*32, 44} {
		if n <= len(b)-tail-magic {
			ends = append(ends, tail+magic+n)
		}
	}
	return ends
}

// zeros is a file of nothing but them: its records are those of empty entries.
type zeros struct{}

func (zeros) ReadAt(b []byte, _ int64) (int, error) {
	clear(b)
	return len(b), nil
}

var _ io.ReaderAt = zeros{}
