package pkg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// classicWritten are the versions of UE1 to UE3 whose rewriting samples prove, with the
// engine's own layout.
var classicWritten = []struct{ from, to int }{{69, 69}, {120, 128}, {512, 868}}

// classicWritable returns why a package of UE1 to UE3 cannot be written, nil if it can.
func (p *Package) classicWritable() error {
	refuse := func(format string, args ...any) error {
		return failure("package", 0, codecs.Errorf(unreal.ErrNoWriting, format, args...))
	}
	proven := slices.ContainsFunc(classicWritten, func(v struct{ from, to int }) bool { return p.Version >= v.from && p.Version <= v.to })
	standardLayout := standard(p.Version, p.Licensee)
	switch {
	case !proven:
		return refuse("%s package of version %d: only 69, 120 to 128, and 512 to 868 are written", p.Engine, p.Version)
	case p.Compression != "" || p.BigEndian || len(p.Summary.Chunks) > 0:
		return refuse("compressed or big-endian package")
	case p.Layout != standardLayout.label():
		return refuse("package with the layout of %s", p.Layout)
	case p.Summary.Names.Count == 0 || p.Summary.Exports.Count == 0 || p.Summary.Exports.End == 0:
		return refuse("package without names or exports")
	}
	for _, problem := range p.Problems {
		return refuse("its tables contradict the format: %v", problem)
	}
	return nil
}

// patch is a range of the file and what takes its place.
type patch struct {
	at, size int64
	data     []byte
}

func (s *patch) end() int64    { return s.at + s.size }
func (s *patch) growth() int64 { return int64(len(s.data)) - s.size }

// classicRewriter makes the new file of a package of UE1 to UE3: one list of patches, by which
// all offsets follow.
type classicRewriter struct {
	p       *Package
	c       *Changes
	l       layout
	file    []byte
	fields  []unreal.Span // of the export table: the size and the offset of each entry
	patches []patch       // of the name table and of data
	entries []patch       // of the export table
	grown   []patch       // the longer and the shorter ones of entries
}

// rewriteClassic is [Package.Rewrite] of a package of UE1 to UE3.
func (p *Package) rewriteClassic(ctx context.Context, file []byte, c *Changes) ([]byte, error) {
	if len(c.Copies) > 0 || len(c.Imports) > 0 || len(c.Soft) > 0 {
		return nil, failure("package", 0, codecs.Errorf(unreal.ErrNoWriting, "new imports or exports of a package of UE1 to UE3"))
	}
	w := &classicRewriter{p: p, c: c, l: standard(p.Version, p.Licensee), file: file}
	if err := w.collect(ctx); err != nil {
		return nil, err
	}
	if err := w.place(); err != nil {
		return nil, err
	}
	if err := w.refusePositions(); err != nil {
		return nil, err
	}
	out := w.join()
	if int64(len(out)) > 1<<31-1 {
		return nil, failure("package", -1, codecs.Errorf(codecs.ErrLimit, "%d bytes", len(out)))
	}
	if err := w.readBack(ctx, out); err != nil {
		return nil, failure("read back", -1, err)
	}
	return out, nil
}

// collect lists the patches whose sizes are known, and finds what each entry of the export
// table says of its data.
func (w *classicRewriter) collect(ctx context.Context) error {
	s := &w.p.Summary
	var names []byte
	for _, n := range w.c.Names {
		names = w.appendName(names, n)
	}
	if len(names) > 0 {
		w.patches = append(w.patches, patch{at: s.Names.End, data: names})
	}
	for i := range w.p.Exports {
		c, ok := w.c.Exports[i]
		if ok {
			x := &w.p.Exports[i]
			w.patches = append(w.patches, patch{x.Offset, x.Size, c.Data})
		}
	}
	if err := w.refuseOverlap(); err != nil {
		return err
	}
	_, err := w.p.space.scan(ctx, &w.l, binary.LittleEndian, extent{s.Exports.Offset, s.Exports.End - s.Exports.Offset}, func(d *decoder) {
		w.fields = w.fields[:0]
		for range w.p.Exports {
			d.exportEntry()
			w.fields = append(w.fields, d.place)
		}
	})
	if err != nil {
		return failure("exports", s.Exports.Offset, err)
	}
	w.entries = make([]patch, len(w.fields))
	for i, f := range w.fields {
		w.entries[i] = patch{f.Offset, f.Size, w.file[f.Offset : f.Offset+f.Size]}
		x := &w.p.Exports[i]
		if !bytes.Equal(w.appendPlace(x.Size, x.Offset), w.entries[i].data) {
			return failure(fmt.Sprintf("exports[%d]", i), f.Offset, codecs.Errorf(unreal.ErrNoWriting, "place of data that is not stored as the engine does"))
		}
	}
	return nil
}

