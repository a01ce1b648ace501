package unreal

import (
	"errors"
	"fmt"

	"pakdb/codecs"
)

// PackageFacts is what an Unreal package (UE1 to UE5) says about itself: the
// Detail of [codecs.Facts] of kind "unreal-package". Objects are kept as the file
// keeps them, as indices into the tables; the methods render names and paths.
//
// Everything here depends on the content alone. The package's own name usually
// is not in it, so paths of exports are relative to the package.
//
// It is plain data: read it from as many goroutines as you like.
type PackageFacts struct {
	Engine        string // generation: "UE1" to "UE5", "UE4 zen", "UE5 zen"; "" when even that is not known
	Version       int    // UE1 to UE3: package version; UE4, UE5: the ue4 version, 0 when unversioned
	Version5      int    // the ue5 version, 0 when there is none
	LegacyVersion int    // UE4, UE5: -2 and below; otherwise 0
	Licensee      int
	Unversioned   bool   // UE4, UE5: cooked without versions; Layout is what was found to fit
	Layout        string // by which rules the tables were read: "standard", "Mass Effect", "ue4 522"
	BigEndian     bool

	EngineVersion    string    // UE3: a number; UE4, UE5: "4.27.2-18319896+++UE4+Release-4.27"
	CompatibleEngine string    // UE4, UE5
	CookerVersion    int       // UE3
	Flags            uint32    // as stored; their meaning depends on Engine
	GUID             codecs.ID // four u32, most significant first, as the engine prints them; not unique
	PersistentGUID   codecs.ID // UE4, UE5 with editor data: survives saving
	SavedHash        []byte    // UE5 from 1016, in place of GUID: 20 bytes
	Name             string    // long package name where the file stores one (UE5 from about 1008), or its name table implies one; else ""
	Compression      string    // "" none; "zlib", "lzo1x", ...; joined by "+" when wrapped as a whole as well
	Split            bool      // UE4, UE5: exports lie in the .uexp beside it, from Offset - HeaderSize on
	HeaderSize       int64     // end of the tables; 0 when the generation does not say

	// Custom is how the engine's parts number their own formats, in stored order; nil
	// in packages without versions, and below UE 4.0's GUID form.
	Custom []CustomVersion

	// What the summary declares, also where a table could not be read.
	NameCount, ImportCount, ExportCount int

	Names       []PackageName
	Imports     []PackageImport
	Exports     []PackageExport
	Generations []PackageGeneration

	Depends      RefLists      // by export: what must exist before it; empty lists included
	Preload      []ObjectRef   // UE4, UE5 cooked: the list that PreloadSpans cuts up
	PreloadSpans []PreloadSpan // by export; nil when there are none
	SoftPackages []SoftPackage
	SoftObjects  []SoftObject

	// Bulk lists where data lies that is loaded on demand, and its copies in the
	// package: objects name entries by position. Nil where objects state it themselves.
	Bulk []BulkData
	// BulkStart is what offsets of such data count from, unless [BulkOwnOffset] is set.
	BulkStart int64

	// Zen is what packages of IoStore containers have beside; nil elsewhere.
	Zen *ZenFacts

	// BareNumbers says that a name's number follows the text without "_".
	BareNumbers bool
}

// CustomVersion is the version that one part of the engine, or a plugin, saved its
// data with.
type CustomVersion struct {
	Key     codecs.ID // four u32, most significant first, as the engine prints them
	Version int32
}

// PackageName is an entry of the name table. The text is never trimmed: names
// made of control characters exist.
type PackageName struct {
	Text  string // 8-bit names are Latin-1; UTF-8 here
	Flags uint64 // UE1 to UE3
}

// ObjectName is a reference to a name, with the number that the engine appends.
type ObjectName struct {
	Index  int32 // in Names; may be out of range in a damaged file
	Number int32 // 0 none, n > 0: "_" and n-1
}

// ObjectRef refers to an object of the package: 0 none, n > 0 export n-1,
// n < 0 import -n-1.
type ObjectRef int32

// Export returns the export's position.
func (r ObjectRef) Export() (i int, ok bool) { return int(r) - 1, r > 0 }

// Import returns the import's position.
func (r ObjectRef) Import() (i int, ok bool) { return -int(r) - 1, r < 0 }

