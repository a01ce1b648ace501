package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/internal/coder"
	"pakdb/internal/bin"
)

// Key names a chunk or a content: the first 16 bytes of its BLAKE3. What clients
// read has the first eight; a file is checked as a whole in the end.
type Key [16]byte

// KeyOf returns the key of a content: the first 16 bytes of its BLAKE3.
func KeyOf(p []byte) Key { sum := blake3.Sum256(p); return Key(sum[:16]) }

// Short returns the key as recipes and lists have it.
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

// Place is the inverse of Small.
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

// ID returns the frame of the place.
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

// ContentDelta makes a content of a build from one of an earlier build
// (package delta), wherever that is: in the file as it was published, in a mix,
// in a modded one.
type ContentDelta struct {
	Old, New         uint64 // ids
	OldSize, NewSize int64
	File             int // of the list's files
	Off, N           int64
}

// DeltaList is a build's deltas from one earlier build.
type DeltaList struct {
	Files  []DeltaFile
	Deltas []ContentDelta
}

// DeltaFile holds deltas, one after the other. It is named by the first 16
// bytes of its BLAKE3.
type DeltaFile struct {
	Sum  Key
	Size int64
}

// Name returns the path of the file in the store.
func (f *DeltaFile) Name() string { return DeltaName(hex.EncodeToString(f.Sum[:])) }

const (
	// DeltasMagic is what a list of deltas begins with.
	DeltasMagic = "pkdeltas\x01"
	MaxCoded    = 64 << 20 // bytes of a content that deltas are made for, and of its origin
	MaxStream   = 8 << 20  // bytes of a delta that a client takes: some are fetched at a time, and held; larger ones save little
)

// Marshal returns the list as it is stored: the files, then the deltas by new ids,
// numbers as LEB128.
func (l *DeltaList) Marshal() []byte {
	b := binary.AppendUvarint([]byte(DeltasMagic), uint64(len(l.Files)))
	for _, f := range l.Files {
		b = append(b, f.Sum[:]...)
		b = binary.AppendUvarint(b, uint64(f.Size))
	}
	b = binary.AppendUvarint(b, uint64(len(l.Deltas)))
	for _, d := range l.Deltas {
		b = binary.LittleEndian.AppendUint64(b, d.Old)
		b = binary.LittleEndian.AppendUint64(b, d.New)
	}
	for _, d := range l.Deltas {
		b = binary.AppendUvarint(b, uint64(d.OldSize))
		b = binary.AppendVarint(b, d.NewSize-d.OldSize)
	}
	file, at := 0, int64(0)
	for _, d := range l.Deltas {
		b = binary.AppendUvarint(b, uint64(d.N))
		b = binary.AppendVarint(b, int64(d.File-file))
		b = binary.AppendVarint(b, d.Off-at)
		file, at = d.File, d.Off+d.N
	}
	return b
}

// ParseDeltaList reads what Marshal wrote. What it was not written so is
// [ErrCorrupt].
func ParseDeltaList(b []byte) (*DeltaList, error) {
	f := bin.NewFields(b, ErrCorrupt)
	if string(f.Bytes(len(DeltasMagic))) != DeltasMagic {
		f.Fail("not a list of deltas")
	}
	l := &DeltaList{Files: make([]DeltaFile, f.Count("files", maxNumber, 16+1))}
	for i := range l.Files {
		l.Files[i] = DeltaFile{Key(f.Bytes(16)), f.Number("size of a file", maxDelta)}
	}
	l.Deltas = make([]ContentDelta, f.Count("deltas", maxNumber, 8+8+1+1+1+1+1))
	for i := range l.Deltas {
		l.Deltas[i].Old, l.Deltas[i].New = f.Uint64(), f.Uint64()
	}
	for i := range l.Deltas {
		d := &l.Deltas[i]
		d.OldSize = f.Number("size of a content", MaxCoded)
		d.NewSize = d.OldSize + f.Signed("size of a content", MaxCoded)
		if d.NewSize <= 0 || d.NewSize > MaxCoded {
			f.Fail("a content of %d bytes", d.NewSize)
		}
	}
	file, at := int64(0), int64(0)
	for i := range l.Deltas {
		d := &l.Deltas[i]
		d.N = f.Number("size of a delta", MaxCoded)
		file += f.Signed("file", maxNumber)
		d.Off = at + f.Signed("place of a delta", maxDelta)
		if d.File = int(file); file < 0 || d.File >= len(l.Files) || d.Off < 0 || d.N > l.Files[d.File].Size || d.Off > l.Files[d.File].Size-d.N {
			f.Fail("a delta that is not in its file")
			break
		}
		at = d.Off + d.N
	}
	return l, end(f)
}

// Encode makes the delta from old to new.
func Encode(enc *coder.Encoder, old, new []byte) []byte {
	enc.Reset()
	x := coder.NewIndex(old)
	guess := int64(0)
	for at := 0; at < len(new); at += coder.MaxContent {
		enc.Content(new[at:min(at+coder.MaxContent, len(new))], x, guess, int64(len(old)))
		guess = enc.Next()
	}
	return bytes.Clone(enc.Bytes())
}

// DeltaReader decodes a delta.
type DeltaReader struct {
	dec   *coder.Decoder
	old   coder.Old
	left  int64
	guess int64
	rest  []byte
}

// NewDeltaReader returns a reader of size bytes, which stream makes of old.
func NewDeltaReader(dec *coder.Decoder, stream []byte, old coder.Old, size int64) *DeltaReader {
	dec.Reset(stream)
	return &DeltaReader{dec: dec, old: old, left: size}
}

func (r *DeltaReader) Read(p []byte) (n int, err error) {
	if len(r.rest) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		if r.rest, err = r.dec.Content(int(min(r.left, coder.MaxContent)), r.old, r.guess, r.old.Size()); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		r.guess = r.dec.Next()
		r.left -= int64(len(r.rest))
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Check compares a file of deltas with its name.
func (f *DeltaFile) Check(from *Reader) error {
	b, _, err := from.File(f.Name())
	if err != nil {
		return err
	}
	if int64(len(b)) != f.Size || KeyOf(b) != f.Sum {
		return fmt.Errorf("%w: it is not what its name says", ErrCorrupt)
	}
	return nil
}
