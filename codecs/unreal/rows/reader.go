package rows

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// Bounds of the bytes of an export that are read: after its values it may have bulk data;
// and of the values of a package, in rows of 56 bytes. What is larger is a problem.
// Packages with large exports are read one at a time.
const (
	maxExport   = 64 << 20
	maxRows     = 4_000_000
	largeExport = 256 << 10
)

var errRows = codecs.Errorf(codecs.ErrLimit, "more than %d values in a package", maxRows)

const readerName = "unreal-values"

// Reader returns the reader of values of packages of UE1 to UE5.
func Reader() *codecs.ValueReader {
	return &codecs.ValueReader{Name: readerName, Revision: 8, Takes: takes, Read: (&reader{}).read,
		Mappings: readMappings, Classes: newClasses, Candidates: candidates, Better: better}
}

func takes(f *codecs.Facts) bool {
	p, ok := f.Detail.(*unreal.PackageFacts)
	return ok && len(p.Exports) > 0 && len(p.Exports) == p.ExportCount
}

// reader reads packages, one with large exports at a time.
type reader struct{ large sync.Mutex }

func (r *reader) read(ctx context.Context, f *codecs.Facts, content io.ReaderAt, base, size int64, o *codecs.ValueOptions) (*codecs.Values, error) {
	if slices.ContainsFunc(f.Detail.(*unreal.PackageFacts).Exports, func(x unreal.PackageExport) bool { return x.Size > largeExport }) {
		r.large.Lock()
		defer r.large.Unlock()
	}
	return read(ctx, f, content, base, size, o)
}

func read(ctx context.Context, f *codecs.Facts, r io.ReaderAt, base, size int64, o *codecs.ValueOptions) (*codecs.Values, error) {
	facts := f.Detail.(*unreal.PackageFacts)
	in := &window{ctx: ctx, r: r, base: base, size: size, exports: facts.Exports, fresh: !facts.Modern(),
		told: slices.ContainsFunc(f.Problems, func(p *codecs.FormatError) bool { return errors.Is(p, codecs.ErrTruncated) })}
	p := &Package{PackageFacts: facts, Options: options(o), Bytes: in.bytes}
	var used *recorder
	if all, ok := o.Classes.(*classes); ok {
		used = &recorder{all: all, seen: map[any]bool{}}
		p.Options.Schemas = used
	}
	batch, named, err := of(p, maxRows)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, err
	}
	c := &p.Coverage
	out := &codecs.Values{Unversioned: facts.Modern() && facts.Flags&flagUnversioned != 0, Rows: batch, Problems: p.Problems(),
		Exports: c.Exports, Exact: c.Exact, Tailed: c.Tailed, Lost: c.Lost, Fields: c.Values, Opaque: c.Opaque, FieldsGuessed: c.Guessed,
		Bytes: c.Bytes + in.cut, OpaqueBytes: c.OpaqueBytes, TailBytes: c.TailBytes + in.cut}
	if facts.Modern() {
		engine, exact := property.EngineOf(facts)
		if !exact && o.Engine != 0 {
			engine = property.Engine(o.Engine)
		}
		out.Engine, out.Guessed = int(engine), !exact
		if used != nil || !exact && o.Engine != 0 {
			out.Context = used.context(out.Engine)
		}
	}
	most := int64(0)
	for _, class := range slices.Sorted(maps.Keys(c.Missing)) {
		n := c.Missing[class]
		if out.Missing += n; n > most {
			most, out.MissingClass = n, class
		}
	}
	for _, pkg := range named {
		out.Refs = append(out.Refs, codecs.Ref{Kind: "value", Space: "package", Name: pkg})
	}
	return out, nil
}

func options(o *codecs.ValueOptions) property.Options {
	return property.Options{Name: o.Package, Engine: property.Engine(o.Engine)}
}

func candidates(f *codecs.Facts) (all []int) {
	p, ok := f.Detail.(*unreal.PackageFacts)
	if !ok || !p.Modern() {
		return nil
	}
	if _, exact := property.EngineOf(p); exact {
		return nil
	}
	for _, e := range property.Candidates(p) {
		if e != 0 {
			all = append(all, int(e))
		}
	}
	return all
}

func better(v, other *codecs.Values) bool {
	coverage := func(v *codecs.Values) *property.Coverage {
		return &property.Coverage{Lost: v.Lost, Opaque: v.Opaque, TailBytes: v.TailBytes, OpaqueBytes: v.OpaqueBytes}
	}
	return coverage(v).Better(coverage(other))
}

// flagUnversioned is the flag of packages whose lists have no tags.
const flagUnversioned = 0x2000

// window reads the bytes of exports.
type window struct {
	ctx        context.Context
	r          io.ReaderAt
	base, size int64
	exports    []unreal.PackageExport
	buf        []byte
	fresh      bool  // exports have memory of their own
	told       bool  // exports outside of r are a problem of the tables
	cut        int64 // bytes that are left out, of exports that are larger than maxExport
}

func (w *window) bytes(i int) ([]byte, error) {
	if w.ctx != nil && w.ctx.Err() != nil {
		return nil, w.ctx.Err()
	}
	x := &w.exports[i]
	at, n := x.Offset-w.base, x.Size
	if n == 0 {
		return nil, nil
	}
	if at < 0 || n < 0 || at > w.size || n > w.size-at {
		err := codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d of %d", n, at, w.size)
		if w.told {
			err = toldError{err}
		}
		return nil, err
	}
	if n > maxExport {
		w.cut += n - maxExport
		n = maxExport
	}
	if w.fresh || int64(cap(w.buf)) < n {
		w.buf = make([]byte, n)
	}
	b := w.buf[:n]
	if k, err := w.r.ReadAt(b, at); int64(k) < n {
		return nil, err
	}
	return b, nil
}
