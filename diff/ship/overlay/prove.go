package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"pakdb/codecs"
)

// prove mounts the written archives over the old stack and compares with what
// the patch is meant to make of it.
func (w *patchWriter) prove(ctx context.Context) (*Report, error) {
	top := &Stack{}
	for i, s := range w.staged {
		part := w.written[i]
		if err := w.d.mount(ctx, top, &Mount{Name: part.Name, Location: part.Path, staged: s}, false); err != nil {
			return nil, err
		}
	}
	if w.p.Parts[0].anew() {
		return w.proveWhole(ctx, top)
	}
	if w.p.merges {
		if err := w.findTwins(ctx, top); err != nil {
			return nil, err
		}
	}
	report, err := w.judge(w.d.compareViews(ctx, archived(w.p.Old.Over(top).View()), w.p.goal(), nil))
	if err == nil && w.p.under != nil {
		_, err = w.judge(w.proveUnder(ctx, top))
	}
	return report, err
}

// proveUnder is the proof with the archives that leave later. What these alone have
// stays visible until then where no delete record can hide it.
func (w *patchWriter) proveUnder(ctx context.Context, top *Stack) (*Report, error) {
	r, err := w.d.compareViews(ctx, archived(w.p.under.Over(top).View()), w.p.goal(), nil)
	if err == nil {
		r.Differences = slices.DeleteFunc(r.Differences, func(d Difference) bool {
			return d.Kind == "extra" && w.p.formats.patches(d.Have.Mount) && !w.p.formats.canDelete(w.p.under, d.Have.Mount)
		})
	}
	return r, err
}

// proveWhole compares archives that were made anew with what went in: every
// entry, every copy.
func (w *patchWriter) proveWhole(ctx context.Context, top *Stack) (*Report, error) {
	have, want := map[Key]*File{}, map[Key]*File{}
	for i, m := range top.Mounts {
		put := func(view map[Key]*File, files []*File) {
			nth := map[string]int{}
			for _, f := range files {
				view[exactKey(fmt.Sprint(i, "/", nth[f.Name], "/", f.Name))] = f
				nth[f.Name]++
			}
		}
		files, _ := filesOf(top, m)
		put(have, files)
		put(want, w.p.Parts[i].whole)
		if len(files) != len(w.p.Parts[i].whole) {
			return nil, fmt.Errorf("%w: %s has %d entries, %d were written", ErrDiffers, m.Name, len(files), len(w.p.Parts[i].whole))
		}
	}
	return w.judge(w.d.compareViews(ctx, have, want, nil))
}

// judge makes an error of differences.
func (w *patchWriter) judge(r *Report, err error) (*Report, error) {
	if err == nil && len(r.Differences) > 0 {
		err = fmt.Errorf("%w: %s", ErrDiffers, count(len(r.Differences), "difference"))
	}
	return r, err
}

// goal is what the game is to see with the patch: the old build with the items
// of the plan, or what a merge found.
func (p *Plan) goal() map[Key]*File {
	if p.wanted != nil {
		return archived(p.wanted)
	}
	goal := maps.Clone(archived(p.Old.View()))
	for i := range p.Items {
		if it := &p.Items[i]; it.New != nil {
			goal[it.New.Key] = it.New
		} else {
			delete(goal, it.Old.Key)
		}
	}
	return goal
}

// findTwins compares the stored bytes that were passed through with those that
// they came from. Where they are the same, and stored in the same way, so are
// the contents, and nothing need be decoded.
func (w *patchWriter) findTwins(ctx context.Context, top *Stack) error {
	from := make(map[Key]*File, len(w.p.Items))
	for i := range w.p.Items {
		if it := &w.p.Items[i]; it.New != nil {
			from[it.New.Key] = it.New
		}
	}
	var written []*File
	for i := range top.Files {
		if f := &top.Files[i]; from[f.Key] != nil {
			written = append(written, f)
		}
	}
	if err := w.sources.find(ctx, written); err != nil {
		return err
	}
	c := &rawComparison{}
	for _, f := range written {
		same, err := c.same(ctx, w.sources, f, from[f.Key])
		if err != nil {
			return err
		}
		if same {
			f.twin = from[f.Key]
		}
	}
	return nil
}

// rawComparison holds the buffers of comparing stored bytes.
type rawComparison struct{ x, y [256 << 10]byte }

func (c *rawComparison) same(ctx context.Context, s *sources, a, b *File) (bool, error) {
	from, x, err := s.entry(ctx, a)
	if err != nil {
		return false, err
	}
	to, y, err := s.entry(ctx, b)
	if err != nil || !storedAlike(x, y) {
		return false, err
	}
	r, err := from.OpenRaw(x)
	if err != nil {
		return false, err
	}
	q, err := to.OpenRaw(y)
	if err != nil {
		return false, err
	}
	for ctx.Err() == nil {
		n, err := io.ReadFull(r, c.x[:])
		m, qerr := io.ReadFull(q, c.y[:])
		switch {
		case n != m || !bytes.Equal(c.x[:n], c.y[:m]):
			return false, nil
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return errors.Is(qerr, err), nil
		case err != nil || qerr != nil:
			return false, errors.Join(err, qerr)
		}
	}
	return false, ctx.Err()
}

// storedAlike reports whether equal stored bytes mean equal contents.
func storedAlike(x, y *codecs.Entry) bool {
	if x.Method != y.Method || x.Size != y.Size || x.Stored != y.Stored || x.Flags != y.Flags || len(x.Blocks) != len(y.Blocks) ||
		(x.Flags&codecs.Sealed) != 0 {
		return false
	}
	for i := range x.Blocks {
		a, b := x.Blocks[i], y.Blocks[i]
		if a.Size != b.Size || a.Stored != b.Stored || a.Offset-x.Blocks[0].Offset != b.Offset-y.Blocks[0].Offset {
			return false
		}
	}
	return true
}
