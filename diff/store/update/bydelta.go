package update

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/apply"
	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
)

// deltaUse is a delta that an update applies.
type deltaUse struct {
	store.Delta
	old []apply.Candidate
}

// patchSum is what patches have of the hash of a file, which is in hexadecimal.
func patchSum(sum string) (s pkdelta.Sum) {
	_, _ = hex.Decode(s[:], []byte(sum[:2*len(s)])) // checked when the build was read
	return s
}

// usable returns the deltas of the build whose old files are in the folder, and
// all of whose new ones are wanted. Of two that make the same file, the smaller
// counts.
func (u *Update) usable(ctx context.Context, here map[string]pkdelta.Input) (list []*deltaUse, err error) {
	wanted := map[string]bool{}
	for _, f := range u.todo {
		wanted[f.Path] = true
	}
	deltas := slices.Clone(u.Build.Deltas)
	slices.SortStableFunc(deltas, func(a, b store.Delta) int { return int(min(1, max(-1, a.Size-b.Size))) })
	for _, d := range deltas {
		use := &deltaUse{Delta: d}
		fits := !slices.ContainsFunc(d.New, func(p string) bool { return !wanted[p] })
		for _, f := range d.Old {
			in, there := here[f.Path]
			if fits = fits && there && in.Size == f.Size; !fits {
				break
			}
			sum, err := u.sumOf(ctx, in)
			if err != nil {
				return nil, err
			}
			if fits = sum == f.Sum; fits {
				use.old = append(use.old, apply.Candidate{Name: f.Path, Size: in.Size, ReaderAt: in.ReaderAt, Sum: patchSum(f.Sum)})
			}
		}
		if !fits {
			continue
		}
		for _, p := range d.New {
			wanted[p] = false
		}
		list = append(list, use)
	}
	return list, nil
}

// filesOf returns the files that a patch makes.
func (u *Update) filesOf(d *deltaUse) (files []*fileUpdate) {
	if u.byPath == nil {
		u.byPath = make(map[string]*fileUpdate, len(u.todo))
		for _, f := range u.todo {
			u.byPath[f.Path] = f
		}
	}
	for _, p := range d.New {
		if f := u.byPath[p]; f != nil {
			files = append(files, f)
		}
	}
	return files
}

// evident chooses the deltas that are so small that to know more would not pay,
// and returns the others.
func (u *Update) evident(usable []*deltaUse) (others []*deltaUse) {
	for _, d := range usable {
		var size int64
		for _, f := range u.filesOf(d) {
			size += f.Size
		}
		if d.Size < size/16 && len(d.Old) > 0 {
			u.useDelta(d)
		} else {
			others = append(others, d)
		}
	}
	return others
}

func (u *Update) useDelta(d *deltaUse) {
	u.deltas = append(u.deltas, d)
	for _, f := range u.filesOf(d) {
		f.byDelta = true
	}
}

// cheaper chooses the deltas that are smaller than what the same files need
// otherwise, and takes these files out of what is made of contents.
func (u *Update) cheaper(ctx context.Context, usable []*deltaUse) error {
	for _, d := range usable {
		files := slices.DeleteFunc(u.filesOf(d), func(f *fileUpdate) bool { return f.byDelta })
		c, err := u.choose(ctx, files)
		if err != nil {
			return err
		}
		if d.Size < c.bytes {
			u.useDelta(d)
		}
	}
	return nil
}

// tryDelta applies a patch; if it is wrong, once more, fetched anew. If it stays
// so it returns the files, which can be made of contents as well.
func (u *Update) tryDelta(ctx context.Context, d *deltaUse) (failed []*fileUpdate, err error) {
	for range 2 {
		var wrong *wrongError
		if err = u.applyDelta(ctx, d); err == nil || !errors.Is(err, store.ErrCorrupt) && !errors.As(err, &wrong) || ctx.Err() != nil {
			return nil, err
		}
		if wrong == nil {
			u.r.isWrong(int(d.Size))
		}
		if err := errors.Join(u.out.RemoveAll(d.work()), u.out.RemoveAll(madeDir)); err != nil {
			return nil, err
		}
		if wrong != nil {
			break // that was asked for often enough
		}
	}
	for _, f := range u.filesOf(d) {
		if !u.isMade(ctx, f) {
			failed = append(failed, f)
		}
	}
	return failed, nil
}

// mostHeader bounds the header of a patch, with a 64th of its size: it names the
// few files that the build says, and has 40 bytes for each segment of some MiB.
const mostHeader = 1 << 20

// work is where a patch is fetched to.
func (d *deltaUse) work() string { return path.Join(store.WorkDir, ".pakdb-delta-"+d.Name) }

// madeDir is where patches make files.
const madeDir = store.WorkDir + "/.pakdb-made"

// applyDelta fetches a delta and makes its files, where make puts others.
func (u *Update) applyDelta(ctx context.Context, d *deltaUse) (err error) {
	done := true
	for _, f := range u.filesOf(d) {
		done = done && u.isMade(ctx, f)
	}
	if done {
		return nil
	}
	file, err := u.fetchDelta(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r, err := pkdelta.NewReaderWithin(bufio.NewReader(file), mostHeader+int(d.Size/64))
	if err != nil {
		return d.corrupt(err)
	}
	found, err := apply.Find(ctx, r.Header, d.old)
	if err != nil {
		return fmt.Errorf("%w: %s is for other files than the build says: %w", store.ErrCorrupt, store.DeltaName(d.Name), err)
	}
	var old []io.ReaderAt
	for _, i := range found {
		old = append(old, d.old[i].ReaderAt)
	}
	if err := u.out.MkdirAll(madeDir); err != nil {
		return err
	}
	root, err := u.root.OpenRoot(madeDir)
	if err != nil {
		return err
	}
	if err := errors.Join(apply.Apply(ctx, r, old, root, nil), root.Close()); err != nil {
		return d.corrupt(err)
	}
	for _, f := range u.filesOf(d) {
		if err := u.out.Rename(path.Join(madeDir, f.Path), f.work()); err != nil {
			return fmt.Errorf("%w: %s does not make %s: %w", store.ErrCorrupt, store.DeltaName(d.Name), f.Path, err)
		}
		if !u.isMade(ctx, f) {
			return fmt.Errorf("%w: %s makes another %s", store.ErrCorrupt, store.DeltaName(d.Name), f.Path)
		}
	}
	return nil
}

// corrupt makes the errors that a damaged delta causes those of a damaged store:
// what was kept of it is then fetched anew.
func (d *deltaUse) corrupt(err error) error {
	for _, class := range []error{pkdelta.ErrNotPatch, pkdelta.ErrCorrupt, pkdelta.ErrResult} {
		if errors.Is(err, class) {
			return fmt.Errorf("%w: %s: %w", store.ErrCorrupt, store.DeltaName(d.Name), err)
		}
	}
	return err
}

// fetchDelta fetches a delta in parts, so that one that broke off goes on.
func (u *Update) fetchDelta(ctx context.Context, d *deltaUse) (*atomicfile.File, error) {
	f, err := u.out.OpenFile(d.work(), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	have, err := f.Seek(0, io.SeekEnd)
	for err == nil && have < d.Size {
		var b []byte
		if b, err = u.r.get(ctx, &want{name: store.DeltaName(d.Name), off: have, n: min(store.MaxPack, d.Size-have)}); err == nil {
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
