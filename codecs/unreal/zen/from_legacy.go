package zen

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
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Versions of UE5 that change which Zen package a cooked package becomes.
const (
	ue5Ambiguous = 1009 // 5.2 and 5.3, whose legacy packages are alike; 5.3 is written
	ue5Proven    = 1018 // of packages with versions, those of 5.8
)

// Flags of packages and objects, and the version of a Zen header.
const (
	flagCooked       = 0x200
	flagFiltered     = 0x80000000
	flagUnversioned  = 0x2000
	flagPublic       = 1
	flagStandalone   = 2
	zenDependencies  = 3 // the version of packages from 5.3 on
	dataResourceSize = 44
)

// FromLegacy returns the package of an IoStore container that the engine cooks from the same
// asset as a cooked legacy package: asset and uexp are its files, uexp nil unless it is split.
// name is its long name, for packages that do not store it.
//
// UE 5.3 to 5.8 are written. What no sample proves fails with [unreal.ErrNoWriting]: older
// packages, packages with editor data, versioned ones other than those of UE 5.8.
func FromLegacy(ctx context.Context, asset, uexp []byte, name string) ([]byte, error) {
	p, err := pkg.Read(ctx, bytes.NewReader(asset), int64(len(asset)))
	if err != nil {
		return nil, err
	}
	w := fromLegacy{p: p, asset: asset, name: cmp.Or(p.Name, name)}
	if err := w.check(uexp); err != nil {
		return nil, failure("package", -1, err)
	}
	return w.write()
}

type fromLegacy struct {
	p     *pkg.Package
	asset []byte
	body  []byte // data of the exports, and the tag that follows
	name  string

	names    nameTable
	ids      []uint64 // by import: its entry in the import map
	hashes   []uint64 // of imported objects
	packages []string // that are imported from, sorted by id
	public   []uint64 // by export
}

func (w *fromLegacy) check(uexp []byte) error {
	p := w.p
	if err := p.Writable(); err != nil {
		return err
	}
	refuse := func(format string, args ...any) error { return codecs.Errorf(unreal.ErrNoWriting, format, args...) }
	switch {
	case p.Summary.UE5 < ue5Ambiguous:
		return refuse("%s: packages of UE 5.3 to 5.8 become Zen packages", p.Layout)
	case p.Flags&(flagCooked|flagFiltered) != flagCooked|flagFiltered:
		return refuse("package that is not cooked, or has editor data: only cooked ones become Zen packages")
	case !p.Unversioned && p.Summary.UE5 != ue5Proven:
		return refuse("cooked package with version ue5 %d: with versions only those of UE 5.8 become Zen packages", p.Summary.UE5)
	case !strings.HasPrefix(w.name, "/"):
		return fmt.Errorf("%w: the package does not store its long name", codecs.ErrName)
	case len(w.name) > maxName:
		return codecs.Errorf(codecs.ErrName, "%d bytes", len(w.name))
	}
	w.body = uexp
	if !p.Split {
		w.body = w.asset[min(p.HeaderSize, int64(len(w.asset))):]
	}
	end := p.BulkStart - p.HeaderSize
	if end < 0 || end > int64(len(w.body)) || !bytes.Equal(w.body[end:], unreal.PackageTag()) {
		return refuse("data that is not followed by the tag alone: a package with a payload, or one without its .uexp")
	}
	at := int64(0)
	for i := range p.Exports {
		x := &p.Exports[i]
		if x.Offset-p.HeaderSize != at || x.Size < 0 {
			return refuse("data of exports that is not in the order of the table")
		}
		at += x.Size
	}
	if at != end {
		return refuse("data of exports that ends at %d of %d", at, end)
	}
	return nil
}

