package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"pakdb/internal/bin"
)

const (
	FrameGoal = 64 << 10 // decoded bytes after which a frame ends
	// MaxFrame is how many decoded bytes a frame may have.
	MaxFrame = FrameGoal + MaxChunk
	PackGoal = 3 << 20 // decoded bytes after which a pack ends
	// MaxPack is how many decoded bytes a pack may have.
	MaxPack  = 4 << 20
	ListGoal = 4 << 10 // of frames of lists and recipes, which are fetched for few contents each
	// PackMagic is what a pack ends with.
	PackMagic = "pkpack\x00\x01"

	maxStored     = MaxFrame + 4<<10 // bytes of a frame: zstd adds 1/256 at most to what does not compress
	maxFramesSize = 4 * MaxPack      // bytes of all frames of a pack: it ends at packGoal
	maxFrames     = 1 << 20          // of a pack: each has a byte or more of packGoal and of one frame, most have 4 KiB
	heldPack      = 128              // bytes that are held of a pack of a table
)

// A pack is frames, each a zstd frame of up to some chunks; then its directory,
// another zstd frame; then the directory's stored size in 32 bits,
// little-endian, and packMagic. Clients read frames by the tables of a build and
// never the directory, which tells a publisher what a store has.

// What a row of a directory is about.
const (
	RowChunk = iota
	RowList  // the list of a content's chunks; the key is the content's
	RowPart  // of the tree of a recipe
)

// Row is what the directory of a pack says of a chunk, a list or a part.
type Row struct {
	Kind int
	Key  Key
	Place
	Content int64 // of lists: decoded bytes of the content
}

// PackInfo is what a build's tables say of a pack.
type PackInfo struct {
	Number int
	Sum    Key      // of the whole file
	Ends   []uint32 // of the frames, which are one behind the other
}

// PackName returns the path of a pack.
func PackName(number int) string { return fmt.Sprintf("p/%06d", number) }

// MarshalRows returns the directory of a pack, before compression.
func MarshalRows(info *PackInfo, rows []Row) []byte {
	b := binary.AppendUvarint(nil, uint64(len(info.Ends)))
	for i := range info.Ends {
		b = binary.AppendUvarint(b, uint64(info.Size(i)))
	}
	b = binary.AppendUvarint(b, uint64(len(rows)))
	var before Place
	for _, r := range rows {
		b = append(b, byte(r.Kind))
		b = append(b, r.Key[:]...)
		b = appendPlace(b, r.Place, before)
		b = binary.AppendUvarint(b, uint64(r.Content))
		before = r.Place
	}
	return b
}

// ReadPack reads a pack's directory.
func ReadPack(from *Reader, number int) (info PackInfo, rows []Row, err error) {
	name := PackName(number)
	b, _, err := from.File(name)
	if err != nil {
		return info, nil, err
	}
	if info, rows, err = ParsePack(b, number); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return info, rows, err
}

// ReadRows reads the directory of a pack of which the frames are known, and nothing
// else of it.
func ReadRows(from *Reader, info *PackInfo) ([]Row, error) {
	at := int64(0)
	if n := len(info.Ends); n > 0 {
		at = int64(info.Ends[n-1])
	}
	name := PackName(info.Number)
	b, err := from.Part(name, at, -1)
	if err != nil {
		return nil, err
	}
	have, rows, err := parseEnd(b, info.Number, at)
	if err == nil && !slices.Equal(have.Ends, info.Ends) {
		err = fmt.Errorf("%w: not the pack that its table says", ErrCorrupt)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}

// ParsePack reads the directory of a pack, of which b is the whole.
func ParsePack(b []byte, number int) (info PackInfo, rows []Row, err error) {
	info, rows, err = parseEnd(b, number, 0)
	info.Sum = KeyOf(b)
	return info, rows, err
}

// parseEnd reads the directory of a pack, of which b is what is from a place on.
func parseEnd(b []byte, number int, from int64) (info PackInfo, rows []Row, err error) {
	const tail = 4 + len(PackMagic)
	if len(b) < tail || string(b[len(b)-len(PackMagic):]) != PackMagic {
		return info, nil, fmt.Errorf("%w: not a pack", ErrCorrupt)
	}
	n := int64(binary.LittleEndian.Uint32(b[len(b)-tail:]))
	if n > int64(len(b)-tail) {
		return info, nil, fmt.Errorf("%w: a directory of %d bytes", ErrCorrupt, n)
	}
	plain, err := inflate(b[len(b)-tail-int(n):len(b)-tail], MaxPack*8)
	if err != nil {
		return info, nil, err
	}
	info = PackInfo{Number: number}
	f := bin.NewFields(plain, ErrCorrupt)
	info.Ends = make([]uint32, f.Count("frames", maxFrames, 1))
	at := int64(0)
	for i := range info.Ends {
		info.Ends[i] = frameEnd(f, &at)
	}
	if at != from+int64(len(b)-tail)-n {
		f.Fail("frames that are not the pack")
	}
	rows = make([]Row, f.Count("rows", maxNumber, 1+16+2+1))
	var before Place
	for i := range rows {
		r := &rows[i]
		r.Kind = int(f.Number("kind of a row", RowPart))
		r.Key = Key(f.Bytes(16))
		r.Place = readPlace(f, before)
		r.Content = f.Number("size of a content", 1<<50)
		before = r.Place
		if r.Pack != number || r.Frame >= len(info.Ends) {
			f.Fail("a row of another pack")
		}
	}
	return info, rows, f.Err()
}

// inflate decodes a zstd frame of at most limit bytes.
func inflate(b []byte, limit int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(uint64(limit)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	out, err := d.DecodeAll(b, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return out, nil
}

var frameReaders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	return d
}}

// InflateFrame decodes a frame of a pack.
func InflateFrame(b []byte) ([]byte, error) {
	d, ok := frameReaders.Get().(*zstd.Decoder)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	defer frameReaders.Put(d)
	out, err := d.DecodeAll(b, make([]byte, 0, MaxFrame))
	if err != nil {
		return nil, fmt.Errorf("%w: a frame of %d bytes: %w", ErrCorrupt, len(b), err)
	}
	return out, nil
}

// frameEnd reads the size of a frame that begins at a place, and moves that on.
func frameEnd(f *bin.Fields, at *int64) uint32 {
	n := f.Number("size of a frame", maxStored)
	if *at += n; n == 0 || *at > maxFramesSize {
		f.Fail("a frame of %d bytes after %d", n, *at-n)
		*at = 0
	}
	return uint32(*at)
}
