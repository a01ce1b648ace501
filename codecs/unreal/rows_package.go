package unreal

import (
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/internal/family"
)

// PackageRows is the tables of a package as the catalog has them. Rows name texts
// by their position in Texts, which begins with the package's name table.
type PackageRows struct {
	Texts []string
	PackageRow
	Names       []int64 // flags of the names Texts[:len(Names)]
	Imports     []ImportRow
	Exports     []ExportRow
	Generations []PackageGeneration
}

// PackageRow is what a package says of itself, as far as it is no list.
type PackageRow struct {
	Engine           string // "UE1" to "UE5"
	Version          int64
	Version5         int64
	LegacyVersion    int64
	Licensee         int64
	Layout           string
	EngineVersion    string // "" for none
	CompatibleEngine string // "" for none
	CookerVersion    int64
	Flags            int64
	GUID             []byte // nil for none
	PersistentGUID   []byte // nil for none
	SavedHash        []byte // nil for none
	Name             int32  // text; -1: the file does not store its own name
	Compression      string // "" for none
	Traits           int64  // 1 big-endian, 2 unversioned, 4 split
	HeaderSize       int64

	NameCount, ImportCount, ExportCount int64 // as declared
}

// ImportRow is an object of another package.
type ImportRow struct {
	ClassPackage, Class, Object int32 // texts
	OuterPath                   int32 // text, with its separator; -1: Outer is 0
	Number                      int32 // follows the text; -1: none
	Outer                       int32
	Flags                       int64 // as [ImportFlags]
}

// ExportRow is an object of the package.
type ExportRow struct {
	Class, Super, Outer, Archetype int32
	ClassName, Object              int32 // texts
	SuperName, OuterPath           int32 // texts; -1: none
	Number                         int32 // follows the text; -1: none
	Flags, Offset, Size            int64
	ExportFlags, PackageFlags      int64
}

// nameRow is an entry of the name table.
type nameRow struct {
	text  int32
	flags int64
}

// Batch returns the rows of a package.
func (f *PackageFacts) Batch() *family.Batch { return newPackageRows(f).Batch() }

// Batch returns the rows for the catalog.
func (p *PackageRows) Batch() *family.Batch {
	names := make([]nameRow, len(p.Names))
	for i, flags := range p.Names {
		names[i] = nameRow{int32(i), flags}
	}
	return &family.Batch{
		Words: []string{p.Engine, p.Layout, p.Compression}, // as packages has them
		Texts: p.Texts,
		Rows: []family.Rows{packages.Rows(p.PackageRow), packageNames.Rows(names...), packageImports.Rows(p.Imports...),
			packageExports.Rows(p.Exports...), packageGenerations.Rows(p.Generations...)},
	}
}

// newPackageRows translates the tables of a package.
func newPackageRows(f *PackageFacts) *PackageRows {
	t := newPackageTexts(f)
	out := &PackageRows{
		PackageRow: PackageRow{
			Engine: f.Engine, Version: int64(f.Version), Version5: int64(f.Version5), LegacyVersion: int64(f.LegacyVersion),
			Licensee: int64(f.Licensee), Layout: f.Layout, EngineVersion: f.EngineVersion, CompatibleEngine: f.CompatibleEngine,
			CookerVersion: int64(f.CookerVersion), Flags: int64(f.Flags), GUID: guidBytes(f.GUID),
			PersistentGUID: guidBytes(f.PersistentGUID), SavedHash: f.SavedHash, Name: -1, Compression: f.Compression,
			Traits: packageTraits(f), HeaderSize: f.HeaderSize,
			NameCount: int64(f.NameCount), ImportCount: int64(f.ImportCount), ExportCount: int64(f.ExportCount),
		},
		Names:       make([]int64, len(f.Names)),
		Generations: f.Generations,
	}
	for i := range f.Names {
		out.Names[i] = int64(f.Names[i].Flags)
	}
	if f.Name != "" {
		out.Name = t.text(f.Name)
	}
	out.Imports, out.Exports = t.imports(), t.exports()
	out.Texts = t.texts
	return out
}

