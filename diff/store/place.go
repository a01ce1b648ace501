package store

import (
	"encoding/binary"

	"github.com/zeebo/blake3"

	"pakdb/internal/fields"
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

// readPlace reads what appendPlace wrote.
func readPlace(f *fields.Reader, before place) (p place) {
	switch kind := f.Number("kind of a place", 2); kind {
	case 0:
		p = place{before.pack, before.frame, before.at + before.size, 0}
	case 1:
		p = place{before.pack, before.frame + 1, 0, 0}
	default:
		p.pack = int(f.Number("pack", maxNumber))
		p.frame = int(f.Number("frame", maxNumber))
		p.at = int(f.Number("place in a frame", maxFrame))
	}
	p.size = int(f.Number("size of a chunk", maxChunk))
	if p.size > maxFrame-p.at {
		f.Fail("a chunk behind its frame")
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
	f := fields.New(b, ErrCorrupt)
	chunks := make([]chunkRef, f.Count("chunks", maxNumber, 8+2))
	var before place
	for i := range chunks {
		chunks[i].id = f.Uint64()
		chunks[i].place = readPlace(f, before)
		before = chunks[i].place
		size -= int64(before.size)
	}
	if f.Err() == nil && (size != 0 || f.Len() > 0) {
		f.Fail("the chunks of a content are not its size")
	}
	return chunks, f.Err()
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
	f := fields.New(b, ErrCorrupt)
	lists := make([]listRef, f.Count("lists", maxNumber, 3))
	var before place
	for i := range lists {
		lists[i].place = readPlace(f, before)
		lists[i].content = f.Number("size of a list's content", 1<<50)
		before = lists[i].place
		size -= lists[i].content
	}
	if f.Err() == nil && (size != 0 || f.Len() > 0) {
		f.Fail("the lists of a content are not its size")
	}
	return lists, f.Err()
}
