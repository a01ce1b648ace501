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

	"pakdb/diff/ship/store"
	"pakdb/internal/process"
)

// packs are those of a store.
type packs struct {
	out   *storeWriter
	quick bool // see [store.Deflater.DeflateQuickly]
	infos store.Tables
	last  int // largest number
	added int
}

// next returns the number of a new pack. Numbers are not used again.
func (p *packs) next() (n int, err error) {
	if p.out.bucket == nil {
		p.last++
		return p.last, nil
	}
	if n, err = p.out.bucket.number(p.last); err == nil {
		p.last = max(p.last, n)
	}
	return n, err
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
	before *pack // that is being written; nil: none
}

// pack is on its way to the disk.
type pack struct {
	info   store.PackInfo
	frames [][]byte
	rows   []store.Row
	size   int64         // stored
	done   chan struct{} // closed behind err
	err    error
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
		var err error
		if p.number, err = p.packs.next(); err != nil {
			return store.Place{}, err
		}
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

// end lets the open pack be written, while others are filled. It waits for the one before.
func (p *packer) end() error {
	if err := p.wait(); err != nil || len(p.frames) == 0 {
		return err
	}
	w := &pack{info: store.PackInfo{Number: p.number}, frames: p.frames, rows: p.rows, done: make(chan struct{})}
	p.before = w
	p.number, p.frames, p.size, p.rows = 0, nil, 0, nil
	go func() {
		defer close(w.done)
		w.err = process.RescueCall(func() error { return w.write(p.packs) })
	}()
	return nil
}

// wait waits until the pack before the open one is on the disk, and lists it.
func (p *packer) wait() error {
	w := p.before
	if w == nil {
		return nil
	}
	<-w.done
	p.before = nil
	if w.err != nil {
		return w.err
	}
	p.packs.infos[w.info.Number] = w.info
	p.packs.added++
	p.packs.out.written += w.size
	return nil
}

// write compresses and writes a pack.
func (w *pack) write(p *packs) error {
	deflate := p.out.coder.Deflate
	if p.quick {
		deflate = p.out.coder.DeflateQuickly
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	stored := make([][]byte, len(w.frames))
	for i, f := range w.frames {
		g.Go(process.RescueFunc(func() (err error) {
			stored[i], err = deflate(f)
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	w.info.Ends = make([]uint32, len(stored))
	var out []byte
	for i, b := range stored {
		out = append(out, b...)
		w.info.Ends[i] = uint32(len(out))
	}
	dir, err := p.out.coder.Deflate(store.MarshalRows(&w.info, w.rows))
	if err != nil {
		return err
	}
	out = append(out, dir...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(dir)))
	out = append(out, store.PackMagic...)
	w.info.Sum, w.size = store.KeyOf(out), int64(len(out))
	return p.out.writeFile(store.PackName(w.info.Number), out)
}
