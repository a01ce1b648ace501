package publish

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// patchMaker makes transport patches for one build.
type patchMaker struct {
	out    *storeWriter
	opt    *Options
	inputs map[string]delta.Input // by name
	frames map[string]int64       // bytes of the frames of new files, by their hashes
	made   int                    // between files
	whole  int                    // from nothing

	written atomic.Int64 // bytes of patches from nothing
}

// mostAtOnce bounds the patches that are made side by side: each takes up to 80 MiB.
const mostAtOnce = 2

// eachAtOnce calls f for 0 to n-1, several at a time. What f does must not depend on others.
func eachAtOnce(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(min(runtime.GOMAXPROCS(0), mostAtOnce))
	for i := range n {
		g.Go(process.RescueFunc(func() error {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			return f(ctx, i)
		}))
	}
	return g.Wait()
}

// from makes patches from earlier builds to the one that is published: one for each
// set of files that are named alike but for their extension, since formats of several
// files are read together.
func (p *patchMaker) from(ctx context.Context, earlier []*store.Build, b *store.Build) ([]store.Delta, error) {
	var list []store.Delta
	listed := map[string]bool{}
	for _, from := range slices.Backward(earlier) {
		sets := changedSets(from, b)
		sets = slices.DeleteFunc(sets, func(s deltaSet) bool {
			return !slices.ContainsFunc(s.new, func(f store.File) bool { return !p.isContent(f) })
		})
		if len(sets) == 0 {
			continue
		}
		made, err := p.between(ctx, from, sets)
		if err != nil {
			return nil, fmt.Errorf("deltas from %q: %w", from.Label, err)
		}
		for _, d := range made {
			if !listed[d.Name] {
				listed[d.Name] = true
				list = append(list, d)
			}
		}
	}
	return list, nil
}

// isContent reports that a file is a content by itself, so that a delta between
// contents is all that a patch could be.
func (p *patchMaker) isContent(f store.File) bool {
	names, err := store.ReadNames(p.out.from, f.Sum)
	return err == nil && f.Size <= store.MaxCoded && len(names) > 0 && names[0].Name == store.NameOf(store.WholeName+path.Base(f.Path), 0)
}

// deltaSet is files of two builds between which a patch is made.
type deltaSet struct{ old, new []store.File }

func changedSets(from, to *store.Build) (sets []deltaSet) {
	stem := func(f store.File) string { return strings.ToLower(strings.TrimSuffix(f.Path, path.Ext(f.Path))) }
	old := map[string][]store.File{}
	for _, f := range from.Files {
		old[stem(f)] = append(old[stem(f)], f)
	}
	at := map[string]int{}
	for _, f := range to.Files {
		had := old[stem(f)]
		if len(had) == 0 || f.Size == 0 || slices.ContainsFunc(had, func(o store.File) bool { return o.Sum == f.Sum }) {
			continue
		}
		k, ok := at[stem(f)]
		if !ok {
			k = len(sets)
			at[stem(f)] = k
			sets = append(sets, deltaSet{old: had})
		}
		sets[k].new = append(sets[k].new, f)
	}
	return sets
}