// PackageImport is an object of another package that this one uses.
type PackageImport struct {
	ClassPackage, Class, Name ObjectName
	Outer                     ObjectRef // 0: the import is a package; an export in cooked UE3
	Flags                     ImportFlags
}

// ImportFlags qualify a [PackageImport].
type ImportFlags uint8

// The qualities of imports.
const (
	ImportNative   ImportFlags = 1 << iota // implemented in the program: has no export anywhere
	ImportEditor                           // root imports: the asset registry says that the game does not use it
	ImportOptional                         // UE5: may be absent
	ImportByID                             // Zen: only a hash of it is stored, and Name is made from that
)

// PackageExport is an object that lies in the package.
type PackageExport struct {
	Class, Super, Outer, Archetype ObjectRef // Class 0: the object is itself a class
	Name                           ObjectName
	Flags                          uint64 // object flags as stored
	Offset, Size                   int64  // of the object's bytes, decompressed; Offset 0 where Size is 0 in UE1 and UE2
	ExportFlags                    ExportFlags
	PackageFlags                   uint32 // UE3 from 475, UE4, UE5
}

// ExportFlags qualify a [PackageExport].
type ExportFlags uint16

// The qualities of exports. Only ExportForced exists in UE3.
const (
	ExportForced       ExportFlags = 1 << iota // brought along from another package by the cooker
	ExportNotForClient                         // the fields below are UE4 and UE5
	ExportNotForServer
	ExportNotInEditorGame // not always loaded for the editor's game
	ExportAsset
	ExportInherited  // instance inherited from an archetype
	ExportPublicHash // packages of other containers import it by a hash
)

// PackageGeneration counts what an earlier save of the package held.
type PackageGeneration struct {
	Exports, Names int32
	NetObjects     int32 // UE3 from 322, UE4 below 196
}

// PreloadSpan names the part of Preload that belongs to one export: four lists
// one after another from First on. First is -1 when there is none.
type PreloadSpan struct {
	First int32
	// Serialize before serialize, create before serialize, serialize before
	// create, create before create.
	Counts [4]int32
}

// Len returns the number of dependencies of all four lists.
func (s PreloadSpan) Len() int32 { return s.Counts[0] + s.Counts[1] + s.Counts[2] + s.Counts[3] }

// SoftPackage is a package that is loaded on demand only.
type SoftPackage struct {
	Name   string // long package name; before UE4 484 a full object path
	Editor bool   // the asset registry says that the game does not use it
}

// SoftObject is a path to an object that is loaded on demand only.
type SoftObject struct {
	Package, Asset, Sub string
}

// Path returns the path as the engine prints it: "/Game/A.A:Sub".
func (s SoftObject) Path() string {
	p := s.Package
	if s.Asset != "" {
		p += "." + s.Asset
	}
	if s.Sub != "" {
		p += ":" + s.Sub
	}
	return p
}

// BulkData is where data lies that an object loads on demand.
type BulkData struct {
	Offset       int64
	Stored, Size int64 // bytes as they are stored, and decoded
	Flags        uint32
	Cooked       uint8 // which of several files of one kind: ".001.ubulk"
}

// Inline reports data that lies among the other data of its object. Its offset counts from
// there, and changes with what is in front of it.
func (b *BulkData) Inline() bool { return b.Flags&(bulkAtEnd|bulkInFile) == 0 }

// Flags of data that lies after all objects, and in a file of its own.
const (
	bulkAtEnd  = 0x01
	bulkInFile = 0x100
)

// BulkOwnOffset is the flag of data whose offset is that in its file.
const BulkOwnOffset = 0x10000

// RefLists is a list of references for each export, in two slices.
type RefLists struct {
	Ends []uint32 // Refs[Ends[i-1]:Ends[i]] belongs to export i
	Refs []ObjectRef
}

// At returns the list of export i, nil when there is none.
func (l RefLists) At(i int) []ObjectRef {
	if i < 0 || i >= len(l.Ends) {
		return nil
	}
	var from uint32
	if i > 0 {
		from = l.Ends[i-1]
	}
	return l.Refs[from:l.Ends[i]]
}

// ErrNoWriting is wrapped by refusals to write a package: it is read, and no sample proves
// how it is written.
var ErrNoWriting = fmt.Errorf("%w for writing", errors.ErrUnsupported)

// ErrInside is wrapped by refusals to move bulk data that lies inside of an object.
var ErrInside = fmt.Errorf("%w: bulk data inside of an export", ErrNoWriting)
