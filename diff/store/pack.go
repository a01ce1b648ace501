package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"pakdb/internal/fields"
	"pakdb/internal/rescue"
)

const (
	frameGoal = 64 << 10 // decoded bytes after which a frame ends
	maxFrame  = frameGoal + maxChunk
	packGoal  = 3 << 20 // decoded bytes after which a pack ends
	maxPack   = 4 << 20
	listGoal  = 4 << 10 // of frames of lists and recipes, which are fetched for few contents each
	packMagic = "pkpack\x00\x01"

	maxStored     = maxFrame + 4<<10 // bytes of a frame: zstd adds 1/256 at most to what does not compress
	maxFramesSize = 4 * maxPack      // bytes of all frames of a pack: it ends at packGoal
	maxFrames     = 1 << 20          // of a pack: each has a byte or more of packGoal and of one frame, most have 4 KiB
	heldPack      = 128              // bytes that are held of a pack of a table
)

// A pack is frames, each a zstd frame of up to some chunks; then its directory,
// another zstd frame; then the directory's stored size in 32 bits,
// little-endian, and packMagic. Clients read frames by the tables of a build and
// never the directory, which tells a publisher what a store has.

// What a row of a directory is about.
const (
	rowChunk = iota
	rowList  // the list of a content's chunks; the key is the content's
	rowPart  // of the tree of a recipe
)

type row struct {
	kind int
	key  key
	place
	content int64 // of lists: decoded bytes of the content
}

// packInfo is what a build's tables say of a pack.
type packInfo struct {
	number int
	sum    key      // of the whole file
	ends   []uint32 // of the frames, which are one behind the other
}

func packName(number int) string { return fmt.Sprintf("p/%06d", number) }

// packer writes packs of one kind: data, or lists. Where a frame and a pack end
// depends on what is in them, not on how well that compresses, so that places
// are known before frames are compressed, which all processors do.
type packer struct {
	s      *publisher
	goal   int
	number int // of the open pack
	frames [][]byte
	size   int  // decoded
	apart  bool // the next chunk begins a frame
	rows   []row
}

// cut begins a frame: what follows is not fetched together with what was before.
func (p *packer) cut() { p.apart = true }

// add puts a chunk into the open frame.
func (p *packer) add(kind int, k key, data []byte, content int64) (place, error) {
	if p.size > packGoal && (p.apart || len(p.frames[len(p.frames)-1])+len(data) > p.goal) {
		if err := p.end(); err != nil {
			return place{}, err
		}
	}
	if p.number == 0 {
		p.number = p.s.nextPack()
	}
	last := len(p.frames) - 1
	if last < 0 || len(p.frames[last]) > 0 && (p.apart || len(p.frames[last])+len(data) > p.goal) {
		p.frames = append(p.frames, nil)
		last++
	}
	p.apart = false
	at := place{p.number, last, len(p.frames[last]), len(data)}
	p.frames[last] = append(p.frames[last], data...)
	p.size += len(data)
	if k != (key{}) {
		p.rows = append(p.rows, row{kind, k, at, content})
	}
	return at, nil
}

// end writes the open pack.
func (p *packer) end() error {
	if len(p.frames) == 0 {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	stored := make([][]byte, len(p.frames))
	for i, f := range p.frames {
		g.Go(rescue.Func(func() (err error) {
			stored[i], err = deflate(f)
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	info := packInfo{number: p.number, ends: make([]uint32, len(stored))}
	var out []byte
	for i, b := range stored {
		out = append(out, b...)
		info.ends[i] = uint32(len(out))
	}
	dir, err := deflate(marshalRows(&info, p.rows))
	if err != nil {
		return err
	}
	out = append(out, dir...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(dir)))
	out = append(out, packMagic...)
	if err := p.s.writeFile(packName(p.number), out); err != nil {
		return err
	}
	info.sum = keyOf(out)
	p.s.packs[p.number] = info
	p.s.stats.Packs++
	p.s.stats.Written += int64(len(out))
	p.number, p.frames, p.size, p.rows = 0, nil, 0, p.rows[:0]
	return nil
}

func marshalRows(info *packInfo, rows []row) []byte {
	b := binary.AppendUvarint(nil, uint64(len(info.ends)))
	for i := range info.ends {
		b = binary.AppendUvarint(b, uint64(info.size(i)))
	}
	b = binary.AppendUvarint(b, uint64(len(rows)))
	var before place
	for _, r := range rows {
		b = append(b, byte(r.kind))
		b = append(b, r.key[:]...)
		b = appendPlace(b, r.place, before)
		b = binary.AppendUvarint(b, uint64(r.content))
		before = r.place
	}
	return b
}

// readPack reads a pack's directory.
func readPack(dir string, number int) (info packInfo, rows []row, err error) {
	name := packName(number)
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return info, nil, err
	}
	if info, rows, err = parsePack(b, number); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return info, rows, err
}

func parsePack(b []byte, number int) (info packInfo, rows []row, err error) {
	const tail = 4 + len(packMagic)
	if len(b) < tail || string(b[len(b)-len(packMagic):]) != packMagic {
		return info, nil, fmt.Errorf("%w: not a pack", ErrCorrupt)
	}
	n := int64(binary.LittleEndian.Uint32(b[len(b)-tail:]))
	if n > int64(len(b)-tail) {
		return info, nil, fmt.Errorf("%w: a directory of %d bytes", ErrCorrupt, n)
	}
	plain, err := inflate(b[len(b)-tail-int(n):len(b)-tail], maxPack*8)
	if err != nil {
		return info, nil, err
	}
	info = packInfo{number: number, sum: keyOf(b)}
	f := fields.New(plain, ErrCorrupt)
	info.ends = make([]uint32, f.Count("frames", maxFrames, 1))
	at := int64(0)
	for i := range info.ends {
		info.ends[i] = frameEnd(f, &at)
	}
	if at != int64(len(b)-tail)-n {
		f.Fail("frames that are not the pack")
	}
	rows = make([]row, f.Count("rows", maxNumber, 1+16+2+1))
	var before place
	for i := range rows {
		r := &rows[i]
		r.kind = int(f.Number("kind of a row", rowPart))
		r.key = key(f.Bytes(16))
		r.place = readPlace(f, before)
		r.content = f.Number("size of a content", 1<<50)
		before = r.place
		if r.pack != number || r.frame >= len(info.ends) {
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

// frameWriters holds encoders. Each takes some 40 MB, and clearing them costs more
// than what a small publication compresses.
var frameWriters sync.Pool

// deflate returns b as a zstd frame. It is safe for concurrent use.
func deflate(b []byte) ([]byte, error) {
	e, ok := frameWriters.Get().(*zstd.Encoder)
	if !ok {
		var err error
		if e, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1)); err != nil {
			return nil, err
		}
	}
	defer frameWriters.Put(e)
	return e.EncodeAll(b, nil), nil
}

var frameReaders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	return d
}}

// inflateFrame decodes a frame of a pack.
func inflateFrame(b []byte) ([]byte, error) {
	d, ok := frameReaders.Get().(*zstd.Decoder)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	defer frameReaders.Put(d)
	out, err := d.DecodeAll(b, make([]byte, 0, maxFrame))
	if err != nil {
		return nil, fmt.Errorf("%w: a frame of %d bytes: %w", ErrCorrupt, len(b), err)
	}
	return out, nil
}