func (w *fromLegacy) write() ([]byte, error) {
	if err := w.imports(); err != nil {
		return nil, err
	}
	w.startNames()
	exports, err := w.exports()
	if err != nil {
		return nil, err
	}
	order, err := w.bundle()
	if err != nil {
		return nil, err
	}
	heads, entries := w.dependencies()
	bulk, err := w.bulkMap()
	if err != nil {
		return nil, err
	}
	own := w.names.mapped(w.name)
	cells := w.p.LegacyVersion <= -9

	out := headerWriter{}
	out.u32(0, 0)
	out.u64(own)
	out.u32(w.p.Flags, uint32(w.p.HeaderSize))
	places := len(out.b)
	out.u32(0, 0, 0, 0, 0, 0, 0)
	if !w.p.Unversioned {
		binary.LittleEndian.PutUint32(out.b, 1)
		if err := w.versions(&out); err != nil {
			return nil, err
		}
	}
	if cells {
		out.u32(0, 0)
	}
	fixed := len(out.b)
	out.b = w.names.append(out.b)
	pad := -(len(out.b) + 8) & 7
	out.u64(uint64(pad))
	out.b = append(out.b, make([]byte, pad)...)
	out.u64(uint64(len(bulk)))
	out.b = append(out.b, bulk...)
	place := func() {
		binary.LittleEndian.PutUint32(out.b[places:], uint32(len(out.b)))
		places += 4
	}
	place()
	out.u64(w.hashes...)
	place()
	out.u64(w.ids...)
	place()
	out.b = append(out.b, exports...)
	if cells {
		binary.LittleEndian.PutUint32(out.b[fixed-8:], uint32(len(out.b)))
		binary.LittleEndian.PutUint32(out.b[fixed-4:], uint32(len(out.b)))
	}
	place()
	for _, n := range order {
		out.u32(uint32(n/2), uint32(n%2))
	}
	place()
	out.b = append(out.b, heads...)
	place()
	out.b = append(out.b, entries...)
	place()
	out.b = w.packageNames(out.b)
	binary.LittleEndian.PutUint32(out.b[4:], uint32(len(out.b)))
	out.b = append(out.b, w.body...)
	if err := w.readBack(out.b); err != nil {
		return nil, failure("read back", -1, err)
	}
	return out.b, nil
}

// startNames lists the names that data refers to, by the positions that it uses.
func (w *fromLegacy) startNames() {
	w.names.index = map[string]uint32{}
	for i, n := range w.p.Names[:min(max(w.p.Summary.NamesReferenced, 0), len(w.p.Names))] {
		w.names.names = append(w.names.names, n.Text)
		if _, known := w.names.index[n.Text]; !known {
			w.names.index[n.Text] = uint32(i)
		}
	}
}

// mappedOf returns the name of an object. A number in its text is kept apart.
func (w *fromLegacy) mappedOf(n unreal.ObjectName) uint64 {
	text, number := w.p.Names[n.Index].Text, uint32(n.Number)
	if number == 0 {
		return w.names.mapped(text)
	}
	return w.names.mappedNumber(text, number)
}

// imports makes the import map, and lists the packages and objects that it refers to.
func (w *fromLegacy) imports() error {
	f := &w.p.PackageFacts
	w.ids = make([]uint64, len(f.Imports))
	type target struct{ pkg, hash int }
	targets, pkgs, hashes := make([]target, len(f.Imports)), map[string]int{}, map[uint64]int{}
	for i := range f.Imports {
		r := unreal.ObjectRef(-i - 1)
		path, _ := f.PathOf(r)
		root, rooted := f.RootOf(r).Import()
		if !rooted || f.Imports[root].Outer != 0 {
			return failure(fmt.Sprintf("imports[%d]", i), -1, codecs.Errorf(unreal.ErrNoWriting, "import %s, which no package has", path))
		}
		home := f.NameOf(f.Imports[root].Name)
		switch {
		case strings.HasPrefix(strings.ToLower(home), "/script/"):
			w.ids[i] = unreal.ScriptObjectID(path)
			targets[i].pkg = -1
			continue
		case f.Imports[i].Outer == 0:
			w.ids[i] = null
			targets[i].pkg = -1
			continue
		}
		hash := unreal.ExportHash(strings.TrimPrefix(path[len(home):], "."))
		k, known := hashes[hash]
		if !known {
			k = len(w.hashes)
			hashes[hash] = k
			w.hashes = append(w.hashes, hash)
		}
		if _, known := pkgs[home]; !known {
			pkgs[home] = 0
			w.packages = append(w.packages, home)
		}
		targets[i] = target{root, k}
	}
	slices.SortFunc(w.packages, func(a, b string) int { return cmp.Compare(unreal.NameHash(a), unreal.NameHash(b)) })
	for i, name := range w.packages {
		pkgs[name] = i
	}
	for i, t := range targets {
		if t.pkg >= 0 {
			home := f.NameOf(f.Imports[t.pkg].Name)
			w.ids[i] = unreal.ObjectPackage | uint64(pkgs[home])<<32 | uint64(t.hash)
		}
	}
	return nil
}

