package store

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/blake3"

	"pakdb/internal/bin"
)

// Key names a chunk or a content: the first 16 bytes of its BLAKE3. What clients
// read has the first eight; a file is checked as a whole in the end.
type Key [16]byte

// KeyOf returns the key of a content: the first 16 bytes of its BLAKE3.
func KeyOf(p []byte) Key { sum := blake3.Sum256(p); return Key(sum[:16]) }

// Short is what stands in recipes and lists.
func (k Key) Short() uint64 { return binary.LittleEndian.Uint64(k[:]) }

// Place is where the bytes of a chunk are: a frame of a pack, and a part of what
// the frame decodes to.
type Place struct {
	Pack, Frame int
	At, Size    int
}

// SmallPlace is a place in half the memory, for tables of all that a store has.
type SmallPlace struct{ pack, frame, at, size uint32 }

// Small returns the place as a SmallPlace.
func (p Place) Small() SmallPlace {
	return SmallPlace{uint32(p.Pack), uint32(p.Frame), uint32(p.At), uint32(p.Size)} // maxNumber bounds all of them
}

// Place returns what Small was asked of.
func (p SmallPlace) Place() Place {
	return Place{int(p.pack), int(p.frame), int(p.at), int(p.size)}
}

// Listed is where the list of a content is, and how many bytes the content has.
type Listed struct {
	SmallPlace
	Content int64
}

// FrameID is a frame of a pack.
type FrameID struct{ Pack, Frame int }

// ID returns the frame that it lies in.
func (p Place) ID() FrameID { return FrameID{p.Pack, p.Frame} }

// ChunkRef is a chunk of a content.
type ChunkRef struct {
	ID uint64
	Place
}

// ContentRef is a content in a recipe: one chunk, or where the list of its
// chunks is.
type ContentRef struct {
	ID    uint64
	Size  int64
	Depth int // 0: the chunk itself, 1: its place has the list of chunks, 2: of lists of chunks
	Place
}

// ListRef is one of several lists of a content's chunks.
type ListRef struct {
	Place
	Content int64 // bytes that its chunks have
}

// maxNumber bounds numbers of packs and frames.
const maxNumber = 1 << 30

// appendPlace writes a place as its difference from the one before, which is
// small when chunks follow each other.
func appendPlace(b []byte, p, before Place) []byte {
	switch {
	case p.Pack == before.Pack && p.Frame == before.Frame && p.At == before.At+before.Size:
		b = append(b, 0)
	case p.Pack == before.Pack && p.Frame == before.Frame+1 && p.At == 0:
		b = append(b, 1)
	default:
		b = append(b, 2)
		b = binary.AppendUvarint(b, uint64(p.Pack))
		b = binary.AppendUvarint(b, uint64(p.Frame))
		b = binary.AppendUvarint(b, uint64(p.At))
	}
	return binary.AppendUvarint(b, uint64(p.Size))
}

// readPlace reads what appendPlace wrote.
func readPlace(f *bin.Fields, before Place) (p Place) {
	switch kind := f.Number("kind of a place", 2); kind {
	case 0:
		p = Place{before.Pack, before.Frame, before.At + before.Size, 0}
	case 1:
		p = Place{before.Pack, before.Frame + 1, 0, 0}
	default:
		p.Pack = int(f.Number("pack", maxNumber))
		p.Frame = int(f.Number("frame", maxNumber))
		p.At = int(f.Number("place in a frame", MaxFrame))
	}
	p.Size = int(f.Number("size of a chunk", MaxChunk))
	if p.Size > MaxFrame-p.At {
		f.Fail("a chunk after its frame")
	}
	return p
}

// MarshalList writes the chunks of a content.
func MarshalList(chunks []ChunkRef) []byte {
	b := binary.AppendUvarint(nil, uint64(len(chunks)))
	var before Place
	for _, c := range chunks {
		b = binary.LittleEndian.AppendUint64(b, c.ID)
		b = appendPlace(b, c.Place, before)
		before = c.Place
	}
	return b
}

// ParseList reads the chunks of a content of size bytes.
func ParseList(b []byte, size int64) ([]ChunkRef, error) {
	f := bin.NewFields(b, ErrCorrupt)
	chunks := make([]ChunkRef, f.Count("chunks", maxNumber, 8+2))
	var before Place
	for i := range chunks {
		chunks[i].ID = f.Uint64()
		chunks[i].Place = readPlace(f, before)
		before = chunks[i].Place
		size -= int64(before.Size)
	}
	if f.Err() == nil && (size != 0 || f.Len() > 0) {
		f.Fail("the chunks of a content are not its size")
	}
	return chunks, f.Err()
}

// MarshalLists returns a list of lists as it is stored.
func MarshalLists(lists []ListRef) []byte {
	b := binary.AppendUvarint(nil, uint64(len(lists)))
	var before Place
	for _, l := range lists {
		b = appendPlace(b, l.Place, before)
		b = binary.AppendUvarint(b, uint64(l.Content))
		before = l.Place
	}
	return b
}

// ParseLists reads the lists of a content of size bytes.
func ParseLists(b []byte, size int64) ([]ListRef, error) {
	f := bin.NewFields(b, ErrCorrupt)
	lists := make([]ListRef, f.Count("lists", maxNumber, 3))
	var before Place
	for i := range lists {
		lists[i].Place = readPlace(f, before)
		lists[i].Content = f.Number("size of a list's content", 1<<50)
		before = lists[i].Place
		size -= lists[i].Content
	}
	if f.Err() == nil && (size != 0 || f.Len() > 0) {
		f.Fail("the lists of a content are not its size")
	}
	return lists, f.Err()
}

// Frame decodes a frame that has the chunk.
func (c *ChunkRef) Frame(stored []byte) (frame []byte, err error) {
	if frame, err = InflateFrame(stored); err == nil {
		_, err = c.In(frame)
	}
	return frame, err
}

// In returns the chunk of a frame.
func (c *ChunkRef) In(frame []byte) ([]byte, error) {
	b, err := BytesAt(frame, c.Place)
	if err == nil && KeyOf(b).Short() != c.ID {
		err = fmt.Errorf("%w: a chunk of %s is not what its id says", ErrCorrupt, PackName(c.Pack))
	}
	return b, err
}

// BytesAt returns the bytes at a place of a frame.
func BytesAt(frame []byte, p Place) ([]byte, error) {
	if p.At > len(frame) || p.Size > len(frame)-p.At {
		return nil, fmt.Errorf("%w: place %d of a frame of %d bytes", ErrCorrupt, p.At, len(frame))
	}
	return frame[p.At : p.At+p.Size], nil
}
