package table

import (
	"errors"
	"fmt"
	"io"
)

// ErrTable means that bytes are not the tables that they were said to be, or
// that nothing can be predicted from them.
var ErrTable = errors.New("no tables that can be predicted")

func fail(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrTable, fmt.Sprintf(format, args...))
}

// Kind is a family of archives. Its numbers are those of patch files.
type Kind int

// Kinds of tables.
const (
	Unreal  Kind = iota // .pak of Unreal Engine, versions 1 to 12: all behind the entries
	GPAK                // .sip of Marvel Heroes that is no database: all before the entries
	Retro               // .pak of Retro Studios: all before the entries
	IoStore             // .utoc of Unreal Engine: a file of its own, behind the .ucas with the entries
	Kinds               // how many there are
)

// Front reports that tables stand before the entries. They are predicted from
// each other alone: where an entry lies follows from the sizes of those before it.
func (k Kind) Front() bool { return k == GPAK || k == Retro }

// MaxSize is how many bytes tables may have, old ones and new ones each.
const MaxSize = 32 << 20

// Pad is how many zeros a packer puts before n bytes at a place, so that they
// cross no multiple of 2,048 that they could start at.
func (k Kind) Pad(at, n int64) int64 {
	const align = 2048
	if k != IoStore || n == 0 || at/align == (at+n-1)/align {
		return 0
	}
	return -at & (align - 1)
}

// Row is what tables say of one entry.
type Row struct {
	Key  string // its path, or its id: by which it is the same in another build
	Off  int64  // where it begins in the file that holds it; -1: nowhere
	Size int64  // bytes from there on
	Head int    // of these, how many at the front say where they are: see Move
}

// Item is an entry of a new archive.
type Item struct {
	Old int    // row of the old tables, or -1
	New string // where there is no row: what Tables.New returns for it
	Off int64  // where it begins in the file that holds it; -1: nowhere; not used where tables stand in front
}

// Tables are those of one old archive. They are safe for concurrent use.
type Tables interface {
	// Rows are in the order of the tables.
	Rows() []Row
	// New is all of a row that does not follow from other things: what has to be
	// known of an entry that is not in the old tables, or not so.
	New(row int) string
	// Move changes the head of an entry that is put so many bytes further.
	Move(head []byte, by int64)
	// Predict returns what the tables will probably be. They begin at a place
	// of the new file; everything before is there and can be read.
	Predict(items []Item, form Form, file io.ReaderAt, at int64) ([]byte, error)
}

// Form is a choice between the ways of packers. Its numbers are those of patch
// files.
type Form int

// Forms.
const (
	Fresh Form = iota // what has an order of its own, such as folders, gets it anew from the items
	Kept              // it keeps that of the old tables
	Forms             // how many there are
)

// Len returns how many of the bytes, which begin a file, are tables that stand
// before the entries.
func Len(k Kind, content []byte) (n int, err error) {
	switch k {
	case GPAK:
		n = gpakLen(content)
	case Retro:
		n = retroLen(content)
	}
	if n == 0 {
		return 0, fail("kind %d", k)
	}
	return n, nil
}

// Parse reads tables, which stand at a place of an old file.
func Parse(k Kind, content []byte, at int64) (Tables, error) {
	if len(content) > MaxSize {
		return nil, fail("%d bytes", len(content))
	}
	switch k {
	case Unreal:
		return parsePak(content, at)
	case GPAK:
		return parseGPAK(content)
	case Retro:
		return parseRetro(content)
	case IoStore:
		return parseIoStore(content)
	}
	return nil, fail("kind %d", k)
}