func packageTraits(f *PackageFacts) (traits int64) {
	for bit, set := range []bool{f.BigEndian, f.Unversioned, f.Split} {
		if set {
			traits |= 1 << bit
		}
	}
	return traits
}

// guidBytes returns a GUID in the order in which it is printed.
func guidBytes(id codecs.ID) []byte {
	if id.IsZero() {
		return nil
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, id.Hi), id.Lo)
}

// packageTexts collects the texts of a package: the name table, then what is
// made of names.
type packageTexts struct {
	f     *PackageFacts
	texts []string
	made  map[string]int32
	outer map[ObjectRef]int32 // path that is in front of the objects in it
	buf   []byte
}

func newPackageTexts(f *PackageFacts) *packageTexts {
	t := &packageTexts{f: f, texts: make([]string, len(f.Names)), made: map[string]int32{}, outer: map[ObjectRef]int32{}}
	for i := range f.Names {
		t.texts[i] = f.Names[i].Text
	}
	return t
}

// text returns the position of a text that may not be in the name table.
func (t *packageTexts) text(s string) int32 {
	if i, ok := t.made[s]; ok {
		return i
	}
	i := int32(len(t.texts))
	t.texts, t.made[s] = append(t.texts, s), i
	return i
}

// name returns the position of a rendered name.
func (t *packageTexts) name(n ObjectName) int32 {
	if n.Number == 0 && n.Index >= 0 && int(n.Index) < len(t.f.Names) {
		return n.Index
	}
	return t.text(t.f.NameOf(n))
}

// object returns the name of an object apart from its number: maps hold
// thousands of objects that differ in nothing else. Negative numbers are
// damage, and rendered.
func (t *packageTexts) object(n ObjectName) (text, number int32) {
	if n.Number > 0 && !t.f.BareNumbers && n.Index >= 0 && int(n.Index) < len(t.f.Names) {
		return n.Index, n.Number - 1
	}
	return t.name(n), -1
}

// refName returns the bare name of an object, -1 for none.
func (t *packageTexts) refName(r ObjectRef) int32 {
	if r == 0 {
		return -1
	}
	return t.text(t.f.ObjectOf(r))
}

// outerPath returns the part before the name of r, with the separator:
// the same for all objects of one outer, so that it is rendered once.
func (t *packageTexts) outerPath(r ObjectRef) int32 {
	outer := t.f.OuterOf(r)
	if outer == 0 {
		return -1
	}
	if i, ok := t.outer[outer]; ok {
		return i
	}
	t.buf, _ = t.f.AppendPath(t.buf[:0], r)
	i := t.text(string(t.buf[:len(t.buf)-len(t.f.ObjectOf(r))]))
	t.outer[outer] = i
	return i
}

func (t *packageTexts) imports() []ImportRow {
	rows := make([]ImportRow, len(t.f.Imports))
	for i := range t.f.Imports {
		im := &t.f.Imports[i]
		row := &rows[i]
		row.ClassPackage, row.Class = t.name(im.ClassPackage), t.name(im.Class)
		row.Object, row.Number = t.object(im.Name)
		row.Outer, row.OuterPath = int32(im.Outer), t.outerPath(ObjectRef(-i-1))
		row.Flags = int64(im.Flags)
	}
	return rows
}

func (t *packageTexts) exports() []ExportRow {
	rows := make([]ExportRow, len(t.f.Exports))
	for i := range t.f.Exports {
		x := &t.f.Exports[i]
		row := &rows[i]
		*row = ExportRow{Class: int32(x.Class), Super: int32(x.Super), Outer: int32(x.Outer),
			Archetype: int32(t.f.TemplateOf(i)), SuperName: t.refName(x.Super), OuterPath: t.outerPath(ObjectRef(i + 1)),
			Flags: int64(x.Flags), Offset: x.Offset, Size: x.Size,
			ExportFlags: int64(x.ExportFlags), PackageFlags: int64(x.PackageFlags)}
		row.Object, row.Number = t.object(x.Name)
		if row.ClassName = t.refName(x.Class); x.Class == 0 {
			row.ClassName = t.text("Class")
		}
	}
	return rows
}
