package apply

import (
	"context"
	"fmt"
	"io"
	"path"

	"pakdb/diff/ship/delta"
	"pakdb/internal/stored"
)

// Candidate is a file that may be one of the old ones, or a new one already.
type Candidate struct {
	Name string // for messages, and of two that would do, the one called as the old file counts
	Size int64
	io.ReaderAt
	Sum delta.Sum // zero: not known yet
}

// Find returns, for each old file of the patch, which of the candidates it is:
// the one with its size and hash, whatever its name, but rather one of that name.
// A missing file is ErrWrongOld, which says what a candidate of that name is
// instead. The hashes of old files, of which the patch has parts, are known then.
func Find(ctx context.Context, h *delta.Header, files []Candidate) ([]int, error) {
	c := newCandidates(ctx, files)
	found, sums := make([]int, len(h.Old)), make([]delta.Sum, len(h.Old))
	for i := range h.Old {
		k, err := c.find(&h.Old[i])
		if err != nil {
			return nil, err
		}
		if k < 0 {
			return nil, c.absent(h, &h.Old[i])
		}
		found[i], sums[i] = k, c.sums[k]
	}
	if !h.AreOld(sums) {
		return nil, fmt.Errorf("%w: one of the %d old files is another, but begins its hash alike", delta.ErrWrongOld, len(h.Old))
	}
	return found, nil
}

// candidates are files whose hashes are computed when they are asked for.
type candidates struct {
	ctx    context.Context
	files  []Candidate
	sums   map[int]delta.Sum
	bySize map[int64][]int
	named  map[string]int
}

func newCandidates(ctx context.Context, files []Candidate) *candidates {
	c := &candidates{ctx: ctx, files: files, sums: map[int]delta.Sum{}, bySize: map[int64][]int{}, named: map[string]int{}}
	for i, f := range files {
		c.bySize[f.Size] = append(c.bySize[f.Size], i)
		c.named[f.Name] = i
	}
	return c
}

func (c *candidates) sum(i int) (delta.Sum, error) {
	if s, ok := c.sums[i]; ok {
		return s, nil
	}
	if s := c.files[i].Sum; s != (delta.Sum{}) {
		c.sums[i] = s
		return s, nil
	}
	s, err := delta.SumOf(c.ctx, c.files[i], c.files[i].Size)
	if err != nil {
		return s, fmt.Errorf("%s: %w", c.files[i].Name, err)
	}
	c.sums[i] = s
	return s, nil
}

// find returns which candidate is a file, or -1: the one of that name if it is.
func (c *candidates) find(want *delta.File) (int, error) {
	list := c.bySize[want.Size]
	if k, ok := c.named[want.Name]; ok && c.files[k].Size == want.Size {
		if list = append([]int{k}, list...); want.IsWeak() {
			list = list[:1]
		}
	}
	for _, k := range list {
		if s, err := c.sum(k); err != nil || want.Is(s) {
			return k, err
		}
	}
	return -1, nil
}

// absent reports what there is instead of an old file.
func (c *candidates) absent(h *delta.Header, want *delta.File) error {
	needed := hashAndSize(want.Hash(), want.Size)
	for k, f := range c.files {
		if path.Base(f.Name) != path.Base(want.Name) && len(c.files) > 1 {
			continue
		}
		s, err := c.sum(k)
		if err != nil {
			return err
		}
		if applied, err := c.applied(h); err != nil {
			return err
		} else if applied && len(h.New) == 1 {
			return fmt.Errorf("%s: %w: it is the new %s", f.Name, ErrApplied, h.New[0].Name)
		} else if applied {
			return fmt.Errorf("%s: %w: all %d new files are there", f.Name, ErrApplied, len(h.New))
		}
		return fmt.Errorf("%s: %w: it is %s, and the patch needs %s", f.Name, delta.ErrWrongOld, hashAndSize(want.Known(s), f.Size), needed)
	}
	return fmt.Errorf("%w: %s, %s, is not there", delta.ErrWrongOld, want.Name, needed)
}

func hashAndSize(hash string, size int64) string {
	if hash == "" {
		hash = "another"
	}
	return fmt.Sprintf("%s of %d bytes", hash, size)
}

// applied reports that all new files are among the candidates.
func (c *candidates) applied(h *delta.Header) (bool, error) {
	sums := make([]delta.Sum, len(h.New))
	for i := range h.New {
		k, err := c.find(&h.New[i])
		if k < 0 || err != nil {
			return false, err
		}
		sums[i] = c.sums[k]
	}
	return h.AreNew(sums), nil
}

// ErrApplied means that an old file is a new one already.
var ErrApplied = fmt.Errorf("%w: the patch was applied before", delta.ErrWrongOld)

// Same reports whether two lists are of the same names and bytes. It reads no
// further than to the first difference.
func Same(ctx context.Context, a, b []delta.Input) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	byName := make(map[string]*delta.Input, len(b))
	for i := range b {
		byName[b[i].Name] = &b[i]
	}
	for i := range a {
		if other := byName[a[i].Name]; other == nil || other.Size != a[i].Size {
			return false, nil
		}
	}
	for i := range a {
		same, err := stored.Equal(ctx, a[i], 0, byName[a[i].Name], 0, a[i].Size)
		if err != nil {
			return false, delta.Named(a[i].Name, err)
		}
		if !same {
			return false, nil
		}
	}
	return true, nil
}
