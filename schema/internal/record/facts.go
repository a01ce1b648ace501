package record

import (
	"slices"
	"strings"

	"pakdb/internal/family"
)

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
	Key   int64  // the id; or [NameKey] of
	Name  string // "": the key is an id
	Path  string
}

// Ref is a reference to Key in Space.
type Ref struct {
	Kind  string
	Space string
	Key   int64  // the id; or [NameKey] of
	Name  string // "": the key is an id
	Flags int64  // 1 weak, 2 native, 4 editor only
}

// Scanned is the result of a search in a content.
type Scanned struct {
	Content int64
	Known   int64 // hash of the ids that were searched for
	Refs    []Ref
}
