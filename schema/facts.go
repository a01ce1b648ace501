package schema

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

	Calligraphy *Calligraphy // nil for other contents
	Package     *Package     // nil for other contents
	Scripts     []ScriptObject
	Container   *Container // nil for other contents
}

// rows tells how many rows the facts take.
func (f *Facts) rows() int {
	n := 1 + len(f.Problems) + len(f.Symbols) + 2*len(f.Refs) + 2*len(f.Scanned)
	if c := f.Calligraphy; c != nil {
		n += len(c.Records) + len(c.Replacements) + len(c.Assets) + len(c.Members) + len(c.Values)
	}
	n += 2*len(f.Scripts) + len(f.container().Packages) + len(f.container().Imports)
	if p := f.Package; p != nil {
		n += len(p.Texts) + len(p.Names) + len(p.Imports) + len(p.Exports) + len(p.Generations)
	}
	return n
}

// Symbol says that Key in Space stands for Path, "" for the entry that holds
// the content.
type Symbol struct {
	Space string
	Key   int64  // the id; or [NameKey] of
	Name  string // "": the key is an id
	Path  string
	path  knownPath

	nameID int64
}

// Ref is a reference to Key in Space.
type Ref struct {
	Kind  string
	Space string
	Key   int64  // the id; or [NameKey] of
	Name  string // "": the key is an id
	Flags int64  // 1 weak, 2 native, 4 editor only

	nameID int64
}

// Calligraphy is what only files of Marvel Heroes' game database have.
type Calligraphy struct {
	Records      []Record
	Replacements []Replacement
	Assets       []Asset
	Curve        *Curve
	Blueprint    *Blueprint
	Members      []Member
	Values       []Value
	Resource     *Resource
}

// Record is one line of a directory.
type Record struct {
	Space               string
	ID, GUID, Blueprint int64
	Path                string
	Flags               int64
	path                knownPath
}

// Replacement says which GUID took the place of another.
type Replacement struct {
	Old, New, Last int64
	Name           string
}

// Asset is one value of an asset type.
type Asset struct {
	ID, GUID, Flags int64
	Name            string
}

// Curve is a table of numbers. Points is a JSON array.
type Curve struct {
	Start  int64
	Points string
}

// Blueprint declares the fields of prototypes.
type Blueprint struct {
	RuntimeClass string
	Default      int64
}

// Member is a field that a blueprint declares.
type Member struct {
	Field   int64
	Name    string
	Type    string
	List    bool
	Subtype int64
}

// Value is one value of a prototype's field.
type Value struct {
	Owner     int64 // row whose embedded body this is in; -1: none
	Blueprint int64
	Copy      int64
	Field     int64
	Type      string
	Position  int64 // in a list; -1: not a list
	Value     any   // int64, float64, or nil for an empty list
}

// Resource is the head of a resource file.
type Resource struct {
	Signature, Version, ClassID int64
	Class                       string
}
