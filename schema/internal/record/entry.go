package record

import (
	"slices"
	"strings"

	"pakdb/internal/family"
)

// Archive is one scanned file.
type Archive struct {
	Size       int64
	ModTime    int64  // of the file, Unix nanoseconds
	Quick      Digest // over size and samples
	Scan       string // what made the rows: format, revisions, options
	Format     string
	Version    string
	MountPoint string
	Encrypted  bool
	// Name is what archives of earlier builds are called that it may continue: what
	// did not change in them is stored once. "" for none.
	Name string
	// Continues reports whether the archive may continue one whose rows were made by scan:
	// by the same, but for what is of one file. nil: by Scan itself.
	Continues func(scan string) bool
	// Sample returns some of the entries, by which an archive of another name is found
	// that this one may continue. nil, or a nil sample: there is none.
	Sample func() (*Sample[Outline], error)
}

// Entry is one stored file of an archive.
type Entry struct {
	Ordinal  int64
	Name     string // "" when the archive stores no name
	Method   string
	Type     string // "" for none
	Offset   int64  // -1 for no place
	Stored   int64
	Size     int64
	Flags    int64 // 1 encrypted, 2 deleted, 8 nested, 16 unnamed, 32 own
	ModTime  int64 // Unix seconds, when HasTime
	ID       [2]uint64
	IDBits   int64 // 0: no ID
	PathHash uint64
	// Sum is what the archive says about the entry's bytes; nil when it says
	// nothing, or is wrong.
	Sum []byte

	// Same is what the edition before has of an entry that did not change: it was not
	// read. Its Row is 0 for others.
	Same Same

	HasTime      bool
	HasPathHash  bool
	HasContent   bool
	HasPadded    bool
	Content      Digest // BLAKE3 of the decoded bytes, when HasContent
	ContentSize  int64
	Padded       Digest         // of the content filled up to the archive's boundary, when HasPadded
	Claimed      bool           // not read: the content is the one known to have Sum, if any
	Stated       bool           // not read: the archive states the first StatedSize bytes of Content
	Sketch       []byte         // of the content, see table content_sketch; nil for none
	Digest       *PackageDigest // of an Unreal package, or of what its exports are made of; nil for none
	Facts        *Facts         // nil when nothing was inspected
	Symbols      []Symbol       // what the name itself defines; their Path is ""
	PlaceSymbols []Symbol       // what the name and the mount point define; their Path is "", and the keys of names are not known yet
	ExportsOf    *Package       // whose exports the content holds; nil: it holds none, or was not read
	Values       *Values        // of these; nil: another entry of the same content and package brings them
	Copied       *Copied        // of an entry of a catalog that is merged; nil for one that was scanned
}

// Copied is what a catalog that is merged has of an entry besides what a scan hands over.
type Copied struct {
	Print   int64           // see Same
	Digests []PackageDigest // of the content, with each package that it is part of
}

// Same is a row of the edition before.
type Same struct {
	Row, Content int64
	Place        int   // among the rows: that of the next entry is most often the next one
	Print        int64 // a hash of what the archive says about the entry but its place
	Name         Half  // the hash of the entry's Name, as it is known by then
}

// Problem is a finding about an archive, an entry or a content.
type Problem struct {
	Ordinal int64  // of the entry, -1: the archive as a whole
	Path    string // name of the entry, "" for none
	Field   string
	Offset  int64 // -1: no place
	Cause   string
	Whole   bool // it concerns the archive as a whole: what that lists is not all that it held
}

// Mount places an archive in a build.
type Mount struct {
	Archive  int64
	Name     string // relative to the folder that was scanned
	Location string // absolute path
	Order    int64
	Place    int64  // among the archives of the build: of those that hold a file, the lowest counts
	LastWins bool   // of several entries of one file in it, the last counts
	Stem     string // what it is called by together with others that are mounted with it; "": Name
}

// Name is a public name of an entry, in formats that keep names apart.
type Name struct {
	Ordinal int64
	Name    string
	Type    string
	ID      [2]uint64
	IDBits  int64
}

