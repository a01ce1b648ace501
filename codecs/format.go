package codecs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"pakdb/codecs/compress"
	"pakdb/internal/mount"
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
	// beside it, and so none of its own: walks of folders pass over it.
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
	// Explain reports why a file that its name claims for this format is not
	// read as one; nil: there is nothing to say. It is asked only about files
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

	// Candidates are keys for archives that Keys has none for: the first one that decrypts
	// their tables, or their entries, to what they should be.
	Candidates [][]byte

	// KeysTrusted says that Keys are right, as for what was just encrypted with
	// them, so that a format need not judge them by what they decrypt.
	KeysTrusted bool
}

// WithCandidate returns o with one key for all archives.
func (o Options) WithCandidate(key []byte) Options {
	o.Keys, o.Candidates = func([16]byte) []byte { return key }, nil
	return o
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
	// closed by the caller that opened it, after the Writer's Close. [WriteFile]
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

// ErrOption is the class of options that a writer was given and does not have,
// or does not have with that value. It is a mistake of the caller, and says
// nothing about a file. It is of class [errors.ErrUnsupported] as well.
var ErrOption error = unsupportedOption{}

type unsupportedOption struct{}

func (unsupportedOption) Error() string { return "not an option of the format" }

func (unsupportedOption) Is(target error) bool { return target == errors.ErrUnsupported }

// Option names one of the [CreateOptions] that not every format has. The names
// are those of the flags of pakdb pack.
type Option string

// The options, in the order in which they are checked.
const (
	OptionMount        Option = "mount"
	OptionMethod       Option = "method"
	OptionBlockSize    Option = "block-size"
	OptionEffort       Option = "effort"
	OptionEncrypt      Option = "encrypt"
	OptionEncryptIndex Option = "encrypt-index"
	OptionKeyID        Option = "key-id"
	OptionAlign        Option = "align"
	OptionSeed         Option = "seed"
	optionTemplate     Option = "template"
)

// AllOptions returns every option that a user can give.
func AllOptions() []Option {
	return []Option{OptionMount, OptionMethod, OptionBlockSize, OptionEffort, OptionEncrypt, OptionEncryptIndex, OptionKeyID, OptionAlign, OptionSeed}
}

// given returns the options that are set.
func (o *CreateOptions) given() []Option {
	var all []Option
	for _, of := range []struct {
		name Option
		set  bool
	}{
		{OptionMount, o.MountPoint != ""},
		{OptionMethod, o.Method != compress.None},
		{OptionBlockSize, o.BlockSize != 0},
		{OptionEffort, o.Fast},
		{OptionEncrypt, o.Encrypt},
		{OptionEncryptIndex, o.EncryptIndex},
		{OptionKeyID, o.KeyID != [16]byte{}},
		{OptionAlign, o.Align != 0},
		{OptionSeed, o.Seed != 0},
		{optionTemplate, o.Template != nil},
	} {
		if of.set {
			all = append(all, of.name)
		}
	}
	return all
}

// CheckOptions refuses, by a *FormatError of class ErrOption, an option of o that
// is set and that archives of o.Version do not have. Every Create calls it with
// its own format; o may be nil.
func (f *Format) CheckOptions(o *CreateOptions) error {
	if o == nil {
		return nil
	}
	for _, option := range o.given() {
		if option == optionTemplate && f.Like != nil || f.HasOption(o.Version, option) {
			continue
		}
		err := ErrOption
		if o.Version != "" {
			err = Errorf(ErrOption, "version %s", o.Version)
		}
		return &FormatError{Format: f.Name, Field: string(option), Off: -1, Err: err}
	}
	return nil
}

// HasOption reports whether archives of a version that Create writes have an
// option; "" is the default version.
func (f *Format) HasOption(version string, o Option) bool {
	if version == "" && len(f.Versions) > 0 {
		version = f.Versions[0]
	}
	return f.Options != nil && slices.Contains(f.Options(version), o)
}

// OptionsLike returns the options that make Create write an archive of the same
// kind as one that Open returned: those of Like, and of a format without it the
// mount point, and the version whose name is a word of what Info says, as 1.6 in
// "SQLite 1.6"; without such a one the default.
func (f *Format) OptionsLike(a Archive) (*CreateOptions, error) {
	if f.Like != nil {
		return f.Like(a)
	}
	info := a.Info()
	o := &CreateOptions{MountPoint: info.MountPoint}
	for word := range strings.FieldsSeq(info.Version) {
		for _, v := range f.Versions {
			if strings.EqualFold(v, word) {
				o.Version = v
				return o, nil
			}
		}
	}
	return o, nil
}

// Mounting says how a game mounts the archives of a format, and how others are
// mounted over them. The zero value is that of a format whose archives a loader
// opens by name: nothing is mounted over them, of several entries of one file the
// first counts, and the archive that is first in the build wins.
type Mounting struct {
	// Order returns the mount order of a file by its path; the higher one wins. Of equal orders names decide, see [mount.Compare]. Nil: the game has no
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

// FileOf returns the identity of the file of the game that an entry is: entries of one
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
