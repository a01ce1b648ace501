package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"pakdb/internal/fields"
)

const (
	frameGoal = 128 << 10 // decoded bytes after which a frame ends
	maxFrame  = frameGoal + maxChunk
	packGoal  = 2 << 20 // stored bytes after which a pack ends
	maxPack   = 4 << 20
	listGoal  = 16 << 10 // of frames of lists, which are fetched for few contents each
	packMagic = "pkpack\x00\x01"
)

// A pack is frames, each a zstd frame of up to some chunks; then its directory,
// another zstd frame; then the directory's stored size in 32 bits,
// little-endian, and packMagic. Clients read frames by the tables of a build and
// never the directory, which tells a publisher what a store has.

// What a row of a directory is about.
const (
	rowChunk = iota
	rowList  // the list of a content's chunks; the key is the content's
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
	sum    key // of the whole file
	frames []int64
}

func packName(number int) string { return fmt.Sprintf("p/%06d", number) }

// packer writes packs of one kind: data, or lists.
type packer struct {
	s      *publisher
	goal   int
	number int // of the open pack
	out    []byte
	frame  []byte
	sizes  []int64
	rows   []row
}

// add puts a chunk into the open frame.
func (p *packer) add(kind int, k key, data []byte, content int64) (place, error) {
	if len(p.frame)+len(data) > p.goal && len(p.frame) > 0 {
		if err := p.endFrame(); err != nil {
			return place{}, err
		}
	}
	if p.number == 0 {
		p.number = p.s.nextPack()
	}
	at := place{p.number, len(p.sizes), len(p.frame), len(data)}
	p.frame = append(p.frame, data...)
	p.rows = append(p.rows, row{kind, k, at, content})
	return at, nil
}

func (p *packer) endFrame() error {
	if len(p.frame) > 0 {
		before := len(p.out)
		p.out = p.s.zstd.EncodeAll(p.frame, p.out)
		p.sizes = append(p.sizes, int64(len(p.out)-before))
		p.frame = p.frame[:0]
	}
	if len(p.out) > packGoal {
		return p.end()
	}
	return nil
}

// end writes the open pack.
func (p *packer) end() error {
	if len(p.frame) > 0 {
		before := len(p.out)
		p.out = p.s.zstd.EncodeAll(p.frame, p.out)
		p.sizes = append(p.sizes, int64(len(p.out)-before))
		p.frame = p.frame[:0]
	}
	if len(p.sizes) == 0 {
		return nil
	}
	dir := p.s.zstd.EncodeAll(marshalRows(p.sizes, p.rows), nil)
	p.out = append(p.out, dir...)
	p.out = binary.LittleEndian.AppendUint32(p.out, uint32(len(dir)))
	p.out = append(p.out, packMagic...)
	if err := writeFile(p.s.dir, packName(p.number), p.out); err != nil {
		return err
	}
	sum := blake3.Sum256(p.out)
	p.s.packs[p.number] = packInfo{p.number, key(sum[:16]), p.sizes}
	p.s.stats.Packs++
	p.s.stats.Written += int64(len(p.out))
	p.number, p.out, p.sizes, p.rows = 0, p.out[:0], nil, p.rows[:0]
	return nil
}

func marshalRows(sizes []int64, rows []row) []byte {
	b := binary.AppendUvarint(nil, uint64(len(sizes)))
	for _, n := range sizes {
		b = binary.AppendUvarint(b, uint64(n))
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
	sum := blake3.Sum256(b)
	info = packInfo{number: number, sum: key(sum[:16])}
	f := fields.New(plain, ErrCorrupt)
	info.frames = make([]int64, f.Count("frames", maxNumber, 1))
	left := int64(len(b)-tail) - n
	for i := range info.frames {
		info.frames[i] = f.Number("size of a frame", maxPack)
		left -= info.frames[i]
	}
	if left != 0 {
		f.Fail("frames that are not the pack")
	}
	rows = make([]row, f.Count("rows", maxNumber, 1+16+2+1))
	var before place
	for i := range rows {
		r := &rows[i]
		r.kind = int(f.Number("kind of a row", rowList))
		r.key = key(f.Bytes(16))
		r.place = readPlace(f, before)
		r.content = f.Number("size of a content", 1<<50)
		before = r.place
		if r.pack != number || r.frame >= len(info.frames) {
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

// writeFile writes a file of the store: under another name first, and on the
// disk before it gets its own.
func writeFile(dir, name string, b []byte) error {
	to := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".pakdb-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
