package codecs

import (
	"context"
	"io"
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
	// Dictionary reports whether the content of e tells what ids in other
	// contents stand for. nil: no content does.
	Dictionary func(e *Entry) bool
	// Resolve returns facts of this inspector with what a dictionary knows put
	// in: the Detail of its facts, of any content for which Dictionary holds. The
	// facts given are not changed. nil: there is nothing to resolve.
	Resolve func(f *Facts, dictionary any) *Facts
	// Inspect reads content (size bytes). Damage that leaves something to
	// tell goes into Facts.Problems; an error means that there are no facts.
	Inspect func(ctx context.Context, content io.ReaderAt, size int64, e *Entry) (*Facts, error)
}

// HeadSize is how many leading bytes of a content [Inspector.Match] is shown.
const HeadSize = 64

// Facts is what one content says about itself and others.
type Facts struct {
	Kind     string   // kind of content, "calligraphy-prototype", "unreal-package"; in contents.kind
	Symbols  []Symbol // what the content defines
	Refs     []Ref    // what it refers to
	Problems []*FormatError
	// Detail holds what only one family of formats has; the indexer knows the
	// types (*CalligraphyFacts, *PackageFacts, ...). Nil when there is none.
	Detail any
	// Scan asks for a search of the content for known ids, once all ids of the
	// build are known; nil: every reference is in Refs.
	Scan *Scan
	// Digest tells, of an Unreal package, contents apart that differ in more than
	// noise; nil for other contents, and where it could not be made.
	Digest *PackageDigest
	// Body, unless nil, digests what lies beside the content: the .uexp that holds
	// the bytes of a package's exports. It keeps nothing of the content, and may
	// be called from several goroutines.
	Body func(ctx context.Context, body io.ReaderAt, size int64) (*PackageDigest, error)
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
