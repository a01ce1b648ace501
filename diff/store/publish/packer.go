package publish

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/store"
	"pakdb/internal/rescue"
)

// packs are those of a store.
type packs struct {
	out   *storeWriter
	infos store.Tables
	last  int // largest number
	added int
}

// next returns the number of a new pack. Numbers are not used again.
func (p *packs) next() int {
	p.last++
	return p.last
}

// packNumbers returns the packs that are in a store, in their order.
func packNumbers(dir string) (numbers []int, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, "p"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && store.PackName(n) == "p/"+e.Name() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// packer writes packs of one kind: data, or lists. Where a frame and a pack end
// depends on what is in them, not on how well that compresses, so that places
// are known before frames are compressed, which all processors do.
type packer struct {
	packs  *packs
	goal   int
	number int // of the open pack
	frames [][]byte
	size   int  // decoded
	apart  bool // the next chunk begins a frame
	rows   []store.Row
}

// cut begins a frame: what follows is not fetched together with what was before.
func (p *packer) cut() { p.apart = true }

// add puts a chunk into the open frame.
func (p *packer) add(kind int, k store.Key, data []byte, content int64) (store.Place, error) {
	if p.size > store.PackGoal && (p.apart || len(p.frames[len(p.frames)-1])+len(data) > p.goal) {
		if err := p.end(); err != nil {
			return store.Place{}, err
		}
	}
	if p.number == 0 {
		p.number = p.packs.next()
	}
	last := len(p.frames) - 1
	if last < 0 || len(p.frames[last]) > 0 && (p.apart || len(p.frames[last])+len(data) > p.goal) {
		p.frames = append(p.frames, nil)
		last++
	}
	p.apart = false
	at := store.Place{Pack: p.number, Frame: last, At: len(p.frames[last]), Size: len(data)}
	p.frames[last] = append(p.frames[last], data...)
	p.size += len(data)
	if k != (store.Key{}) {
		p.rows = append(p.rows, store.Row{Kind: kind, Key: k, Place: at, Content: content})
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
			stored[i], err = store.Deflate(f)
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	info := store.PackInfo{Number: p.number, Ends: make([]uint32, len(stored))}
	var out []byte
	for i, b := range stored {
		out = append(out, b...)
		info.Ends[i] = uint32(len(out))
	}
	dir, err := store.Deflate(store.MarshalRows(&info, p.rows))
	if err != nil {
		return err
	}
	out = append(out, dir...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(dir)))
	out = append(out, store.PackMagic...)
	if err := p.packs.out.writeFile(store.PackName(p.number), out); err != nil {
		return err
	}
	info.Sum = store.KeyOf(out)
	p.packs.infos[p.number] = info
	p.packs.added++
	p.packs.out.written += int64(len(out))
	p.number, p.frames, p.size, p.rows = 0, nil, 0, p.rows[:0]
	return nil
}
