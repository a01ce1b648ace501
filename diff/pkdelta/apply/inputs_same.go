package apply

import (
	"context"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/stored"
)

// UseExact makes inputs that were appended to the files that they stand for: a
// patch from those applies to the appended ones too. It returns which these are.
func UseExact(ctx context.Context, f *inside.Files) (changed []int, err error) {
	for i := range f.Inputs {
		in := &f.Inputs[i]
		v, _, err := standsFor(ctx, &program.Part{ReaderAt: in.ReaderAt, File: f.File(i)}, in.Size)
		if err != nil {
			return changed, err
		}
		if v != nil {
			f.Replace(i, codecs.Source{ReaderAt: v, Name: in.Source.Name, Size: v.Size(), Dir: in.Dir}, v.Spool)
			changed = append(changed, i)
		}
	}
	return changed, nil
}

// Appended returns which inputs were appended to, and stand for other files than
// they are.
func Appended(f *inside.Files) (list []int) {
	for i, in := range f.Inputs {
		if findRecord(&program.Part{ReaderAt: in.ReaderAt, File: f.File(i)}, in.Size) != nil {
			list = append(list, i)
		}
	}
	return list
}

// Same reports whether two lists are of the same names and bytes. It reads no
// further than to the first difference.
func Same(ctx context.Context, a, b []pkdelta.Input) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	byName := make(map[string]*pkdelta.Input, len(b))
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
			return false, pkdelta.Named(a[i].Name, err)
		}
		if !same {
			return false, nil
		}
	}
	return true, nil
}
