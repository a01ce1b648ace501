package codecs

import (
	"context"
	"io"
	"iter"

	"pakdb/codecs/family"
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
	// Symbols tells what an entry defines by its name, type and id, whatever
	// its content; nil: nothing. The Path of the symbols is "".
	Symbols func(e *Entry) []Symbol
	// SymbolsAt tells what an entry defines by where it lies: path is the whole
	// path in the game, mount point and name. head is what Match is shown, nil
	// when the content was not read. nil: nothing. The Path of the symbols is "".
	SymbolsAt func(e *Entry, path string, head []byte) []Symbol
	// Dictionary is how contents that the inspector reads tell what ids in others
	// stand for. nil: none does.
	Dictionary *Dictionary
	// Compares reports, of an entry that Match takes, whether its facts bear on how
	// builds compare: they tell what outlives the names of entries, or digest what is
	// no noise. nil: no facts do.
	Compares func(e *Entry, head []byte) bool
	// Table reports whether the content of an entry is a table of its archive, which a game
	// reads before all others: what is wrong with it is damage of the archive. Nil: none is.
	Table func(e *Entry) bool
	// Inspect reads content (size bytes). Damage that leaves something to
	// tell goes into Facts.Problems; an error means that there are no facts.
	Inspect func(ctx context.Context, content io.ReaderAt, size int64, e *Entry) (*Facts, error)
}

// Dictionary is what some contents tell about ids that others refer to by.
type Dictionary struct {
	// File reports whether a file of that base name may hold one, whose archive
	// is then looked through before others are inspected.
	File func(name string) bool
	// Holds reports whether the content of e is a dictionary.
	Holds func(e *Entry) bool
	// Table is the table of the catalog that dictionaries fill: its columns id and
	// name_id say what an id stands for.
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

// Facts is what one content says about itself and others.
type Facts struct {
	Kind     string   // kind of content, "calligraphy-prototype", "unreal-package"; in contents.kind
	Symbols  []Symbol // what the content defines
	Refs     []Ref    // what it refers to
	Problems []*FormatError
	// Detail holds what only one family of formats has; see codecs/family. Nil when
	// there is none.
	Detail family.Facts
	// Scan asks for a search of the content for known ids, once all ids of the
	// build are known; nil: every reference is in Refs.
	Scan *Scan
	// Digest tells contents apart that differ in more than noise; nil where none
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

// PartDigest is what tells, of two contents that differ in their bytes, whether
// and where they differ in more than noise: the GUIDs and hashes that an engine
// writes anew with every cook or save.
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

// Symbol says that Key in Space stands for Path. It is how references find
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
