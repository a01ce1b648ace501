package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress"
	"github.com/klauspost/compress/zstd"

	"pakdb/diff/ship/internal/table"
	"pakdb/internal/bin"
	"pakdb/internal/gear"
	"pakdb/internal/stored"
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
// never the directory, which is a publisher's list of what a store has.

// What a row of a directory is about.
const (
	RowChunk = iota
	RowList  // the list of a content's chunks; the key is the content's
	RowPart  // of the tree of a recipe
)

// Row is a row of the directory of a pack: a chunk, a list or a part.
type Row struct {
	Kind int
	Key  Key
	Place
	Content int64 // of lists: decoded bytes of the content
}

// PackInfo is a pack in the tables of a build.
type PackInfo struct {
	Number int
	Sum    Key      // of the whole file
	Ends   []uint32 // of the frames, which are one after the other
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

// A Deflater compresses the data of a publication. It holds on to as many encoders as there
// are processors, of which those of the best level take 40 MB each: a [sync.Pool] drops them
// between two garbage collections, and making them again took a third of the CPU of a
// publication. It is safe for concurrent use; the zero value is ready.
type Deflater struct {
	begin sync.Once
	turns chan struct{} // as many as may compress at once
	spare [len(levels)]chan *zstd.Encoder
}

// levels are what [Deflater.Deflate] compresses with: the second has four times the speed, and
// what is close to noise takes half a percent more with it. docs/tried.md has figures.
var levels = [...]zstd.EncoderLevel{zstd.SpeedBestCompression, zstd.SpeedBetterCompression}

// frameWindow is how far back an encoder looks, which is more than a frame of a pack has.
const frameWindow = 1 << 20

// noisy is the entropy, in bits a byte by how often each value occurs, from which on bytes
// are close to noise.
const noisy = 7

// Deflate returns b as a zstd frame.
func (d *Deflater) Deflate(b []byte) ([]byte, error) {
	if compress.ShannonEntropyBits(b) >= noisy*len(b) {
		return d.deflate(b, 1)
	}
	return d.deflate(b, 0)
}

// DeflateQuickly is [Deflater.Deflate] for a quarter of the CPU and up to a tenth more bytes.
func (d *Deflater) DeflateQuickly(b []byte) ([]byte, error) { return d.deflate(b, 1) }

func (d *Deflater) deflate(b []byte, level int) (frame []byte, err error) {
	d.begin.Do(func() {
		most := runtime.GOMAXPROCS(0)
		d.turns = make(chan struct{}, most)
		for i := range d.spare {
			d.spare[i] = make(chan *zstd.Encoder, most)
		}
	})
	d.turns <- struct{}{}
	defer func() { <-d.turns }()
	var e *zstd.Encoder
	select {
	case e = <-d.spare[level]:
	default:
		e, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(levels[level]), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(frameWindow))
		if err != nil {
			return nil, err
		}
	}
	frame = e.EncodeAll(b, nil)
	d.spare[level] <- e // has room: no more are taken than there are turns
	return frame, nil
}

// Forget drops the encoders, which take 70 MB on two processors, where other work comes next.
func (d *Deflater) Forget() {
	for _, spare := range d.spare {
		for range cap(spare) {
			select {
			case <-spare:
			default:
			}
		}
	}
}

// blankTables finds tables of an Unreal pak at the begin of b, which is at a
// place of the file, and returns what they are without what follows from the
// file: blank, instead of n bytes of b. Entries begin at places. n is 0 if there
// are none that follow.
func blankTables(b []byte, at int64, places []int64, file io.ReaderAt) (blank []byte, n int) {
	if len(b) > table.MaxSize || len(places) == 0 {
		return nil, 0
	}
	number := make(map[int64]int64, len(places))
	for i, p := range places {
		number[p] = int64(i)
	}
	for _, n := range table.Ends(b) {
		t, err := table.Parse(table.Unreal, b[:n], at)
		if err != nil {
			continue
		}
		refs := make([]int64, len(t.Rows()))
		next := int64(0)
		for i, row := range t.Rows() {
			if row.Off < 0 {
				continue
			}
			k, ok := number[row.Off]
			if !ok {
				return nil, 0
			}
			refs[i] = int64(zigzag(k - next))
			next = k + 1
		}
		if blank, err = table.Blank(t, refs); err != nil {
			continue
		}
		if again, err := FillTables(blank, at, places, file); err == nil && bytes.Equal(again, b[:n]) {
			return blank, n
		}
	}
	return nil, 0
}

// BlankGroup is tables that are taken as blank ones.
type BlankGroup struct {
	Group
	Content []byte
}

// BlankBehind returns the blank tables that a group begins with, if it is
// after all entries. What it has after them is left to the skeleton.
func (g *Group) BlankBehind(in io.ReaderAt, places []int64) (b BlankGroup, ok bool) {
	if !g.end || g.Length() > table.MaxSize {
		return b, false
	}
	plain := make([]byte, g.Length())
	if err := stored.ReadAt(in, plain, g.Off); err != nil {
		return b, false
	}
	content, n := blankTables(plain, g.Off, places, in)
	if n == 0 || len(plain)-n > smallGap {
		return b, false
	}
	b = BlankGroup{*g, content}
	b.Method, b.Size, b.Block, b.Stored = MethodTables, int64(len(content)), 0, []int64{int64(n)}
	return b, true
}

// FillTables makes tables of blank ones.
func FillTables(blank []byte, at int64, places []int64, file io.ReaderAt) ([]byte, error) {
	t, err := table.Parse(table.Unreal, blank, table.BlankAt)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	items := make([]table.Item, len(t.Rows()))
	next := int64(0)
	for i, row := range t.Rows() {
		items[i] = table.Item{Old: i, Off: -1}
		if row.Off < 0 {
			continue
		}
		k := next + unzigzag(uint64(row.Off))
		if k < 0 || k >= int64(len(places)) {
			return nil, fmt.Errorf("%w: an entry after the last", ErrCorrupt)
		}
		items[i].Off = places[k]
		next = k + 1
	}
	b, err := t.Predict(items, table.Kept, file, at)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return b, nil
}

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
