package pkg

import (
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// Cooked is a cooked package of UE 5.3 to 5.8 whose header is written anew. Of the facts
// it takes Name, Flags, Names, Imports, Exports, Preload, PreloadSpans and Bulk; offsets
// of exports are ignored, as their data follows in the order of the table.
type Cooked struct {
	unreal.PackageFacts
	// Layout is that of the header.
	Layout CookedLayout
	// Versioned says that the versions are stored, and Parts those of the engine's parts as
	// they are stored, 20 bytes each.
	Versioned bool
	Parts     []byte
	// Referenced is how many names data of exports refers to.
	Referenced int
	// ListEnds is by export where the list of properties ends in its data. Packages with
	// tagged lists store it from UE 5.4 on.
	ListEnds []int64
	// Duplicates is by entry of Bulk the offset of a copy, -1 for none.
	Duplicates []int64
	// Room is how many bytes the header has at least.
	Room int64
}

// CookedLayout is a layout of the header of cooked packages.
type CookedLayout uint8

// The layouts of cooked packages that are written.
const (
	Cooked53 CookedLayout = iota // UE 5.3 to 5.5, without versions
	Cooked56
	Cooked57
	Cooked58
)

func (l CookedLayout) versions() versions {
	switch l {
	case Cooked53:
		return versions{legacy: -8, ue4: newestUE4, ue5: ue5DataResources}
	case Cooked56:
		return versions{legacy: -9, ue4: newestUE4, ue5: 1017}
	}
	return versions{legacy: -9, ue4: newestUE4, ue5: newestUE5, importPackage: l == Cooked58}
}

// cookedWriter appends to b. Numbers of the summary that follow from the tables are put in
// once these are there.
type cookedWriter struct {
	c    *Cooked
	v    versions
	none int64 // index of the name None
	b    []byte
}

func (w *cookedWriter) i32(list ...int64) {
	for _, v := range list {
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(v))
	}
}

func (w *cookedWriter) i64(list ...int64) {
	for _, v := range list {
		w.b = binary.LittleEndian.AppendUint64(w.b, uint64(v))
	}
}

func (w *cookedWriter) name(n unreal.ObjectName) { w.i32(int64(n.Index), int64(n.Number)) }

// later appends an i32 that the result sets.
func (w *cookedWriter) later() func(int64) {
	at := len(w.b)
	w.i32(0)
	return func(v int64) { binary.LittleEndian.PutUint32(w.b[at:], uint32(v)) }
}

// Header returns the header of the package: what its .uasset has when it is split.
func (c *Cooked) Header() ([]byte, error) {
	w := &cookedWriter{c: c, v: c.Layout.versions()}
	for i, n := range c.Names {
		if n.Text == "None" {
			w.none = int64(i)
		}
	}
	if c.Flags&flagFilterEditorOnly == 0 || c.Layout == Cooked53 && c.Flags&flagUnversionedProperties == 0 {
		return nil, failure("flags", -1, codecs.Errorf(unreal.ErrNoWriting, "editor data, or tagged lists before UE 5.6"))
	}
	s := w.summary()
	s.names(w.at())
	for _, n := range c.Names {
		w.b = w.v.appendName(w.b, n.Text)
	}
	s.soft(w.at())
	s.imports(w.at())
	for i := range c.Imports {
		w.importEntry(&c.Imports[i])
	}
	s.exports(w.at())
	entries := make([]func(int64), len(c.Exports))
	for i := range c.Exports {
		entries[i] = w.exportEntry(i)
	}
	for _, cells := range s.cells {
		cells(w.at())
	}
	s.depends(w.at())
	w.b = append(w.b, make([]byte, 4*len(c.Exports))...)
	s.registry(w.at())
	w.i32(0)
	s.preload(w.at())
	for _, r := range c.Preload {
		w.i32(int64(r))
	}
	s.bulk(-1)
	if len(c.Bulk) > 0 {
		s.bulk(w.at())
		w.dataResources()
	}
	if int64(len(w.b)) < c.Room {
		w.b = append(w.b, make([]byte, c.Room-int64(len(w.b)))...)
	}
	end := w.at()
	s.header(end)
	for i := range c.Exports {
		entries[i](end)
		end += c.Exports[i].Size
	}
	binary.LittleEndian.PutUint64(w.b[s.data:], uint64(end))
	return w.b, nil
}

func (w *cookedWriter) at() int64 { return int64(len(w.b)) }

