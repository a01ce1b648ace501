package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/maker"
	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/progress"
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
	total := int64(0)
	for _, in := range p.inputs {
		total += in.Size
	}
	progress.Step(ctx, store.StepWhole, total)
	for _, f := range b.Files {
		d := store.Delta{Name: deltaSet{new: []store.File{f}}.name(), New: []string{f.Path}}
		file := filepath.Join(p.out.dir, filepath.FromSlash(store.DeltaName(d.Name)))
		st, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) && p.frames[f.Sum] > 0 && f.Size >= leastWhole {
			in := choose(p.inputs, []store.File{f})
			var pays bool
			if pays, err = p.wholePays(ctx, in[0], p.frames[f.Sum]); err == nil && pays {
				err = p.makeWhole(ctx, file, in, p.frames[f.Sum])
			}
			if err == nil {
				st, err = os.Stat(file)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d.Size = st.Size()
		p.whole++
		list = append(list, d)
	}
	return list, nil
}

// wholePays tries with a quick compressor whether a file is smaller as a whole
// than its frames are.
func (p *patchMaker) wholePays(ctx context.Context, in pkdelta.Input, frames int64) (bool, error) {
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
		progress.Of(ctx).Add(int64(len(b)))
		off += int64(len(b))
	}
	err = z.Close()
	return count.n < frames, err
}

// makeWhole makes a patch from nothing, and drops it if that did not pay.
func (p *patchMaker) makeWhole(ctx context.Context, file string, in []pkdelta.Input, frames int64) error {
	if err := p.out.out.MkdirAll("d"); err != nil {
		return err
	}
	name := "d/" + filepath.Base(file)
	temp := atomicfile.TempName(name, "whole") // one that does not pay never has a name
	if _, _, err := maker.MakeFile(progress.Watch(ctx, nil), p.out.out.Path(temp), nil, in, &maker.MakeOptions{Best: true}); err != nil {
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
	p.out.written += st.Size()
	return nil
}

// countWriter counts bytes.
type countWriter struct{ n int64 }

func (w *countWriter) Write(p []byte) (int, error) {
	w.n += int64(len(p))
	return len(p), nil
}
