package inside

import (
	"context"
	"io/fs"
	"path"
	"slices"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
)

// StoredEntries calls use for every entry that the registry's formats find in
// the inputs and that has stored bytes: with the input that is its archive, and
// the one that holds those bytes, such as the .ucas of a .utoc. What no format
// reads, or cannot read further, is passed over. The error is ctx's.
func StoredEntries(ctx context.Context, inputs []delta.Input, registry *codecs.Registry, opt *codecs.Options, use func(archive, file int, e *codecs.Entry)) error {
	for i := range inputs {
		if err := ctx.Err(); err != nil {
			return err
		}
		storedEntries(ctx, inputs, i, registry, opt, func(codecs.Archive) {}, func(file int, e *codecs.Entry) { use(i, file, e) })
	}
	return ctx.Err()
}

func storedEntries(ctx context.Context, inputs []delta.Input, i int, registry *codecs.Registry, opt *codecs.Options, open func(codecs.Archive), use func(file int, e *codecs.Entry)) {
	f, err := registry.Detect(inputs[i].Source)
	if err != nil || f.Mounts().Loose {
		return
	}
	a, err := f.Open(ctx, inputs[i].Source, opt)
	if err != nil {
		return
	}
	defer func() { _ = a.Close() }()
	open(a)
	for e, err := range a.Entries() {
		if ctx.Err() != nil {
			return
		}
		if err != nil || e.Offset < 0 || e.Stored <= 0 || e.Flags&codecs.Deleted != 0 {
			continue
		}
		if file := fileOf(inputs, i, a, e); file >= 0 {
			use(file, e)
		}
	}
}

// fileOf returns which of the inputs has the stored bytes of e, or -1.
func fileOf(inputs []delta.Input, i int, a codecs.Archive, e *codecs.Entry) int {
	raw, err := a.OpenRaw(e)
	if err != nil {
		return -1
	}
	r, _, _ := raw.Outer()
	if src, ok := r.(codecs.Source); ok {
		r = src.ReaderAt
	}
	if r == inputs[i].ReaderAt {
		return i
	}
	named, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return -1
	}
	st, err := named.Stat()
	if err != nil {
		return -1
	}
	name := path.Join(path.Dir(inputs[i].Name), st.Name())
	return slices.IndexFunc(inputs, func(in delta.Input) bool { return in.Name == name })
}
