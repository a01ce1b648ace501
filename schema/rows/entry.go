package rows

import (
	"errors"
	"fmt"
)

// ErrUnusual is the class of errors of catalogs that have to be read by their views.
var ErrUnusual = errors.New("the tables are not as a scan writes them")

func unusual(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnusual, fmt.Sprintf(format, args...))
}

// Archive is an archive as a build has it. Texts are valid UTF-8.
type Archive struct {
	Name       []byte
	Mount      []byte // its name, or the common one of several files
	MountPoint []byte
	MountOrder int64

	id, ordinal, lineage, edition, base int64
	bits                                uint
	root                                []byte // where its paths are in the game
}

// Path is a path. All of it is valid UTF-8.
type Path struct {
	Prefix []byte // "" or a folder with its slash
	Name   []byte
	Ext    []byte
}

// Content is a decoded content.
type Content struct {
	ID   int64
	Hash []byte
	Size int64
	Kind []byte // valid UTF-8; nil: nothing is known of it
}

// Entry is an entry of an archive of a build. What is nil is NULL. It belongs to the reader
// until the next one.
type Entry struct {
	Archive                     *Archive
	Ordinal                     int64
	Offset, Stored, Size, Flags int64
	Path                        *Path
	Content                     *Content
	Method, Type                []byte // valid UTF-8
	Mtime                       *int64
	PathHash                    *int64
	IDBits, IDHigh, ID          *int64 // of an asset: how many bits, those above 64, the others
	FileKey, Padded             []byte

	// What the build makes of it.
	Seen     bool   // the game sees it: it is a row of the view files
	GamePath *Path  // that another archive gives it, else Path
	Root     []byte // what comes before GamePath in the game
	Shadowed int64  // how many entries it hides

	row                 int64
	path, gamePath      Path
	content             Content
	mtime, hash         int64
	idBits, idHi, idLow int64
}
