package patch

import (
	"context"

	"pakdb/codecs"
	"pakdb/internal/stored"
)

// UseExact makes inputs that were appended to the files that they stand for: a
// patch from those applies to the appended ones too. It returns which these are.
func UseExact(ctx context.Context, f *Files) (changed []int, err error) {
	for i := range f.Inputs {
		in := &f.Inputs[i]
		v, _, err := standsFor(ctx, &part{ReaderAt: in.ReaderAt, file: f.file(i)}, in.Size)
		if err != nil {
			return changed, err
		}
		if v != nil {
			f.replace(i, codecs.Source{ReaderAt: v, Name: in.Source.Name, Size: v.Size(), Dir: in.Dir}, v.spool)
			changed = append(changed, i)
		}
	}
	return changed, nil
}

// Appended returns which inputs were appended to, and stand for other files than
// they are.
func Appended(f *Files) (list []int) {
	for i, in := range f.Inputs {
		if findRecord(&part{ReaderAt: in.ReaderAt, file: f.file(i)}, in.Size) != nil {
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
		same, err := stored.Equal(ctx, a[i], 0, byName[a[i].Name], 0, a[i].Size)
		if err != nil {
			return false, named(a[i].Name, err)
		}
		if !same {
			return false, nil
		}
	}
	return true, nil
}
