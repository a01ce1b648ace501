package write

import (
	"slices"

	"pakdb/schema/internal/record"
)

// Batch is what travels to the catalog at once.
type Batch struct {
	Archives []Archive
	Rows     []Row
	Problems []Problem
	Names    []Name
	Replaced []*Row // whose contents are in the catalog, and get other facts
	Sets     []*Row // values alone: of contents that are in the catalog, and of mappings
	Build    int64  // id; what Sets are valid in
	Weight   int
	First    bool            // of a large build that fills an empty catalog; by the interner
	Keyed    bool            // the key tables are to be complete afterwards
	Written  chan<- struct{} // closed when the batch is in the catalog; nil: nobody waits

	Editions
	IDs
	Err error // of finding them
}

// Archive is the state of an archive that a batch concerns.
type Archive struct {
	record.Archive
	ID       int64
	Lineage  Lineage
	Digest   *record.Digest // of the whole file, when it is known
	Entries  int64          // that were added so far, as are the next three
	Bytes    int64
	Stored   int64
	Problems int64
	Totals   *Totals // of the entries so far
	Ended    bool
}

// Lineage is what an archive continues.
type Lineage struct {
	ID      int64 // archive_id of the first edition
	Edition int64
	old     *oldRows // nil: not read yet
}

// Name is a public name in an archive.
type Name struct {
	Archive int64
	record.Name
}

// Problem is a finding about an archive, the Seq-th.
type Problem struct {
	Archive, Seq int64
	record.Problem
}

// Editions is how the archives of a batch differ from the editions before them.
type Editions struct {
	Ended   []Ended
	Located []Located
	Moved   []Moved
}

// Ended is a row of entry_row that an edition does not have, or a folder whose sums are others.
type Ended struct{ Lineage, Row, Edition int64 }

// Moved is an entry that was not read, because an earlier row has the same, and that
// lies elsewhere now: what goes with the old row goes with the new one.
type Moved struct{ Lineage, From, To int64 }

// Located is a row of archive_place: where the entries of an archive lie, from Row on.
type Located struct {
	Archive, Row, Ordinal int64
	Step                  int64  // how far the rows of two entries lie apart
	Offsets               []byte // see [record.Offsets]
}

// IDs is what is new in a batch, and what is to be stored of it.
type IDs struct {
	NewDirs     []string // prefixes
	NewPaths    []Path
	NewContents []*Row // the first row of each
	Read        []*Row // whose contents were known by the start of the hash alone
	NewTexts    []string

	FirstDir, FirstPath, FirstContent, FirstText int64 // the new ones have them and those that follow

	Due    []*Row  // whose facts are to be stored
	Again  []*Row  // those of Due whose contents have facts, or had none before
	Stored []*Row  // whose facts are in the catalog
	Refs   []Key   // of Again
	Keys   *keySet // nil: later

	Folders      []Folder // of the archives that are ended, as far as they are not those of the edition before
	EndedFolders []Ended  // of that edition
}

// Path is a row of table path.
type Path struct {
	Dir       int64
	Name, Ext string
}

// batchWeight is how heavy a batch is that travels to the catalog: an entry weighs 1, and so
// does a row of its facts. This one holds about 5 MB; three are on their way at a time.
const batchWeight = 8 << 10

// Full reports whether the batch is heavy enough to travel.
func (b *Batch) Full() bool { return b.Weight >= batchWeight }

// Add adds an entry of an archive.
func (b *Batch) Add(archive int64, e *record.Entry) {
	n := len(b.Rows)
	b.Rows = slices.Grow(b.Rows, 1)[:n+1] // what lies beyond the rows is empty, see recycle
	row := &b.Rows[n]
	row.Entry, row.Archive = *e, archive
	if row.NameHash = e.Same.Name; e.Same.Row == 0 {
		row.NameHash = record.HashOf(e.Name)
	}
	switch {
	case e.Same.Row != 0:
		row.Print = e.Same.Print
	case e.Copied != nil:
		row.Print = e.Copied.Print
	default:
		row.Print = printOf(&row.Entry, row.NameHash)
	}
	b.Weight++
	if e.Facts != nil {
		b.Weight += e.Facts.Rows()
	}
	if e.Values != nil {
		b.Weight += e.Values.Rows.Weight()
	}
}

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
	FactIDs   *FactIDs  // of facts that are Due
	Exports   ExportIDs // when ExportsOf is set
}

// ExportIDs are the ids of what a row says about the package whose exports it holds.
type ExportIDs struct {
	Path    int64
	Place   Place    // of the package's name
	Values  *FactIDs // of Values.Rows
	Missing int64    // of Values.MissingClass
	Mapping int64    // of mappings that the values are of; 0: none
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
