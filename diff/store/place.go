package store

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/blake3"
)

// key names a chunk or a content: the first 16 bytes of its BLAKE3. What clients
// read has the first eight; a file is checked as a whole in the end.
type key [16]byte

func keyOf(p []byte) key { sum := blake3.Sum256(p); return key(sum[:16]) }

// short is what stands in recipes and lists.
func (k key) short() uint64 { return binary.LittleEndian.Uint64(k[:]) }

// place is where the bytes of a chunk are: a frame of a pack, and a part of what
// the frame decodes to.
type place struct {
	pack, frame int
	at, size    int
}

// frameID is a frame of a pack.
type frameID struct{ pack, frame int }

func (p place) id() frameID { return frameID{p.pack, p.frame} }

// chunkRef is a chunk of a content.
type chunkRef struct {
	id uint64
	place
}

// contentRef is a content in a recipe: one chunk, or where the list of its
// chunks is.
type contentRef struct {
	id    uint64
	size  int64
	depth int // 0: the chunk itself, 1: its place has the list of chunks, 2: of lists of chunks
	place
}

// listRef is one of several lists of a content's chunks.
type listRef struct {
	place
	content int64 // bytes that its chunks have
}

// maxNumber bounds numbers of packs and frames.
const maxNumber = 1 << 30

// appendPlace writes a place as its difference from the one before, which is
// small when chunks follow each other.
func appendPlace(b []byte, p, before place) []byte {
	switch {
	case p.pack == before.pack && p.frame == before.frame && p.at == before.at+before.size:
		b = append(b, 0)
	case p.pack == before.pack && p.frame == before.frame+1 && p.at == 0:
		b = append(b, 1)
	default:
		b = append(b, 2)
		b = binary.AppendUvarint(b, uint64(p.pack))
		b = binary.AppendUvarint(b, uint64(p.frame))
		b = binary.AppendUvarint(b, uint64(p.at))
	}
	return binary.AppendUvarint(b, uint64(p.size))
}

// fields reads what the store's tables are made of. The first failure stays;
// afterwards everything is zero.
type fields struct {
	b   []byte
	err error
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
	}
	f.b = nil
}

// number reads a number up to limit.
func (f *fields) number(what string, limit int64) int64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 || v > uint64(limit) {
		f.fail("%s", what)
		return 0
	}
	f.b = f.b[n:]
	return int64(v)
}

// count reads how many things of at least so many bytes follow.
func (f *fields) count(what string, least int) int {
	n := f.number(what, maxNumber)
	if n > int64(len(f.b)/least) {
		f.fail("%d %s in %d bytes", n, what, len(f.b))
		return 0
	}
	return int(n)
}

func (f *fields) bytes(n int) []byte {
	if n > len(f.b) {
		f.fail("ends early")
		return make([]byte, n)
	}
	b := f.b[:n]
	f.b = f.b[n:]
	return b
}

func (f *fields) u64() uint64 { return binary.LittleEndian.Uint64(f.bytes(8)) }

func (f *fields) place(before place) (p place) {
	switch kind := f.number("kind of a place", 2); kind {
	case 0:
		p = place{before.pack, before.frame, before.at + before.size, 0}
	case 1:
		p = place{before.pack, before.frame + 1, 0, 0}
	default:
		p.pack = int(f.number("pack", maxNumber))
		p.frame = int(f.number("frame", maxNumber))
		p.at = int(f.number("place in a frame", maxFrame))
	}
	p.size = int(f.number("size of a chunk", maxChunk))
	if p.size > maxFrame-p.at {
		f.fail("a chunk behind its frame")
	}
	return p
}

// marshalList writes the chunks of a content.
func marshalList(chunks []chunkRef) []byte {
	b := binary.AppendUvarint(nil, uint64(len(chunks)))
	var before place
	for _, c := range chunks {
		b = binary.LittleEndian.AppendUint64(b, c.id)
		b = appendPlace(b, c.place, before)
		before = c.place
	}
	return b
}

// parseList reads the chunks of a content of size bytes.
func parseList(b []byte, size int64) ([]chunkRef, error) {
	f := &fields{b: b}
	chunks := make([]chunkRef, f.count("chunks", 8+2))
	var before place
	for i := range chunks {
		chunks[i].id = f.u64()
		chunks[i].place = f.place(before)
		before = chunks[i].place
		size -= int64(before.size)
	}
	if f.err == nil && (size != 0 || len(f.b) > 0) {
		f.fail("the chunks of a content are not its size")
	}
	return chunks, f.err
}

func marshalLists(lists []listRef) []byte {
	b := binary.AppendUvarint(nil, uint64(len(lists)))
	var before place
	for _, l := range lists {
		b = appendPlace(b, l.place, before)
		b = binary.AppendUvarint(b, uint64(l.content))
		before = l.place
	}
	return b
}

// parseLists reads the lists of a content of size bytes.
func parseLists(b []byte, size int64) ([]listRef, error) {
	f := &fields{b: b}
	lists := make([]listRef, f.count("lists", 3))
	var before place
	for i := range lists {
		lists[i].place = f.place(before)
		lists[i].content = f.number("size of a list's content", 1<<50)
		before = lists[i].place
		size -= lists[i].content
	}
	if f.err == nil && (size != 0 || len(f.b) > 0) {
		f.fail("the lists of a content are not its size")
	}
	return lists, f.err
}