// name is by content: the same change has the same delta, whichever builds it is
// between.
func (s deltaSet) name() string {
	h := blake3.New()
	for _, f := range slices.Concat(s.old, []store.File{{}}, s.new) {
		_, _ = h.WriteString(f.Path + "\x00" + f.Sum + "\x00")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// between makes the build from again, in a folder beside the store, and the
// patches from it.
func (p *patchMaker) between(ctx context.Context, from *store.Build, sets []deltaSet) (list []store.Delta, err error) {
	var temp string
	defer func() {
		if temp != "" {
			err = errors.Join(err, p.out.out.RemoveAll(remadeName))
		}
	}()
	missing := map[string]bool{} // files of the earlier build of which no patch is there yet
	var beside []delta.Input     // the new ones, which have most of their contents
	for i := range sets {
		if _, err := p.out.size(store.DeltaName(sets[i].name())); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, f := range sets[i].old {
			missing[f.Path] = true
		}
		beside = append(beside, p.choose(sets[i].new)...)
	}
	if len(missing) > 0 {
		if temp, err = p.remake(ctx, from, missing, beside); err != nil {
			return nil, err
		}
	}
	list = make([]store.Delta, len(sets))
	err = eachAtOnce(ctx, len(sets), func(ctx context.Context, i int) error {
		s, d := &sets[i], &list[i]
		d.Name, d.Old = s.name(), slices.Clone(s.old)
		for i := range d.Old {
			d.Old[i].Recipe = store.RecipeAt{}
		}
		for _, f := range s.new {
			d.New = append(d.New, f.Path)
		}
		size, err := p.out.size(store.DeltaName(d.Name))
		if errors.Is(err, fs.ErrNotExist) {
			if err = p.makeDelta(ctx, p.out.out.Path(store.DeltaName(d.Name)), temp, *s); err == nil {
				err = p.out.made(store.DeltaName(d.Name))
			}
			if err == nil {
				size, err = p.out.size(store.DeltaName(d.Name))
			}
		}
		d.Size = size
		return err
	})
	if err != nil {
		return nil, err
	}
	p.made += len(list)
	return list, nil
}

// remadeName is the folder of an earlier build in the store, while deltas are made
// from it.
const remadeName = atomicfile.Prefix + "build"

// remake makes files of an earlier build in that folder. Blocks that the files beside have
// are not compressed again.
func (p *patchMaker) remake(ctx context.Context, b *store.Build, paths map[string]bool, beside []delta.Input) (string, error) {
	temp := p.out.out.Path(remadeName)
	if err := p.out.out.MkdirAll(remadeName); err != nil {
		return temp, err
	}
	r, err := update.OpenRemote(p.out.at, update.RemoteOptions{Own: true})
	if err != nil {
		return temp, err
	}
	folder, plan, err := update.Prepare(ctx, r, temp, update.Options{Label: b.Label, Registry: p.opt.Registry, Open: p.opt.Open, Beside: beside,
		Only: func(path string) bool { return paths[path] }})
	if err != nil {
		return temp, err
	}
	return temp, errors.Join(folder.Apply(ctx, plan, nil), folder.Close())
}

func (p *patchMaker) makeDelta(ctx context.Context, file, temp string, s deltaSet) (err error) {
	if err := p.out.out.MkdirAll("d"); err != nil {
		return err
	}
	old := &delta.Opened{}
	defer func() { err = errors.Join(err, old.Close()) }()
	for _, f := range s.old {
		if err := old.Add(filepath.Join(temp, filepath.FromSlash(f.Path)), f.Path); err != nil {
			return err
		}
	}
	open := p.opt.Open.WithDefaults()
	open.Keys = nil // what is encrypted stays so
	_, _, err = maker.MakeFile(ctx, file, old.Inputs, p.choose(s.new),
		&maker.MakeOptions{Registry: p.opt.Registry, Open: &open})
	return err
}

func (p *patchMaker) choose(files []store.File) (list []delta.Input) {
	for _, f := range files {
		list = append(list, p.inputs[f.Path])
	}
	return list
}

// Frames are small, so that little is fetched that nobody needs. What repeats over
// longer distances than that pays for it; of such files there is a patch from
// nothing as well, for clients without them.

const (
	leastWhole  = 256 << 10 // bytes of a file
	wholeWindow = 8 << 20   // what package delta remembers
)

// fromNothing makes patches from nothing for the files of which that is a good deal
// smaller than their frames, and lists those that are there.
func (p *patchMaker) fromNothing(ctx context.Context, b *store.Build) (list []store.Delta, err error) {
	total := int64(0)
	for _, f := range b.Files {
		total += f.Size
	}
	stored.Step(ctx, store.StepWhole, total)
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
		in := p.choose([]store.File{f})
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
