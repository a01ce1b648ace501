package calligraphy

import "pakdb/codecs"

// Facts is the [codecs.Facts.Detail] of a file of Marvel Heroes' game
// database. Which of its parts are filled depends on the kind of file; the rest
// are nil. The part of a damaged file may be nil too, or end early. Ids and GUIDs
// of 0 mean "none". Everything is in stored order.
type Facts struct {
	Version uint8 // fourth byte of the file: 10 or 11; 0 for resource files

	// Space names what a directory's Records are: "curve", "asset_type",
	// "blueprint" or "prototype"; "" for other files.
	Space        codecs.Space
	Records      []Record
	Replacements []Replacement // of Replacement.directory

	Assets    []Asset // in the order of a .type file
	Curve     *Curve
	Blueprint *Blueprint
	Prototype *Prototype // of a .prototype or .defaults
	Resource  *Resource  // of a .cell, .district, ...
}

// Record is one line of a directory: a file of the game database and
// what identifies it.
type Record struct {
	ID        uint64 // hash of the path, by which other files refer to it; changes when it is renamed
	GUID      uint64 // survives a rename: the record's identity across builds
	Blueprint uint64 // of prototypes only
	Path      string // of the entry in the archive, "Calligraphy/Powers/Blueprints/Power.blueprint"
	Flags     uint8  // as stored; of prototypes 1 abstract, 2 protected; of others 1 protected
}

// Replacement says which GUID took the place of another. New may
// itself have been replaced.
type Replacement struct {
	Old, New uint64 // New is 0 when the record was deleted
	Name     string // dotted path without extension; names repeat
}

// Asset is one name that a .type file lists, for fields of prototypes to choose.
type Asset struct {
	ID, GUID uint64
	Name     string
	Flags    uint8
}

// Curve is a table of numbers over consecutive integers.
type Curve struct {
	Start  int32     // position of Values[0]; may be negative
	Values []float64 // may hold NaN and infinities
}

// Blueprint declares the fields that prototypes can set.
type Blueprint struct {
	RuntimeClass string // class in the game's program that its prototypes become
	Default      uint64 // id of the prototype with its default values
	Parents      []Link
	Contributing []Link
	Members      []Member
}

// Link is a blueprint that another one builds on.
type Link struct {
	Blueprint uint64
	Copies    uint8
}

// Member declares one field.
type Member struct {
	ID        uint64 // by which values name the field
	Subtype   uint64 // asset type of an A; blueprint of a P or R; stored, as 0, for a C
	Name      string
	Type      byte // 'A' asset, 'B' bool, 'C' curve, 'D' double, 'L' long, 'P' prototype, 'R' embedded, 'S' locale string, 'T' asset type
	Structure byte // 'S' simple, 'L' list
}

// Prototype is a set of field values: a tree of bodies, flattened.
// Bodies[0] is the outermost; an embedded one follows the value that holds it.
//
//	body   -> groups whose Body is its index
//	group  -> fields whose Group is its index
//	field  -> Values[First : First+Count]
//	value  of type R -> index of a body, whose Owner is the value's index
//
// An index in Values is therefore a stable name for a value in its file.
type Prototype struct {
	Bodies []Body
	Groups []Group
	Fields []Field
	// Values are 64 bits each, meaning by the field's type: ids of A, C, P, S
	// and T; 0 or 1 of B; the bits of a float64 (math.Float64frombits) of D;
	// an int64 of L; an index in Bodies of R.
	Values []uint64
}

// Body is a prototype's body, outermost or embedded in a value.
type Body struct {
	Parent uint64 // id of the prototype whose values it inherits; 0 in .defaults
	Owner  int32  // index in Values of the value that embeds it; -1 for the outermost
	Flags  uint8  // 1 has a parent, 2 has data, 4 polymorphic
}

// Group holds the values of the fields that one blueprint declares.
type Group struct {
	Blueprint uint64
	Body      int32 // index in Bodies
	Copy      uint8 // which copy of the blueprint, where it is mixed in several times
}

// Field is one field that a prototype sets. A list may be empty.
type Field struct {
	ID        uint64 // of the member; its name is in the group's blueprint or a parent of it
	Group     int32  // index in Groups
	First     int32  // index in Values
	Count     uint16 // 1 for a simple field
	Type      byte   // as in Member
	Structure byte   // 'S' simple, 'L' list
}

// Resource is the head of a resource file: level geometry, markers,
// user interface. Its body is not described; references in it are found by
// scanning for known ids and GUIDs.
type Resource struct {
	Signature, Version, ClassID uint32
	Class                       string // name whose hash is ClassID, "" when none is known
}
