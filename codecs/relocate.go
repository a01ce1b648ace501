package codecs

// Relocator is an Archive whose index stands at the end of its file and names
// every entry by its place, so that the file can grow: entries and a new index
// are written behind the old one, and what is old stays where it is.
//
// Entries are named by their ordinals. A Relocator is safe for concurrent use.
type Relocator interface {
	Archive

	// Record returns where an entry is stored, with what stands before its
	// payload and belongs to it. n is 0 for what is nowhere, as a delete record.
	Record(ordinal int) (off, n int64, err error)

	// Head returns what has to stand before an entry's payload if the record is
	// put at another place.
	Head(ordinal int, at int64) ([]byte, error)

	// Relocate returns the index that names the entries at other places, by
	// ordinal, for a file in which it starts at the offset at; and the footer,
	// with which the file ends. They are those of the format's own writer.
	// errors.ErrUnsupported says that it cannot write this archive's index.
	Relocate(at int64, places []int64) (index, footer []byte, err error)

	// Footer returns the size of the footer that the file has now.
	Footer() int64
}

// AppendedMark stands directly before the footer of a file that pakdb appended
// to. It ends a record by which an exact file can be made; readers need it only
// to know that bytes which belong to nothing are there on purpose.
const AppendedMark = "pkexact\x01"