// exports makes the export map.
func (w *fromLegacy) exports() ([]byte, error) {
	f := &w.p.PackageFacts
	out := headerWriter{}
	w.public = make([]uint64, len(f.Exports))
	for i := range f.Exports {
		x := &f.Exports[i]
		if x.Flags&flagPublic != 0 || x.ExportFlags&unreal.ExportPublicHash != 0 {
			path, _ := f.PathOf(unreal.ObjectRef(i + 1))
			if root := f.RootOf(unreal.ObjectRef(i + 1)); root < 0 {
				return nil, failure(fmt.Sprintf("exports[%d].outer", i), -1, codecs.Errorf(unreal.ErrNoWriting, "public object %s, whose outer is in another package", path))
			}
			w.public[i] = unreal.ExportHash(path)
		}
		out.u64(uint64(x.Offset-f.HeaderSize), uint64(x.Size), w.mappedOf(x.Name))
		for _, r := range []unreal.ObjectRef{x.Outer, x.Class, x.Super, x.Archetype} {
			out.u64(w.object(r))
		}
		filter := uint32(0)
		switch {
		case x.ExportFlags&unreal.ExportNotForServer != 0:
			filter = 2
		case x.ExportFlags&unreal.ExportNotForClient != 0:
			filter = 1
		}
		out.u64(w.public[i])
		out.u32(uint32(x.Flags), filter)
	}
	return out.b, nil
}

func (w *fromLegacy) object(r unreal.ObjectRef) uint64 {
	if i, ok := r.Export(); ok {
		return uint64(i)
	}
	if i, ok := r.Import(); ok {
		return w.ids[i]
	}
	return null
}

// preload returns the four lists of an export, in the order of [unreal.PreloadSpan].
func (w *fromLegacy) preload(export int) (lists [4][]unreal.ObjectRef) {
	if export >= len(w.p.PreloadSpans) {
		return lists
	}
	s := w.p.PreloadSpans[export]
	at := int(s.First)
	for k, n := range s.Counts {
		if n > 0 {
			lists[k] = w.p.Preload[at : at+int(n)]
			at += int(n)
		}
	}
	return lists
}

// bundle returns the order in which exports are created (2n) and serialized (2n+1): what
// each needs comes first, and of what is free public objects, then creations, then the
// order of the table.
func (w *fromLegacy) bundle() ([]int, error) {
	n := len(w.p.Exports)
	after, waits := make([][]int, 2*n), make([]int, 2*n)
	edge := func(from, to int) {
		if from != to {
			after[from] = append(after[from], to)
			waits[to]++
		}
	}
	for i := range n {
		edge(2*i, 2*i+1)
		for k, list := range w.preload(i) {
			from, to := 1-k%2, 1-k/2 // of each kind whether it is serialized
			for _, r := range list {
				if j, ok := r.Export(); ok && j != i {
					edge(2*j+from, 2*i+to)
				}
			}
		}
	}
	return sortBundle(after, waits, func(a, b int) int {
		return cmp.Or(cmp.Compare(hidden(w.public[a/2]), hidden(w.public[b/2])), cmp.Compare(a%2, b%2), cmp.Compare(a, b))
	})
}

func hidden(hash uint64) int {
	if hash == 0 {
		return 1
	}
	return 0
}

// sortBundle sorts nodes such that each follows those that it waits for, and the least of
// the free ones is next.
func sortBundle(after [][]int, waits []int, compare func(a, b int) int) (order []int, err error) {
	var free []int // sorted
	put := func(n int) {
		at, _ := slices.BinarySearchFunc(free, n, compare)
		free = slices.Insert(free, at, n)
	}
	for n := range waits {
		if waits[n] == 0 {
			put(n)
		}
	}
	for len(free) > 0 {
		next := free[0]
		free = free[1:]
		order = append(order, next)
		for _, n := range after[next] {
			if waits[n]--; waits[n] == 0 {
				put(n)
			}
		}
	}
	if len(order) != len(waits) {
		return nil, failure("preload", -1, codecs.Errorf(codecs.ErrCorrupt, "exports wait for each other"))
	}
	return order, nil
}

