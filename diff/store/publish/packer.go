package publish

import (
	"encoding/binary"
	"runtime"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/store"
	"pakdb/internal/rescue"
)

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
		p.number = p.s.nextPack()
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
	if err := p.s.writeFile(store.PackName(p.number), out); err != nil {
		return err
	}
	info.Sum = store.KeyOf(out)
	p.s.packs[p.number] = info
	p.s.stats.Packs++
	p.s.stats.Written += int64(len(out))
	p.number, p.frames, p.size, p.rows = 0, nil, 0, p.rows[:0]
	return nil
}
