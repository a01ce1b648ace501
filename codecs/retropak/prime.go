package retropak

import (
	"bytes"
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// headSize is the size of the two words that a pak begins with.
const headSize = 8

// readPrime reads the tables that start with 0x00030005. Nothing in them says
// how wide ids are or, with 64 bits, what offsets are relative to: what makes
// the most records plausible is right.
func readPrime(src codecs.Source, lim codecs.Limits) (*tables, error) {
	narrow, err := readPrimeAs(src, lim, prime)
	best := 0
	if err == nil {
		n, fits := narrow.score(src.Size)
		if fits {
			return narrow, nil
		}
		best = n
	}
	wide, wideErr := readPrimeAs(src, lim, prototype)
	if wideErr != nil {
		return narrow, err
	}
	absolute, _ := wide.score(src.Size)
	wide.base = wide.first
	relative, _ := wide.score(src.Size)
	if absolute >= relative {
		wide.base = 0
	}
	if max(absolute, relative) > best {
		return wide, nil
	}
	return narrow, err
}

// readPrimeAs reads a growing part of the file until both lists are inside:
// nothing but the first list itself tells where the second one starts.
func readPrimeAs(src codecs.Source, lim codecs.Limits, l layout) (*tables, error) {
	for n := int64(4 << 10); ; n *= 8 {
		n = min(n, src.Size, lim.Table)
		buf, err := bin.Section(src, 0, n, src.Size, n)
		if err != nil {
			return nil, err
		}
		t, err := parsePrime(buf, l, lim.Name)
		switch {
		case err == nil:
			t.end = src.Size
			return t, nil
		case n == src.Size || !short(err):
			return nil, err
		case n == lim.Table:
			return nil, &bin.Error{Need: n + 1, Have: lim.Table, Err: bin.ErrLimit}
		}
	}
}

func parsePrime(buf []byte, l layout, maxName int) (*tables, error) {
	r := bin.NewReader(buf, 0, binary.BigEndian)
	r.Skip(8)
	t := &tables{layout: l}
	t.named.n = r.Count(8 + l.idBytes)
	t.named.at = r.Off()
	for range t.named.n {
		if _, err := l.readNamed(r, maxName); err != nil {
			return nil, &atField{"named resource", -1, err}
		}
	}
	t.named.bytes = bytes.Clone(buf[t.named.at:r.Pos()])
	t.entries.n = r.Count(l.recordSize())
	t.entries.at = r.Off()
	t.entries.bytes = bytes.Clone(r.Bytes(t.entries.n * l.recordSize()))
	t.first = l.alignUp(r.Off())
	if err := r.Err(); err != nil {
		return nil, &atField{"tables", -1, err}
	}
	return t, nil
}
