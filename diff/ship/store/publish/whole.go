package publish

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// Frames are small, so that little is fetched that nobody needs. What repeats over
// longer distances than that pays for it; of such files there is a patch from
// nothing as well, for those who have nothing of them.

const (
	leastWhole  = 256 << 10 // bytes of a file
	wholeWindow = 8 << 20   // what package delta remembers
)

// fromNothing makes patches from nothing for the files of which that is a good deal
// smaller than their frames, and lists those that are there.
func (p *patchMaker) fromNothing(ctx context.Context, b *store.Build) (list []store.Delta, err error) {
	stored.Step(ctx, store.StepWhole, delta.SizeOfInputs(p.inputs))
	made := make([]*store.Delta, len(b.Files))
	err = eachAtOnce(ctx, len(b.Files), func(ctx context.Context, i int) (err error) {
		made[i], err = p.wholeOf(ctx, b.Files[i])
		return err
	})
	for _, d := range made {
		if d != nil {
			p.whole++
			list = append(list, *d)
		}
	}
	return list, err
}

// wholeOf returns the patch from nothing to a file, nil if none pays.
func (p *patchMaker) wholeOf(ctx context.Context, f store.File) (*store.Delta, error) {
	d := &store.Delta{Name: deltaSet{new: []store.File{f}}.name(), New: []string{f.Path}}
	file := p.out.out.Path(store.DeltaName(d.Name))
	size, err := p.out.size(store.DeltaName(d.Name))
	if errors.Is(err, fs.ErrNotExist) && p.frames[f.Sum] > 0 && f.Size >= leastWhole {
		in := choose(p.inputs, []store.File{f})
		var pays bool
		if pays, err = p.wholePays(ctx, in[0], p.frames[f.Sum]); err == nil && pays {
			err = p.makeWhole(ctx, file, in, p.frames[f.Sum])
		}
		if err == nil {
			size, err = p.out.size(store.DeltaName(d.Name))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.Size = size
	return d, nil
}

// normalGain is the part of its frames that a file must be smaller by, as a whole, so that a
// patch from nothing is made without [Best]: it codes 2 MB a second.
const normalGain = 8

// wholePays tries with a quick compressor whether a file is enough smaller as a whole
// than its frames are. It ends as soon as that is out of reach.
func (p *patchMaker) wholePays(ctx context.Context, in delta.Input, frames int64) (bool, error) {
	limit := frames
	if p.opt.Effort != Best {
		limit -= frames / normalGain
	}
	count := &countWriter{}
	z, err := zstd.NewWriter(count, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(wholeWindow), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return false, err
	}
	buf := make([]byte, 1<<20)
	for off := int64(0); off < in.Size; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		b := buf[:min(int64(len(buf)), in.Size-off)]
		if err := stored.ReadAt(in, b, off); err != nil {
			return false, err
		}
		if _, err := z.Write(b); err != nil {
			return false, err
		}
		stored.ProgressOf(ctx).Add(int64(len(b)))
		off += int64(len(b))
		if count.n >= limit {
			stored.ProgressOf(ctx).Add(in.Size - off)
			return false, z.Close()
		}
	}
	err = z.Close()
	return count.n < limit, err
}

// makeWhole makes a patch from nothing, and drops it if that did not pay.
func (p *patchMaker) makeWhole(ctx context.Context, file string, in []delta.Input, frames int64) error {
	if err := p.out.out.MkdirAll("d"); err != nil {
		return err
	}
	name := "d/" + filepath.Base(file)
	temp := atomicfile.TempName(name, "whole") // one that does not pay never has a name
	if _, _, err := maker.MakeFile(stored.WatchProgress(ctx, nil), p.out.out.Path(temp), nil, in, &maker.MakeOptions{Best: p.opt.Effort == Best}); err != nil {
		return err
	}
	st, err := p.out.out.Stat(temp)
	if err == nil && st.Size() > frames-frames/16 {
		return p.out.out.Remove(temp)
	}
	if err == nil {
		err = p.out.out.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, p.out.out.Remove(temp))
	}
	p.written.Add(st.Size())
	return p.out.made(name)
}

// countWriter counts bytes.
type countWriter struct{ n int64 }

func (w *countWriter) Write(p []byte) (int, error) {
	w.n += int64(len(p))
	return len(p), nil
}
