package codecs

import (
	"context"
	"io"
	"io/fs"
	"time"

	"pakdb/codecs/compress"
)

// Match says how sure a Format is that a file is its own.
type Match uint8

// The degrees of certainty. Two matches of the highest one for a file are an error, so
// that the answer never depends on the order of the registry.
const (
	NoMatch    Match = iota
	WeakMatch        // plausible; loses against any other
	MagicMatch       // the file's own bytes say so
	WholeMatch       // so do its last ones, which also have its size: it may begin with a file of another format
)

// Format is one container format, as data. All functions are safe for
// concurrent use.
type Format struct {
	Name     string   // one lower-case word, stable: it is in catalogs
	Doc      string   // one line
	Spec     string   // FORMAT.md, embedded
	Exts     []string // usual extensions with the dot: for people, file patterns and Explain; the fallback has none
	Versions []string // what Create accepts in CreateOptions.Version, default first
	Methods  []compress.Method
	// Reads names the versions that Open reads, and Decodes the methods, where
	// these are more than Create writes. They are for people.
	Reads    string
	Decodes  []compress.Method
	Revision int // raised whenever the reader's output changes: re-indexes its archives

	// EntrySpaces are the spaces that the entries' own ids are in, where no
	// content defines any: all of their ids are known once tables are read, so
	// that contents can be searched for them while they are decoded.
	EntrySpaces []Space
	// NamedByFile says that the name of the file is in what Entries yields, so
	// that a renamed file has other entries.
	NamedByFile bool
	// Parts names the files in the folder of src that hold contents of the
	// archive in it, whether they exist or not. Nil: an archive is one file.
	Parts func(src Source) ([]string, error)
	// IsPart reports whether the file of that name in dir is one of an archive
	// beside it, and so none of its own: whoever walks a folder passes over it.
	IsPart func(name string, dir fs.FS) bool
	// Mounting says how a game mounts archives of the format. Nil: it does not;
	// [Format.Mounts] returns it either way.
	Mounting *Mounting
	// Probe decides from bytes, never from the name. An error means that the
	// file could not be read.
	Probe func(Source) (Match, error)
	// Open reads the tables. It fails only when no entry can be listed;
	// smaller damage is in Info.Warnings and in Entries.
	Open func(context.Context, Source, *Options) (Archive, error)
	// Explain tells why a file that its name claims for this format is not
	// read as one; nil: there is nothing to tell. It is asked only about files
	// that no format recognises. ErrUnknown says that the file is of another kind;
	// any other class is damage, see [Damage]. Each of Exts is explained by one
	// format or another: a file that lost its header or footer must not pass for
	// one that never was an archive.
	Explain func(Source) *FormatError
	// Options returns the options that archives of a version have, which is one
	// of Versions. Nil: none. Create refuses all others, see CheckOptions.
	Options func(version string) []Option
	// Create starts a new archive; nil means that the format is read-only.
	Create func(io.WriteSeeker, *CreateOptions) (Writer, error)
	// Like returns the options that make Create write an archive of the same
	// kind as one that Open returned: version, mount point, methods, and
	// whatever else the format leaves to its writers. Nil when the format has
	// nothing to take over.
	Like func(Archive) (*CreateOptions, error)
}

// Options for opening. The zero value works; nil is the zero value.
type Options struct {
	Limits Limits
	Keys   KeyFunc // nil: no keys

	// KeysTrusted says that Keys are right, as for what was just encrypted with
	// them, so that a format need not judge them by what they decrypt.
	KeysTrusted bool
}

// KeyFunc returns the key for a key id (all zero: the main key), or nil.
type KeyFunc func(id [16]byte) []byte

// Limits bound what one file may cost. The zero value means the defaults.
type Limits struct {
	Table int64 // bytes of tables held in memory; default 1 GiB
	Entry int64 // decoded bytes of one entry; default 8 GiB
	Name  int   // bytes of a path; default 64 KiB
}

// WithDefaults returns l with zero fields replaced by their defaults. o may be
// nil.
func (o *Options) WithDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Limits.Table == 0 {
		d.Limits.Table = 1 << 30
	}
	if d.Limits.Entry == 0 {
		d.Limits.Entry = 8 << 30
	}
	if d.Limits.Name == 0 {
		d.Limits.Name = 64 << 10
	}
	if d.Keys == nil {
		d.Keys = func([16]byte) []byte { return nil }
	}
	return d
}

// CreateOptions for a new archive. The zero value writes the format's default
// version. Options that a format does not have are errors of class [ErrOption] in
// Create, never ignored.
type CreateOptions struct {
	Version    string // one of Format.Versions; "" is the first
	MountPoint string
	Method     compress.Method // for new entries that do not say; meaning of "" is the format's
	BlockSize  int             // decoded bytes a block; 0 is the format's default
	Fast       bool            // encode by compress.EncodeFast, not the bytes of the usual packers
	Keys       KeyFunc

	Encrypt      bool     // new entries; Entry.Flags can ask for it one by one
	EncryptIndex bool     // the tables
	KeyID        [16]byte // of the key to encrypt with; all zero is the main key
	Align        int64    // entries start at multiples of it, zero-filled; 0 is 1
	Seed         uint64   // of path hashes
	// Sibling opens a file of the archive that lies beside the one that Create
	// is given, for formats of several files: suffix takes the place of the
	// extension of its name (".ucas", "_s1.ucas"). Each is asked for once, and
	// closed by whoever opened it, after the Writer's Close. [WriteFile]
	// provides it where it is nil.
	Sibling func(suffix string) (io.WriteSeeker, error)
	// Template is what a format's own Like took from an archive and no other
	// option says. Only that format's Create understands it.
	Template any
}

// Writer builds an archive. The order of calls is the order of entries, where
// the format leaves it open. A Writer is not safe for concurrent use. After an
// error, and when Close was not called, the output is worthless.
type Writer interface {
	// Add stores the content of r as e. Name, Type, ID, Mod and Flags of e are
	// used; sizes, offsets, hashes and sums are computed. A zero Mod is stored
	// as zero, never as the present time.
	Add(ctx context.Context, e *Entry, r io.Reader) error
	// AddRaw stores e's stored bytes untouched; Size, Method, Blocks, Sum and
	// the rest come from e, whose Blocks are relative to its Offset.
	AddRaw(ctx context.Context, e *Entry, stored io.Reader) error
	// Close completes the archive: tables, footers, hashes.
	Close() error
}

// Epoch is the time that stands for "no time" in formats that must store one.
var Epoch = time.Unix(0, 0).UTC()
