package side

import (
	"cmp"
	"database/sql"
)

// Options say what is read, and how entries of several archives are taken together.
type Options struct {
	PerArchive bool // archives are compared one by one, not what the game sees
	Times      bool // modification times are compared
}

// Sides are the two builds of a comparison. What is the same on both sides by what
// the catalog knows of whole archives is in neither.
type Sides struct {
	Old, New *Side
	Source   Source // of names, contents and records of both
	// Texts are the meanings of keys below 0, to show it: the hex digits of an asset
	// id or a path hash. Keys of paths have none.
	Texts map[int64]string
	// Apart is nil where the directories of a build say nothing that those of the other do not.
	Apart *Apart
}

// Side is one side of a comparison: a build, as far as it may differ from the other.
type Side struct {
	ID       int64 // build_id
	Label    string
	Archives []Archive // in the order of the build

	at map[int64]int32 // places of archives in Archives, by ordinal
	db *sql.DB         // nil: the rows are of files

	Rows   []Row
	shared []Row   // of files: those that both builds have alike
	Times  []int64 // Unix nanoseconds, by Row.Seq; nil unless they are compared
	Places []int64 // of rows in their lineages, by Row.Seq; nil unless archives are akin

	reads     []read
	keepsRows bool
	alone     map[lineageRow]bool // rows that do not hold for the other edition
	total     int                 // rows that were read, of which mounting leaves some
	partly    bool                // not all of them by reads

	ids  *Identities // of rows of files
	held []bool      // of rows of files, by content: those of archives that both builds mount; nil: a catalog knows them

	hidden map[entryAt]bool  // what the game does not see
	hides  map[entryAt]int32 // how many of these each entry hides
	names  map[entryAt]below // of chunks that another archive gives a path
	under  map[int32]string  // mount points of rows that are not below their archive's, by seq
}

// lineageRow is a row of the catalog's entries.
type lineageRow struct{ lineage, row int64 }

// Archive is one that a build mounts.
type Archive struct {
	ID, Ordinal, Entries int64
	Name, Format         string
	Group                int32 // the same for an archive and its counterpart in the other build
	Shared               bool  // both builds mount it
	Loaded               bool  // its rows are in Side.Rows

	Lineage, Edition int64
	Akin             bool // its counterpart is another edition of the lineage
	TwinEdition      int64

	mount    string
	place    int64 // the lowest wins
	lastWins bool  // of several entries of one path the last counts
	twin     int64 // its ordinal in the other build, when it is shared or akin
}

// Row is an entry, as far as it is compared. A million of them take 80 MB.
type Row struct {
	Key     int64 // path_id; negative for a path that only a mount point makes, or an entry without a name
	Path    int64 // path_id, 0 for none
	Content int64 // content_id; 0: not decoded
	Stored  int64
	Size    int64
	storage int64 // flags, method, type: see rowColumns
	Group   int32 // of the archive when archives are compared one by one, else 0
	Archive int32 // in Side.Archives
	Seq     int32 // order of reading, within an archive that of its entries
	Copies  int32 // entries of the same file, with this one; 0: another one hides it
}

const (
	flagDeleted = 2
	flagOwn     = 32 // it describes its archive and is no file of the game
)

// Deleted reports whether the entry is a delete record.
func (r *Row) Deleted() bool { return r.storage&flagDeleted != 0 }

// Flags returns the flags of the entry, as the catalog's column has them.
func (r *Row) Flags() int64 { return r.storage & 0xff }

// Method returns the word_id of the compression method.
func (r *Row) Method() int64 { return r.storage >> 8 & 0xffffff }

// Kind returns the word_id of the type that the archive states, 0 for none.
func (r *Row) Kind() int64 { return r.storage >> 32 }

// CompareKeys orders rows by group, then by key: rows of both sides for which it
// returns 0 are of the same path.
func CompareKeys(a, b *Row) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key))
}

// byGroup returns the archives of a side by their groups, of which each is of one.
func byGroup(b *Side) map[int32]*Archive {
	of := make(map[int32]*Archive, len(b.Archives))
	for i := range b.Archives {
		of[b.Archives[i].Group] = &b.Archives[i]
	}
	return of
}

// byLineage returns the archives of a side by their lineages.
func byLineage(b *Side) map[int64][]*Archive {
	of := make(map[int64][]*Archive, len(b.Archives))
	for i := range b.Archives {
		a := &b.Archives[i]
		of[a.Lineage] = append(of[a.Lineage], a)
	}
	return of
}
