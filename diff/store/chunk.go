package store

import (
	"io"

	"github.com/zeebo/blake3"
)

// Contents are cut where their own bytes say so, so that what is inserted or
// removed changes the chunks around it and no others. Cutting starts anew with
// each content: the order of entries in an archive cuts nothing differently.
const (
	wholeSize = 64 << 10 // a content up to this is one chunk
	minChunk  = 2 << 10
	MaxChunk  = 64 << 10
	meanBits  = 13 // 8 KiB
)

// Gear are the 256 random numbers of the rolling hash: the first eight bytes,
// little-endian, of the BLAKE3 of each byte.
var Gear = gearTable()

func gearTable() (t [256]uint64) {
	for i := range t {
		sum := blake3.Sum256([]byte{byte(i)})
		for k := 7; k >= 0; k-- {
			t[i] = t[i]<<8 | uint64(sum[k])
		}
	}
	return t
}

// cut returns the length of the chunk at the begin of b, which has maxChunk
// bytes, or all that is left.
func cut(b []byte) int {
	if len(b) <= minChunk {
		return len(b)
	}
	h := uint64(0)
	for i := minChunk - 64; i < len(b); i++ {
		h = h<<1 + Gear[b[i]]
		if i >= minChunk && h>>(64-meanBits) == 0 {
			return i + 1
		}
	}
	return len(b)
}

// CutWhole returns the length of the chunk of a content that has b from at on to
// its end.
func CutWhole(b []byte, at int) int {
	if at == 0 && len(b) <= wholeSize {
		return len(b)
	}
	return cut(b[:min(len(b), MaxChunk)])
}

// EachChunk cuts size bytes of r. What emit is given is only valid until it
// returns.
func EachChunk(r io.Reader, size int64, emit func(p []byte) error) error {
	buf := make([]byte, min(size, 4*MaxChunk))
	have, done := 0, 0
	for size > 0 || have > 0 {
		n := int(min(size, int64(len(buf)-have)))
		if _, err := io.ReadFull(r, buf[have:have+n]); err != nil {
			return err
		}
		have += n
		size -= int64(n)
		at := 0
		for have-at >= MaxChunk || size == 0 && have > at {
			n := have - at
			if size > 0 || n > wholeSize {
				n = cut(buf[at:min(have, at+MaxChunk)])
			} else {
				n = CutWhole(buf[at:have], done)
			}
			if err := emit(buf[at : at+n]); err != nil {
				return err
			}
			at += n
			done += n
		}
		have = copy(buf, buf[at:have])
	}
	return nil
}

// MaxHeld is how much of a content is held in memory.
const MaxHeld = 4 << 20
