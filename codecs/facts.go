package codecs

import (
	"context"
	"io"
	"iter"

	"pakdb/internal/family"
)

// Inspector turns the content of an entry into facts. Facts depend on the
// content, the entry's type and its extension only, so that equal contents are
// inspected once, whichever builds and archives hold them. All functions are
// safe for concurrent use.
type Inspector struct {
	Name     string
	Doc      string // one line
	Spec     string // FORMAT.md, embedded
	Revision int    // raised when its facts change: re-inspects

	// Match decides by the entry's name and type and the first bytes (up to
	// [HeadSize]) of its decoded content, never by the archive's name.
	Match func(e *Entry, head []byte) bool
	// Symbols reports what an entry defines by its name, type and id, whatever
	// its content; nil: nothing. The Path of the symbols is "".
	Symbols func(e *Entry) []Symbol
	// SymbolsAt reports what an entry defines by where it lies: path is the whole
	// path in the game, mount point and name. head is what Match is shown, nil
	// when the content was not read. nil: nothing. The Path of the symbols is "".
	SymbolsAt func(e *Entry, path string, head []byte) []Symbol
	// Dictionary is how contents that the inspector reads name the ids in others.
	// nil: none does.
	Dictionary *Dictionary
	// Compares reports whether the facts of an entry bear on how builds compare, if Match
	// takes it: they give names that outlive those of entries, or digest what is no noise.
	// It is asked before Match. nil: no facts do.
	Compares func(e *Entry, head []byte) bool
	// Table reports whether the content of an entry is a table of its archive, which a game
	// reads before all others: what is wrong with it is damage of the archive. Nil: none is.
	Table func(e *Entry) bool
	// Inspect reads content (size bytes). Damage that leaves something to
	// read goes into Facts.Problems; an error means that there are no facts.
	Inspect func(ctx context.Context, content io.ReaderAt, size int64, e *Entry) (*Facts, error)
}

// Dictionary is the names that some contents give to the ids in others.
type Dictionary struct {
	// File reports whether a file of that base name may hold one, whose archive
	// is then looked through before others are inspected.
	File func(name string) bool
	// Holds reports whether the content of e is a dictionary.
	Holds func(e *Entry) bool
	// Table is the table of the catalog that dictionaries fill: its columns id and
	// name_id say what an id means.
	Table string
	// Space is where references lie that a dictionary explains.
	Space Space
	// Named returns the dictionary that the rows of Table make.
	Named func(names iter.Seq2[uint64, string]) any
	// Resolve returns facts of this inspector with what a dictionary knows put
	// in: what Named returns, or the Detail of the facts of any content for which
	// Holds is true. The facts given are not changed.
	Resolve func(f *Facts, dictionary any) *Facts
}

// HeadSize is how many leading bytes of a content [Inspector.Match] is shown.
const HeadSize = 64

// Facts are the statements of one content about itself and others.
type Facts struct {
	Kind     string   // kind of content, "calligraphy-prototype", "unreal-package"; in contents.kind
	Symbols  []Symbol // what the content defines, see Defines
	Refs     []Ref    // what it refers to
	Problems []*FormatError
	// Detail holds what only one family of formats has; see internal/family. Nil when
	// there is none.
	Detail family.Facts
	// Scan asks for a search of the content for known ids, once all ids of the
	// build are known; nil: every reference is in Refs.
	Scan *Scan
	// Digest distinguishes contents that differ in more than noise; nil where none
	// was made.
	Digest *PartDigest
	// Body, unless nil, digests what lies beside the content: the .uexp that holds
	// the bytes of a package's exports. It keeps nothing of the content, and may
	// be called from several goroutines.
	Body func(ctx context.Context, body io.ReaderAt, size int64) (*PartDigest, error)
	// Base is the offset that the first byte beside the content has in Detail.
	Base int64
	// Decoded, unless nil, is what the offsets in Detail are in, where that is not the
	// content itself. It reads from the content.
	Decoded     io.ReaderAt
	DecodedSize int64
}

// Defines returns all that the content defines: Symbols, or what the Detail has as rows.
func (f *Facts) Defines() []Symbol {
	if rows, ok := f.Detail.(interface{ Symbols() []Symbol }); ok && f.Symbols == nil {
		return rows.Symbols()
	}
	return f.Symbols
}

// PartDigest shows whether and where two contents differ in more than noise: the GUIDs
// and hashes that an engine writes anew with every cook or save.
type PartDigest struct {
	// Essence is the first 16 bytes of the BLAKE3 of all that is not noise.
	Essence [16]byte
	// Parts has, for each part of the content, the first 8 bytes, little-endian, of
	// the BLAKE3 of its bytes without noise; 0 where it has none here. It is nil
	// when no part has. The parts of an Unreal package are its exports.
	Parts []uint64
}