// Facts are the findings of an inspector in a content. They are stored when the
// content is new, or was inspected by another inspector or revision before.
type Facts struct {
	Inspector string // name and revision: "calligraphy/1"
	Kind      string
	Problems  []Problem // Offset is within the content; Ordinal and Path are not used
	Symbols   []Symbol
	Refs      []Ref
	Scan      string // how to search the content for known ids; "": not at all
	Known     int64  // hash of the ids it was searched for; 0: none yet
	Scanned   []Ref  // what that search found

	Family *family.Batch // rows of tables that only its family has; nil: none
}

// byName are the inspectors that go by the name of an entry, those of few names first.
// Others know their contents by their bytes.
var byName = []string{"config", "descriptor", "text", "heads"}

// Generality returns how little the inspector of facts says, 0 the least. Entries of one
// content may have several names, as Game.ini and Game.ini.bak, that several inspectors
// read. The content has the facts of the least general one, whichever is scanned first.
func Generality(inspector string) int {
	name, _, _ := strings.Cut(inspector, "/")
	return 1 + slices.Index(byName, name)
}

// Outranks reports whether facts that an inspector found stay when another one has read
// the content. Those of another revision of the same inspector do not.
func Outranks(inspector, other string) bool {
	return inspector != "" && Generality(inspector) < Generality(other)
}

// Rows returns how many rows the facts take in the catalog, about.
func (f *Facts) Rows() int {
	n := 1 + len(f.Problems) + len(f.Symbols) + 2*len(f.Refs) + 2*len(f.Scanned)
	return n + f.Family.Weight()
}

// Symbol says that Key in Space means Path, "" the entry that holds
// the content.
type Symbol struct {
	Space string
	Key   int64  // the id; or [family.NameKey] of
	Name  string // "": the key is an id
	Path  string
}

// Ref is a reference to Key in Space.
type Ref struct {
	Kind  string
	Space string
	Key   int64  // the id; or [family.NameKey] of
	Name  string // "": the key is an id
	Flags int64  // 1 weak, 2 native, 4 editor only
}

// Scanned is the result of a search in a content.
type Scanned struct {
	Content int64
	Known   int64 // hash of the ids that were searched for
	Refs    []Ref
}

// Package is the Unreal package whose exports a content holds.
type Package struct {
	Path   string // of its entry, in the same archive
	Name   string // "/Game/A/B"; "" when it is not known
	Header int64  // 0: the content is the package; else the start of its essence, see package_digest
}

// Values are the values of the exports in a content.
type Values struct {
	Reader  string // name and revision: "unreal-values/1"
	Context int64  // 0: they follow from the content and its package alone
	Engine  int64  // 427 for 4.27; 0 for UE1 to UE3
	Traits  int64  // 1 unversioned lists, 2 the package does not state its engine

	Exports, Exact, Tailed, Lost  int64
	Fields, Opaque, Guessed       int64
	Bytes, OpaqueBytes, TailBytes int64

	Missing      int64  // lost exports of which no schema is known
	MissingClass string // the class that most of these want; "" for none

	Rows *family.Batch // of tables whose rows belong to a set of values
}

// Mapping is a file of mappings that the catalog keeps.
type Mapping struct {
	Name    string
	Data    []byte
	Classes *Values // that it describes; nil where nobody asks for them
}

// Rows of a new lineage lie 1<<RowBits apart, so that those that later editions put between
// two of them have room, and after rowBase, so that much has room before them. The view
// x_entry has the same numbers.
const (
	RowBits = 8
	rowBase = 1 << 20
)

// RowOf returns the row of an entry in the first edition of a lineage.
func RowOf(ordinal int64) int64 { return (ordinal + rowBase) << RowBits }

// Outline identifies an entry before it is read.
type Outline struct {
	Name         string
	Stored, Size int64
}

// sampleSize is how many entries of a large archive a sample has, or up to twice as many.
const sampleSize = 256

// Sample is some of all that it is given, in one pass and spread evenly. The zero value has none.
type Sample[T any] struct {
	Given int64 // how many
	Some  []T
	every int64 // which ones are taken
}

// Add gives the next one.
func (s *Sample[T]) Add(v T) {
	s.every = max(s.every, 1)
	if s.Given%s.every == 0 && len(s.Some) == 2*sampleSize {
		for i := range sampleSize {
			s.Some[i] = s.Some[2*i]
		}
		s.Some = s.Some[:sampleSize]
		s.every *= 2
	}
	if s.Given%s.every == 0 {
		s.Some = append(s.Some, v)
	}
	s.Given++
}
