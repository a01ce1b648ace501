package patch

import (
	"bytes"
	"context"
	"io"

	"pakdb/codecs"
)

// UseExact makes inputs that were appended to the files that they stand for: a
// patch from those applies to the appended ones too. It returns which these are.
func (f *Files) UseExact(ctx context.Context) (changed []int, err error) {
	for i := range f.Inputs {
		in := &f.Inputs[i]
		v, _, err := standsFor(ctx, &part{ReaderAt: in.ReaderAt, file: f.open[i]}, in.Size)
		if err != nil {
			return changed, err
		}
		if v != nil {
			f.views = append(f.views, v)
			in.Source = codecs.Source{ReaderAt: v, Name: in.Source.Name, Size: v.Size(), Dir: in.Dir}
			changed = append(changed, i)
		}
	}
	return changed, nil
}

// Appended returns which inputs were appended to, and stand for other files than
// they are.
func (f *Files) Appended() (list []int) {
	for i, in := range f.Inputs {
		if findRecord(&part{ReaderAt: in.ReaderAt, file: f.open[i]}, in.Size) != nil {
			list = append(list, i)
		}
	}
	return list
}

// Same reports whether two lists are of the same names and bytes. It reads no
// further than to the first difference.
func Same(ctx context.Context, a, b []Input) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	byName := make(map[string]*Input, len(b))
	for i := range b {
		byName[b[i].Name] = &b[i]
	}
	for i := range a {
		if other := byName[a[i].Name]; other == nil || other.Size != a[i].Size {
			return false, nil
		}
	}
	for i := range a {
		if same, err := equalInputs(ctx, &a[i], byName[a[i].Name]); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

func equalInputs(ctx context.Context, a, b *Input) (bool, error) {
	x, y := make([]byte, min(a.Size, 1<<18)), make([]byte, min(a.Size, 1<<18))
	for off := int64(0); off < a.Size; off += int64(len(x)) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n := min(a.Size-off, int64(len(x)))
		for _, side := range []struct {
			r io.ReaderAt
			p []byte
		}{{a, x[:n]}, {b, y[:n]}} {
			if err := readAt(side.r, side.p, off); err != nil {
				return false, err
			}
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, nil
		}
	}
	return true, nil
}