// Scan says which ids to look for in a content whose structure is not known.
// Each find becomes a [Ref] of kind "scanned".
type Scan struct {
	Layout IDLayout
	Spaces []Space
	Flags  RefFlags
	// SkipCommon leaves out ids that content holds more often than chance; see
	// [CommonValue].
	SkipCommon bool
}

// Space is a set of identifiers that a reference can be resolved in, such as
// "prototype" or "package". Spaces of different families have different names.
type Space string

// Symbol says that Key in Space means Path. It is how references find
// their targets: a directory of records defines its records, a package itself.
type Symbol struct {
	Space Space
	ID    ID     // numeric key; or, when zero,
	Name  string // textual key, compared without regard to case
	Path  string // path of the entry meant, in the same build; "" for the entry itself
}

// Ref is one reference from a content.
type Ref struct {
	Kind  string // "parent", "curve", "import", "scanned", ...
	Space Space  // where the target's key is looked up
	ID    ID     // numeric key; or, when zero,
	Name  string // textual key
	Flags RefFlags
}

// RefFlags qualify a [Ref].
type RefFlags uint8

// The qualities of references.
const (
	Weak   RefFlags = 1 << iota // found by scanning where chance hits are possible
	Native                      // target lives in the game's program, not in its archives
	Editor                      // used by the editor only
)

// ValueReader reads the values of objects, once an inspector has read the tables that
// say where these are. It is safe for concurrent use.
type ValueReader struct {
	Name     string
	Revision int // raised when its values change: reads them again
	// Takes reports whether contents of these facts have values.
	Takes func(f *Facts) bool
	// Read returns the values in exports. The offsets in facts are in r, minus base.
	// What cannot be read is counted and no error: an error means that r failed.
	Read func(ctx context.Context, f *Facts, r io.ReaderAt, base, size int64, o *ValueOptions) (*Values, error)

	// Mappings parses the file of that name: classes of a game's program.
	Mappings func(name string, data []byte) (*Mappings, error)
	// Classes returns the classes that mappings have, those of the first first.
	Classes func(all []*Mappings) Classes
	// Candidates lists the engines that may have made a content that does not state
	// its engine, the likeliest first.
	Candidates func(f *Facts) []int
	// Better reports whether v fits better than other: values of the same contents,
	// read by the rules of another engine.
	Better func(v, other *Values) bool
}

// Classes are what lists without tags are read by. Fill them first; then they are safe
// for concurrent use.
type Classes interface {
	// Declare adds the classes, structs and enums that a content declares.
	Declare(f *Facts, r io.ReaderAt, base, size int64, o *ValueOptions) error
	// Doubted returns which classes are read by a schema that seems wrong, where objects
	// of the failed ones could not be read.
	Doubted(failed []string) func(class string) bool
}

// Mappings are the classes of a game's program, as a file has them.
type Mappings struct {
	Parsed any
	Count  int
	Rows   func() *family.Batch // as of a content
	Names  func() any           // what [Dictionary.Resolve] takes for one; nil: none

	Problems []error // odd items: all others are read
}

// ValueOptions say what contents do not.
type ValueOptions struct {
	Package string  // long name of the package, "" where it is not known
	Engine  int     // of contents that do not state it; 0 guesses
	Classes Classes // nil: those that the content declares
}

// Values are the values that a [ValueReader] read from one content.
type Values struct {
	Context     int64 // a hash of the classes and the engine that were used; 0: the content's own
	Engine      int   // 427 for 4.27; 0 where none is known
	Unversioned bool  // lists have no tags, and need schemas
	Guessed     bool  // the content does not state its engine

	Exports, Exact, Tailed, Lost  int64
	Fields, Opaque, FieldsGuessed int64
	Bytes, OpaqueBytes, TailBytes int64

	Missing      int64  // lost exports of which no schema is known
	MissingClass string // the class that most of these want

	Refs     []Ref          // packages that values name and the tables do not
	Rows     *family.Batch  // of tables whose rows belong to a set of values, problems too
	Problems []*FormatError // the same ones
}

// Add adds the counts of other values.
func (v *Values) Add(other *Values) {
	v.Exports += other.Exports
	v.Exact += other.Exact
	v.Tailed += other.Tailed
	v.Lost += other.Lost
	v.Fields += other.Fields
	v.Opaque += other.Opaque
	v.FieldsGuessed += other.FieldsGuessed
	v.Bytes += other.Bytes
	v.OpaqueBytes += other.OpaqueBytes
	v.TailBytes += other.TailBytes
}
