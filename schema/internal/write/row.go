package write

import "pakdb/schema/internal/record"

// Row is an entry on its way to the catalog. What is below Entry is filled in on the
// way, in this order.
type Row struct {
	record.Entry

	// By the build.
	Archive  int64
	NameHash record.Half // identifies the path
	Print    int64       // see printOf

	// By the comparison with the edition before.
	Lineage int64
	Number  int64 // column row of entry_row
	Since   int64
	Kept    bool // the edition before has the row

	// By the interner.
	PathID    int64 // 0: none
	ContentID int64 // 0: none is known
	First     bool  // the content is new, and this its first entry
	Places    []Place
	FactIDs   FactIDs
	Exports   ExportIDs // when ExportsOf is set
}

// ExportIDs are the ids of what a row says about the package whose exports it holds.
type ExportIDs struct {
	Path    int64
	Place   Place   // of the package's name
	Values  FactIDs // of Values.Rows
	Missing int64   // of Values.MissingClass
	Mapping int64   // of mappings that the values are of; 0: none
}

// FactIDs are the ids of what the facts of a row name, by position; 0: it names nothing.
type FactIDs struct {
	SymbolPaths, SymbolNames []int64 // of Facts.Symbols
	RefNames                 []int64 // of Facts.Refs
	Words, Texts, Paths      []int64 // of Facts.Family; Words by the writer
}

// Place is what an entry is called by where it lies, for each of its PlaceSymbols.
type Place struct {
	NameID int64 // 0: From says it
	From   NameFrom
}

// NameFrom says that a name is a text and the rest of a path without its extension,
// from a character on. Of a million packages that is a text for each folder at most,
// in place of a million names.
type NameFrom struct {
	Root  string
	Start int64 // 1: the first character, as substr of SQL counts
	Found bool
}
