package record

import "pakdb/codecs/family"

// Facts is what an inspector found in a content. They are stored when the
// content is new, or was inspected by another inspector or revision before.
type Facts struct {
	Inspector string // name and revision: "calligraphy/1"
	Kind      string
	Problems  []Problem // Offset is within the content; Ordinal and Path are not used
	Symbols   []Symbol
	Refs      []Ref
	Scan      string // how to search the content for known ids; "": not at all
	Known     int64  // stands for the ids it was searched for; 0: none yet
	Scanned   []Ref  // what that search found

	Family *family.Batch // rows of tables that only its family has; nil: none
}

// Rows returns how many rows the facts take in the catalog, about.
func (f *Facts) Rows() int {
	n := 1 + len(f.Problems) + len(f.Symbols) + 2*len(f.Refs) + 2*len(f.Scanned)
	return n + f.Family.Weight()
}

// Symbol says that Key in Space stands for Path, "" for the entry that holds
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

// Scanned is what a search found in a content.
type Scanned struct {
	Content int64
	Known   int64 // stands for the ids that were searched for
	Refs    []Ref
}