// appendName returns an entry of the name table, with the flags that the first one has.
func (w *classicRewriter) appendName(dst []byte, name string) []byte {
	dst = append(append(w.appendIndex(dst, int64(len(name)+1)), name...), 0)
	flags := w.p.Names[0].Flags
	if w.l.nameFlag == 8 {
		return binary.LittleEndian.AppendUint64(dst, flags)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(flags))
}

func (w *classicRewriter) appendIndex(dst []byte, v int64) []byte {
	if w.l.compact {
		return unreal.AppendCompactIndex(dst, int32(v))
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(v))
}

// appendPlace returns the size and the offset of data as an entry of the export table has them.
func (w *classicRewriter) appendPlace(size, offset int64) []byte {
	dst := w.appendIndex(nil, size)
	if size > 0 || w.l.version >= verHeaderSize {
		dst = w.appendIndex(dst, offset)
	}
	return dst
}

// refuseOverlap fails if two parts of the file share bytes.
func (w *classicRewriter) refuseOverlap() error {
	s := &w.p.Summary
	all := []unreal.Span{{Offset: 0, Size: s.End}}
	for _, t := range []Table{s.Names, s.Imports, s.Exports, s.Depends, s.Heritage} {
		if t.End > t.Offset {
			all = append(all, unreal.Span{Offset: t.Offset, Size: t.End - t.Offset})
		}
	}
	for i := range w.p.Exports {
		if x := &w.p.Exports[i]; x.Size > 0 {
			all = append(all, unreal.Span{Offset: x.Offset, Size: x.Size})
		}
	}
	slices.SortFunc(all, func(a, b unreal.Span) int { return cmp.Compare(a.Offset, b.Offset) })
	for i := 1; i < len(all); i++ {
		if last := &all[i-1]; last.Offset+last.Size > all[i].Offset {
			return failure("exports", all[i].Offset, codecs.Errorf(unreal.ErrNoWriting, "parts of the file that share bytes"))
		}
	}
	return nil
}

// moved returns the new place of what begins at an offset.
func (w *classicRewriter) moved(at int64) int64 {
	to := at
	for _, list := range [...][]patch{w.patches, w.grown} {
		for i := range list {
			if s := &list[i]; s.end() <= at && (s.size == 0 || s.at < at) {
				to += s.growth()
			}
		}
	}
	return to
}

// place makes the entries of the export table. Their sizes depend on the offsets, and these on
// the sizes, where the table lies before the data.
func (w *classicRewriter) place() error {
	for range 8 {
		next := make([]patch, len(w.entries))
		same := true
		for i, e := range w.entries {
			x := &w.p.Exports[i]
			size, offset := x.Size, x.Offset
			if c, ok := w.c.Exports[i]; ok {
				size = int64(len(c.Data))
			}
			if offset > 0 {
				offset = w.moved(offset)
			}
			next[i] = patch{e.at, e.size, w.appendPlace(size, offset)}
			same = same && bytes.Equal(next[i].data, e.data)
		}
		w.entries = next
		w.grown = slices.DeleteFunc(slices.Clone(next), func(e patch) bool { return e.growth() == 0 })
		if same {
			return nil
		}
	}
	return failure("exports", -1, codecs.Errorf(codecs.ErrLimit, "offsets that do not settle"))
}

