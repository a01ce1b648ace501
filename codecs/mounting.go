package codecs

import (
	"slices"

	"pakdb/codecs/mount"
)

// Mounting says how a game mounts the archives of a format, and how others are
// mounted over them. The zero value is that of a format whose archives a loader
// opens by name: nothing is mounted over them, of several entries of one file the
// first counts, and the archive that stands first in the build wins.
type Mounting struct {
	// Order tells from a file's path which of several archives wins, the higher
	// one. Of equal orders names decide, see [mount.Compare]. Nil: the game has no
	// such order.
	Order func(path string) int
	// FirstByName: of archives of one order the first by name wins, not the last.
	FirstByName bool
	// LastEntry: of several entries of one file in an archive, the last is the one
	// that the game sees; else it is the first.
	LastEntry bool
	// By is the Name of the format of which an archive of the same stem must lie
	// beside one of this, or the game does not mount it. "": it mounts by itself.
	By string
	// Paired: archives of one stem are mounted together, and called by it.
	Paired bool
	// OwnTypes are the types of entries that describe the archive and are no files
	// of the game: those of two archives are never the same.
	OwnTypes []string
	// Loose: the archive is no archive but a file of the game itself, which is
	// called by where it lies.
	Loose bool

	// PatchName returns the name of the n-th patch, from 0, of the archive of
	// that name, which may be a patch itself: without a folder, such that the
	// Order of it grows with n and is above that of any archive that is no patch.
	// Nil: the format has no patches.
	PatchName func(name string, n int) string
	// Overlay is Format.Like for an archive of that name which is to be mounted
	// over base. Nil: there is no difference.
	Overlay func(base Archive, name string) (*CreateOptions, error)
	// CanDelete reports whether archives of a version, as Info has it, can hold
	// delete records. Nil: none can.
	CanDelete func(version string) bool
	// Chunk returns the number of the chunk of the game that an archive belongs
	// to, by its name. Nil: the format knows no chunks.
	Chunk func(name string) (n int, ok bool)
}

// Mounts returns how archives of the format are mounted. f may be nil: nothing is
// known of the file then.
func (f *Format) Mounts() Mounting {
	if f == nil || f.Mounting == nil {
		return Mounting{}
	}
	return *f.Mounting
}

// Archive returns what decides about an archive of that name in the build, which
// lies at path.
func (m Mounting) Archive(name, path string) mount.Archive {
	a := mount.Archive{Name: name, Ordered: m.Order != nil, FirstByName: m.FirstByName}
	if m.Order != nil {
		a.Order = int64(m.Order(path))
	}
	return a
}

// Describes reports whether an entry is of OwnTypes.
func (m Mounting) Describes(e *Entry) bool {
	return e.Type != "" && slices.Contains(m.OwnTypes, e.Type)
}

// FileOf returns what tells the file of the game that an entry is: entries of one
// text are the same file. archive is the name of the archive in the build, and
// point its mount point. Chunks of IoStore containers are found by their ids,
// whatever paths a container gives them. It is "" for entries that are no file:
// those without a name, and those of OwnTypes.
func (m Mounting) FileOf(archive, point string, e *Entry) string {
	switch {
	case m.Describes(e):
		return ""
	case e.ID.Bits == ChunkBits:
		return "chunk " + e.ID.String()
	case e.Name == "":
		return ""
	case m.Loose:
		return mount.FileKey("", archive)
	}
	return mount.FileKey(point, e.Name)
}
