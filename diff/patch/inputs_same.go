package patch

import (
	"context"

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
		if same, err := equalAt(ctx, &layout{Input: a[i]}, 0, &layout{Input: *byName[a[i].Name]}, 0, a[i].Size); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}
