package update

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// patchUse is a transport patch that could be applied.
type patchUse struct {
	store.Delta
	files []*target // that it makes
}

// choose has the patch make its files.
func (u *patchUse) choose() {
	for _, t := range u.files {
		t.patch = u.Name
	}
}

// usable returns the patches of the build whose old files are in the folder, and
// all of whose new ones are wanted. Of two that make the same file, the smaller
// counts.
func (f *Folder) usable(ctx context.Context) (list []*patchUse, err error) {
	wanted := map[string]*target{}
	for _, t := range f.diff.todo {
		wanted[t.Path] = t
	}
	patches := slices.Clone(f.build.Deltas)
	slices.SortStableFunc(patches, func(a, b store.Delta) int { return cmp.Compare(a.Size, b.Size) })
	for _, d := range patches {
		fits := !slices.ContainsFunc(d.New, func(p string) bool { return wanted[p] == nil })
		for i := 0; i < len(d.Old) && fits; i++ {
			if fits, err = f.disk.hasFile(ctx, &d.Old[i]); err != nil {
				return nil, err
			}
		}
		if !fits {
			continue
		}
		use := &patchUse{Delta: d}
		for _, p := range d.New {
			if t := wanted[p]; t != nil {
				use.files = append(use.files, t)
			}
			delete(wanted, p)
		}
		list = append(list, use)
	}
	return list, nil
}

// evident chooses the patches that are so small that to know more would not pay,
// and returns the others as well.
func evident(usable []*patchUse) (chosen, others []*patchUse) {
	for _, u := range usable {
		var size int64
		for _, t := range u.files {
			size += t.Size
		}
		if u.Size < size/16 && len(u.Old) > 0 {
			u.choose()
			chosen = append(chosen, u)
		} else {
			others = append(others, u)
		}
	}
	return chosen, others
}

// addPatch takes in a patch that is applied.
func (p *Plan) addPatch(use *patchUse) {
	patch := Patch{Name: use.Name, Size: use.Size, Files: use.New}
	for _, f := range use.Old {
		patch.Old = append(patch.Old, f.Path)
	}
	p.Patches = append(p.Patches, patch)
	p.Bill.ByDelta += len(use.New)
	p.Bill.Fetch = store.SumSizes(p.Bill.Fetch, use.Size)
	p.Bill.Requests += int((use.Size + store.MaxPack - 1) / store.MaxPack)
}

// patcher applies a patch.
type patcher struct {
	*Patch
	disk   *disk
	remote *Remote
	files  []*File // that it makes
}

// try applies the patch; if it is wrong, once more, fetched anew. If it stays so it
// returns the files that it has not made, which can be made of contents as well.
func (p *patcher) try(ctx context.Context) (failed []*File, err error) {
	for range 2 {
		var wrong *wrongError
		if err = p.apply(ctx); err == nil || !errors.Is(err, store.ErrCorrupt) && !errors.As(err, &wrong) || ctx.Err() != nil {
			return nil, err
		}
		if wrong == nil {
			p.remote.isWrong(int(p.Size))
		}
		if err := errors.Join(p.disk.out.RemoveAll(p.work()), p.disk.out.RemoveAll(madeDir)); err != nil {
			return nil, err
		}
		if wrong != nil {
			break // that was asked for often enough
		}
	}
	return p.missing(ctx), nil
}

// missing returns the files that are not made yet.
func (p *patcher) missing(ctx context.Context) (list []*File) {
	for _, f := range p.files {
		if !p.disk.isMade(ctx, f) {
			list = append(list, f)
		}
	}
	return list
}

// mostHeader bounds the header of a patch, with a 64th of its size: it names the
// few files that the build says, and has 40 bytes for each segment of some MiB.
const mostHeader = 1 << 20

// work is where a patch is fetched to.
func (p *Patch) work() string { return path.Join(store.WorkDir, atomicfile.Prefix+"delta-"+p.Name) }

// madeDir is where patches make files.
const madeDir = store.WorkDir + "/" + atomicfile.Prefix + "made"

// old returns the files of the folder that the patch may begin with.
func (p *patcher) old() (list []apply.Candidate) {
	for _, name := range p.Old {
		in := p.disk.here[name]
		list = append(list, apply.Candidate{Name: name, Size: in.Size, ReaderAt: in.ReaderAt, Sum: patchSum(p.disk.sums[name])})
	}
	return list
}

// patchSum is what patches have of the hash of a file, which is in hexadecimal.
func patchSum(sum string) (s delta.Sum) {
	_, _ = hex.Decode(s[:], []byte(sum)[:min(len(sum), 2*len(s))]) // it was computed
	return s
}

// apply fetches a patch and makes its files, where the maker puts others.
func (p *patcher) apply(ctx context.Context) (err error) {
	if len(p.missing(ctx)) == 0 {
		return nil
	}
	file, err := p.fetch(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r, err := delta.NewReaderWithin(bufio.NewReader(file), mostHeader+int(p.Size/64))
	if err != nil {
		return p.corrupt(err)
	}
	have := p.old()
	found, err := apply.Find(ctx, r.Header, have)
	if err != nil {
		return fmt.Errorf("%w: %s is for other files than the build says: %w", store.ErrCorrupt, store.DeltaName(p.Name), err)
	}
	var old []io.ReaderAt
	for _, i := range found {
		old = append(old, have[i].ReaderAt)
	}
	if err := p.disk.out.MkdirAll(madeDir); err != nil {
		return err
	}
	made, err := p.disk.out.Sub(madeDir)
	if err != nil {
		return err
	}
	if err := errors.Join(apply.Apply(ctx, r, old, made.Root(), nil), made.Close()); err != nil {
		return p.corrupt(err)
	}
	return p.take(ctx)
}

// take moves what the patch made to where the maker puts files.
func (p *patcher) take(ctx context.Context) error {
	for _, f := range p.files {
		if err := p.disk.out.Rename(path.Join(madeDir, f.Path), workOf(f)); err != nil {
			return fmt.Errorf("%w: %s does not make %s: %w", store.ErrCorrupt, store.DeltaName(p.Name), f.Path, err)
		}
		if !p.disk.isMade(ctx, f) {
			return fmt.Errorf("%w: %s makes another %s", store.ErrCorrupt, store.DeltaName(p.Name), f.Path)
		}
	}
	return nil
}

// corrupt makes the errors that a damaged patch causes those of a damaged store:
// what was kept of it is then fetched anew.
func (p *patcher) corrupt(err error) error {
	for _, class := range []error{delta.ErrNotPatch, delta.ErrCorrupt, delta.ErrResult} {
		if errors.Is(err, class) {
			return fmt.Errorf("%w: %s: %w", store.ErrCorrupt, store.DeltaName(p.Name), err)
		}
	}
	return err
}

// fetch fetches the patch in parts, so that one that broke off goes on.
func (p *patcher) fetch(ctx context.Context) (*atomicfile.File, error) {
	f, err := p.disk.out.OpenFile(p.work(), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	have, err := f.Seek(0, io.SeekEnd)
	for err == nil && have < p.Size {
		var b []byte
		if b, err = p.remote.get(ctx, &want{name: store.DeltaName(p.Name), off: have, n: min(store.MaxPack, p.Size-have), isContent: true}); err == nil {
			_, err = f.Write(b)
			have += int64(len(b))
		}
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
