package store

import (
	"io"

	"pakdb/internal/gear"
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

// Rolling is the table of the gear hash that cuts contents.
var Rolling = gear.Hashed()

// cut returns the length of the chunk at the begin of b, which has MaxChunk
// bytes, or all that is left.
func cut(b []byte) int { return Rolling.Cut(b, minChunk, meanBits) }

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
