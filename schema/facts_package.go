package schema

// Package is the tables of an Unreal package. Rows name texts by their position
// in Texts, which begins with the package's name table.
type Package struct {
	Texts []string
	ids   []int64 // in table name, by position

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

	Names       []int64 // flags of the names Texts[:len(Names)]
	Imports     []PackageImport
	Exports     []PackageExport
	Generations []PackageGeneration
}

// PackageImport is an object of another package.
type PackageImport struct {
	ClassPackage, Class, Object int32 // texts
	OuterPath                   int32 // text, with its separator; -1: Outer is 0
	Number                      int32 // follows the text; -1: none
	Outer                       int32
	Flags                       int64 // 1 native, 2 editor only, 4 optional
}

// PackageExport is an object of the package.
type PackageExport struct {
	Class, Super, Outer, Archetype int32
	ClassName, Object              int32 // texts
	SuperName, OuterPath           int32 // texts; -1: none
	Number                         int32 // follows the text; -1: none
	Flags, Offset, Size            int64
	ExportFlags, PackageFlags      int64
}

// PackageGeneration counts what an earlier save held.
type PackageGeneration struct{ Exports, Names, NetObjects int64 }