// dependencies makes the table of what each export waits for, and its entries: creations
// before creation, serializations before it, and both before serialization.
func (w *fromLegacy) dependencies() (heads, entries []byte) {
	h, e := headerWriter{}, headerWriter{}
	for i := range w.p.Exports {
		lists := w.preload(i)
		first := len(e.b) / 4
		counts := [4]uint32{}
		for g, k := range [4]int{3, 2, 1, 0} {
			for _, r := range lists[k] {
				if n, ok := r.Import(); ok && w.ids[n]>>62 != unreal.ObjectPackage>>62 || r == 0 {
					continue
				}
				e.u32(uint32(r))
				counts[g]++
			}
		}
		if i < len(w.p.PreloadSpans) && w.p.PreloadSpans[i].First >= 0 {
			h.u32(uint32(first))
		} else {
			h.u32(^uint32(0))
		}
		h.u32(counts[:]...)
	}
	return h.b, e.b
}

// bulkMap makes the table of data that is loaded on demand.
func (w *fromLegacy) bulkMap() ([]byte, error) {
	at := w.p.Summary.DataResources
	if at <= 0 {
		return nil, nil
	}
	r := newReader(w.asset, 0)
	r.Seek(int(at))
	version := r.U32()
	out := headerWriter{}
	for range r.Count(dataResourceSize) {
		r.Skip(4)
		cooked := uint32(0)
		if version == 2 {
			cooked = uint32(r.U8())
		}
		offset, duplicate, size := r.U64(), r.U64(), r.U64()
		r.Skip(8 + 4)
		out.u64(offset, duplicate, size)
		out.u32(r.U32(), cooked)
	}
	if err := r.Err(); err != nil || version < 1 || version > 2 {
		return nil, failure("data_resources", at, cmp.Or(err, error(codecs.Errorf(errors.ErrUnsupported, "version %d", version))))
	}
	return out.b, nil
}

// versions appends the versions of the engine and its parts. Those of parts are copied as
// the summary has them.
func (w *fromLegacy) versions(out *headerWriter) error {
	const custom = 48 // their offset from 1016 on
	out.u32(zenDependencies, uint32(w.p.Version), uint32(w.p.Version5), uint32(w.p.Licensee))
	r := newReader(w.asset, 0)
	r.Seek(custom)
	n := r.Count(20)
	list := r.Bytes(20 * n)
	if r.Err() != nil || n != len(w.p.Custom) {
		return failure("custom_versions", custom, cmp.Or(r.Err(), bin.ErrCount))
	}
	out.u32(uint32(n))
	out.b = append(out.b, list...)
	return nil
}

// packageNames appends the names of imported packages, and their numbers.
func (w *fromLegacy) packageNames(dst []byte) []byte {
	t, numbers := nameTable{}, headerWriter{}
	for _, name := range w.packages {
		text, number := cutNumber(name)
		t.names = append(t.names, text)
		numbers.u32(number)
	}
	return append(t.append(dst), numbers.b...)
}

// readBack reads the package: it has the objects of the legacy one, and their data.
func (w *fromLegacy) readBack(out []byte) error {
	got, err := Read(bytes.NewReader(out), int64(len(out)))
	switch f := &w.p.PackageFacts; {
	case err != nil:
		return err
	case len(got.Problems) > 0:
		return got.Problems[0]
	case !strings.EqualFold(got.Name, w.name) || got.ImportCount != len(f.Imports) || got.ExportCount != len(f.Exports) || got.Flags != f.Flags:
		return errors.New("other counts")
	}
	for i := range got.Exports {
		x, y := &got.Exports[i], &w.p.Exports[i]
		path, _ := got.PathOf(unreal.ObjectRef(i + 1))
		want, _ := w.p.PathOf(unreal.ObjectRef(i + 1))
		if w.p.RootOf(unreal.ObjectRef(i+1)) > 0 && path != want || x.Size != y.Size || x.Flags != y.Flags ||
			!bytes.Equal(out[x.Offset:x.Offset+x.Size], w.body[y.Offset-w.p.HeaderSize:][:y.Size]) {
			return fmt.Errorf("export %d is %s, not %s", i, path, want)
		}
	}
	return nil
}
