package indexer

import (
	"bytes"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/schema"
)

// padding returns what fills a content of size bytes up to the boundary of its
// archive; ok is false where lengths are exact.
func padding(a codecs.Archive, e *codecs.Entry, size int64) (fill []byte, ok bool) {
	padder, ok := codecs.ArchiveAs[codecs.Padder](a)
	if !ok || e.Flags&codecs.Nested != 0 { // that archive's own habits are not known here
		return nil, false
	}
	align, b := padder.Padding(e)
	if align <= 1 {
		return nil, false
	}
	return bytes.Repeat([]byte{b}, int((align-size%align)%align)), true
}

// hashers lends out the memory of hashes, 10 KiB each.
var hashers = sync.Pool{New: func() any { return blake3.New() }}

// hashContent sets the hashes of a content that is held as a whole.
func hashContent(a codecs.Archive, e *codecs.Entry, content []byte, row *schema.Entry) {
	row.ContentSize, row.HasContent = int64(len(content)), true
	fill, padded := padding(a, e, row.ContentSize)
	row.HasPadded = padded
	if len(fill) == 0 {
		row.Content = blake3.Sum256(content)
		row.Padded = row.Content
		return
	}
	h := hashers.Get().(*blake3.Hasher)
	defer hashers.Put(h)
	h.Reset()
	_, _ = h.Write(content)
	sumContent(h, fill, row)
}

// sumContent sets the hashes of the content that went into h, and of the same
// filled up, which continues from there.
func sumContent(h *blake3.Hasher, fill []byte, row *schema.Entry) {
	rest := hashers.Get().(*blake3.Hasher)
	defer hashers.Put(rest)
	*rest = *h // Sum changes the state
	h.Sum(row.Content[:0])
	_, _ = rest.Write(fill)
	rest.Sum(row.Padded[:0])
}