// cookedPlaces sets the numbers of a summary.
type cookedPlaces struct {
	header, names, soft, exports, imports, depends, registry, preload, bulk func(int64)
	cells                                                                   []func(int64)
	data                                                                    int // where the end of the data is
}

func (w *cookedWriter) summary() (s cookedPlaces) {
	c, v := w.c, w.v
	w.i32(tag, int64(v.legacy))
	if c.Versioned {
		w.i32(864, int64(v.ue4), int64(v.ue5), 0)
	} else {
		w.i32(0, 0, 0, 0)
	}
	parts := func() {
		w.i32(int64(len(c.Parts) / 20))
		w.b = append(w.b, c.Parts...)
	}
	if v.ue5 >= ue5SavedHash {
		w.b = append(w.b, make([]byte, 20)...)
		s.header = w.later()
		parts()
	} else {
		parts()
		s.header = w.later()
	}
	w.b = unreal.AppendFString(w.b, c.Name)
	w.i32(int64(c.Flags), int64(len(c.Names)))
	s.names = w.later()
	w.i32(0)
	s.soft = w.later()
	w.i32(0, 0, int64(len(c.Exports)))
	s.exports = w.later()
	w.i32(int64(len(c.Imports)))
	s.imports = w.later()
	if v.ue5 >= ue5Cells {
		for range 2 {
			w.i32(0)
			s.cells = append(s.cells, w.later())
		}
	}
	if v.ue5 >= ue5MetaData {
		w.i32(0)
	}
	s.depends = w.later()
	w.i32(0, 0, 0, 0) // soft packages, searchable names, thumbnails
	if v.ue5 >= ue5TypeHierarchies {
		w.i32(0, 0)
	}
	if v.ue5 < ue5SavedHash {
		w.i32(0, 0, 0, 0) // GUID
	}
	w.i32(1, int64(len(c.Exports)), int64(len(c.Names)))
	for range 2 { // versions of the engine
		w.b = append(w.b, make([]byte, 10)...)
		w.i32(0)
	}
	w.i32(0, 0, 0, 0) // compression, chunks, source, additional packages
	s.registry = w.later()
	s.data = len(w.b)
	w.i64(0)
	w.i32(0, 0) // world tile, chunk ids
	w.i32(int64(len(c.Preload)))
	s.preload = w.later()
	w.i32(int64(c.Referenced))
	w.i64(-1) // payloads
	s.bulk = w.later()
	return s
}

func (w *cookedWriter) importEntry(e *unreal.PackageImport) {
	w.name(e.ClassPackage)
	w.name(e.Class)
	w.i32(int64(e.Outer))
	w.name(e.Name)
	if w.v.importPackage {
		w.i32(w.none, 0)
	}
	w.i32(0)
}

// exportEntry returns what sets the offset of the data.
func (w *cookedWriter) exportEntry(i int) func(int64) {
	x := &w.c.Exports[i]
	w.i32(int64(x.Class), int64(x.Super), int64(x.Archetype), int64(x.Outer))
	w.name(x.Name)
	w.i32(int64(x.Flags))
	w.i64(x.Size)
	at := len(w.b)
	w.i64(0)
	bit := func(flag unreal.ExportFlags) {
		v := int64(0)
		if x.ExportFlags&flag != 0 {
			v = 1
		}
		w.i32(v)
	}
	bit(unreal.ExportForced)
	bit(unreal.ExportNotForClient)
	bit(unreal.ExportNotForServer)
	bit(unreal.ExportInherited)
	w.i32(int64(x.PackageFlags))
	bit(unreal.ExportNotInEditorGame)
	bit(unreal.ExportAsset)
	bit(unreal.ExportPublicHash)
	s := w.c.PreloadSpans[i]
	w.i32(int64(s.First))
	for _, n := range s.Counts {
		w.i32(int64(n))
	}
	if w.v.ue5 >= ue5ScriptOffsets && w.c.Flags&flagUnversionedProperties == 0 {
		w.i64(0, w.c.ListEnds[i])
	}
	return func(offset int64) { binary.LittleEndian.PutUint64(w.b[at:], uint64(offset)) }
}

// dataResources appends the table of data that is loaded on demand. The object that an
// entry belongs to is for the editor, and left out.
func (w *cookedWriter) dataResources() {
	w.i32(2, int64(len(w.c.Bulk)))
	for i := range w.c.Bulk {
		b := &w.c.Bulk[i]
		w.i32(0)
		w.b = append(w.b, b.Cooked)
		w.i64(b.Offset, w.c.Duplicates[i], b.Size, b.Size)
		w.i32(0, int64(b.Flags))
	}
}
