package match

// Pair is an entry on both sides, or on one.
type Pair struct {
	Old, New   int32 // indexes of the rows of each side, -1 for none
	What       What
	By         Way   // how a rename was recognised
	Similarity uint8 // percent of the content that stayed, 0 where nothing is known
	Notes      Note
}

// What happened to an entry: several of these together.
type What uint16

// What can happen to an entry.
const (
	Added    What = 1 << iota // the path is new
	Removed                   // the path is gone
	Renamed                   // the entry has another path
	Modified                  // the content differs
	Cosmetic                  // the content differs in cook noise alone
	Moved                     // another archive holds it
	Restored                  // the same content is stored differently
	Copies                    // there are more or fewer copies of it
	Metadata                  // see Note
)

// Together returns what happened to an asset, by what happened to each of its files, the
// first of which it is named by. An asset that lost or got one of them was modified, and so
// was one of which another file has its name in another case now; only one whose files are
// all cosmetic is so itself.
func Together(files []What) What {
	what, every := files[0], files[0]
	for _, w := range files {
		what |= w
		every &= w
	}
	if partly := what &^ every & (Added | Removed); partly != 0 {
		what = what&^partly | Modified
	}
	if what&^files[0]&Renamed != 0 {
		what = what&^Renamed | Modified
	}
	if what&Modified != 0 {
		what &^= Cosmetic
	}
	return what
}

// First returns the one that is shown for several.
func (w What) First() What { return w & -w }

// Note is what differs in the metadata: several of these together.
type Note uint8

// What can differ in the metadata.
const (
	Flags Note = 1 << iota
	Type
	Order
	Time
	Names
	Record // the path is that of another record
)

// Way is how a rename was recognised. The surest have the lowest numbers.
type Way uint8

// The ways.
const (
	NoWay Way = iota
	moveWay
	guidWay
	replacementWay
	idWay
	hashWay
	caseWay
	contentWay
	similarWay
	fileWay
	assetWay
)

// String returns the name of a way, "" where a pair is no rename.
func (w Way) String() string {
	return [...]string{"", "", "guid", "replacement", "id", "hash", "case", "content", "similar", "file", "asset"}[w]
}