// refusePositions fails where data moves, or changes its size, that may have its own position in
// the file: lazy arrays of UE1 and UE2 begin with where they end, and bulk data of UE3 with where
// it begins. Code, classes and what declares fields have none.
func (w *classicRewriter) refusePositions() error {
	if at := w.p.Summary.Thumbnails; at > 0 && w.moved(at) != at {
		return failure("thumbnails", at, codecs.Errorf(unreal.ErrInside, "thumbnails may not move: add no names, and keep the sizes of values"))
	}
	for i := range w.p.Exports {
		x := &w.p.Exports[i]
		_, changed := w.c.Exports[i]
		if w.moved(x.Offset) == x.Offset && !changed || x.Size == 0 {
			continue
		}
		class := w.p.ClassOf(i)
		if declares(class) {
			continue
		}
		b := w.file[x.Offset:][:x.Size]
		for at := 0; at+4 <= len(b); at++ {
			v, from := int64(binary.LittleEndian.Uint32(b[at:])), x.Offset+int64(at)+4
			if v == from && !w.l.compact || w.l.compact && v > from && v <= x.Offset+x.Size {
				c := w.c.Exports[i]
				if changed && w.moved(x.Offset) == x.Offset && int64(len(c.Data)) == x.Size && bytes.Equal(c.Data[at:at+4], b[at:at+4]) {
					continue // it stays where it is
				}
				return failure(fmt.Sprintf("exports[%d]", i), x.Offset+int64(at), codecs.Errorf(unreal.ErrInside,
					"%s %s may not move: add no names, and keep the sizes of values", class, w.p.NameOf(x.Name)))
			}
		}
	}
	return nil
}

// declares reports a class whose objects are code, or declare something.
func declares(class string) bool {
	switch class {
	case "Function", "State", "Class", "Struct", "ScriptStruct", "Enum", "Const", "TextBuffer":
		return true
	}
	return strings.HasSuffix(class, "Property")
}

// join returns the new file.
func (w *classicRewriter) join() []byte {
	head := bytes.Clone(w.file)
	for _, f := range w.p.numbers {
		v := int64(int32(binary.LittleEndian.Uint32(head[f.off:])))
		switch {
		case f.what == nameCount && v == int64(w.p.Summary.Names.Count):
			v += int64(len(w.c.Names))
		case f.what == headerOffset && v > 0:
			v = w.moved(v)
		}
		binary.LittleEndian.PutUint32(head[f.off:], uint32(v))
	}
	all := slices.Concat(w.patches, w.entries)
	slices.SortStableFunc(all, func(a, b patch) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	at := int64(0)
	for i := range all {
		out = append(append(out, head[at:all[i].at]...), all[i].data...)
		at = all[i].end()
	}
	return append(out, head[at:]...)
}

// readBack reads the new package: it must have what was asked for and nothing else.
func (w *classicRewriter) readBack(ctx context.Context, file []byte) error {
	old := w.p
	got, err := Read(ctx, bytes.NewReader(file), int64(len(file)))
	switch {
	case err != nil:
		return err
	case len(got.Problems) > 0:
		return got.Problems[0]
	case got.Version != old.Version || got.Licensee != old.Licensee || got.Layout != old.Layout || got.Flags != old.Flags || got.GUID != old.GUID:
		return errors.New("another layout")
	case !slices.Equal(got.Imports, old.Imports) || len(got.Exports) != len(old.Exports) || !slices.Equal(got.Depends.Refs, old.Depends.Refs) || !slices.Equal(got.Depends.Ends, old.Depends.Ends):
		return errors.New("other imports, exports or dependencies")
	case len(got.Generations) != len(old.Generations):
		return errors.New("other generations")
	}
	if err := w.c.checkNames(old, got); err != nil {
		return err
	}
	for i := range got.Exports {
		a, b := got.Exports[i], old.Exports[i]
		want := w.file[b.Offset:][:b.Size]
		if c, ok := w.c.Exports[i]; ok {
			want = c.Data
		}
		if a.Size != int64(len(want)) || a.Size > 0 && (a.Offset+a.Size > int64(len(file)) || !bytes.Equal(file[a.Offset:][:a.Size], want)) {
			return fmt.Errorf("data of export %d differs", i)
		}
		a.Offset, a.Size = b.Offset, b.Size
		if a != b {
			return fmt.Errorf("export %d differs", i)
		}
	}
	return nil
}
