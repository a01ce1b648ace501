package codecs

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"pakdb/codecs/compress"
	"pakdb/internal/regular"
)

// Source is a file to be read as an archive. The bytes are only read, never
// written, and may be read from several goroutines at once.
type Source struct {
	io.ReaderAt
	Name string // base name, used in messages and never to decide the format
	Size int64
	Dir  fs.FS // the files beside it; nil when there are none to look at
}

// FileSource returns an opened file as a Source, with the files beside it.
func FileSource(f *os.File) (Source, error) {
	st, err := f.Stat()
	if err != nil {
		return Source{}, err
	}
	return Source{ReaderAt: f, Name: filepath.Base(f.Name()), Size: st.Size(), Dir: regular.FS(filepath.Dir(f.Name()))}, nil
}

// Archive is one opened container. All methods may be called from several
// goroutines at once; none retains a *Entry that a caller passed in.
type Archive interface {
	// Info describes the container as a whole.
	Info() Info
	// Entries yields every entry in stored order. Each *Entry belongs to the
	// caller. An error concerns the entry it comes with (which may be nil when
	// the table itself is broken); iteration goes on after an entry's error
	// and ends after a table's.
	Entries() iter.Seq2[*Entry, error]
	// Open returns the decoded content: exactly e.Size bytes. What the
	// container says about the content (checksums) is verified no later than
	// at EOF, where the reader returns the error in place of io.EOF. The
	// reader is not safe for concurrent use; several readers are.
	Open(ctx context.Context, e *Entry) (io.ReadCloser, error)
	// OpenRaw returns the stored bytes of e, untouched.
	OpenRaw(e *Entry) (*io.SectionReader, error)
	// Close releases what Open of the Format acquired. It does not close the
	// Source.
	Close() error
}

// Whole is a content that is in memory as a whole: what Open of some formats returns, and what
// some readers of contents are given.
type Whole interface {
	// Bytes returns the content, not to be changed, and valid until it is closed.
	Bytes() []byte
}

// Indexed is an Archive that finds an entry without making those before it.
type Indexed interface {
	// At returns the entry of an ordinal, or its error, as Entries yields them.
	At(ordinal int) (*Entry, error)
}

// Info describes a container.
type Info struct {
	Format     string // Format.Name
	Version    string // as the field says it: "KAPG 1", "SQLite 1.6", "8B"
	MountPoint string // prefix of every path in the game's file system, "" for none
	Encrypted  bool   // the index, or an entry, is encrypted
	EntryCount int    // -1 if only iteration shows it
	Details    []Detail
	// Warnings are findings about the container as a whole that do not stop
	// anyone from reading it.
	Warnings []*FormatError
}

// Detail is a named fact about a container that only its own format has, for
// `pakdb show`.
type Detail struct{ Name, Value string }

// Flags of an [Entry].
type Flags uint32

// The flags that exist in any format.
const (
	Encrypted Flags = 1 << iota // stored bytes are encrypted
	Deleted                     // a delete record: hides this path in archives of lower mount order
	Sealed                      // stored bytes mean nothing outside this archive: what decrypts them is in its index
	Nested                      // lies in an archive that is itself an entry; see package nested
	Unnamed                     // the archive has no name for it: Name is made of type and id
	Own                         // describes the archive, and is no file of the game; see Mounting.OwnTypes
)

// Entry is one stored file of an archive. Its identity inside the archive is
// its Ordinal; names may repeat or be absent.
type Entry struct {
	Ordinal  int    // position in the table, from 0
	Name     string // path as stored, with forward slashes, valid UTF-8; "" when the archive has none
	Type     string // FourCC or similar, where the archive stores one
	ID       ID     // asset identifier, where the archive stores one
	PathHash ID     // hash of the name, where the archive stores one
	Offset   int64  // of the entry's first stored byte in the file; -1 when there is no such place
	Stored   int64  // bytes on disk
	Size     int64  // bytes decoded
	Method   compress.Method
	Blocks   []Block // nil when the entry is one block
	Flags    Flags
	Sum      Sum       // what the archive says about the stored or decoded bytes
	Mod      time.Time // zero when the archive has none
}

// Block is one separately decoded part of an entry.
type Block struct {
	Offset int64 // absolute
	Stored int64
	Size   int64
}

// SumKind is the bytes that a [Sum] covers.
type SumKind uint8

// The checksums that archives carry.
const (
	NoSum         SumKind = iota
	SHA1Stored            // SHA-1 of the stored bytes
	BLAKE3Decoded         // leading bytes of the BLAKE3 of the decoded bytes
	HashDecoded           // of the SHA-1 or the BLAKE3 of the decoded bytes: the archive does not say which
)

// Sum is a checksum that the archive itself declares for an entry.
type Sum struct {
	Kind  SumKind
	Bytes []byte
	Len   int64 // leading bytes that it covers; 0 is all of them
}

// NamedResource is an entry's public name, in formats that keep names apart
// from entries. Several names may share an id, and several ids a name.
type NamedResource struct {
	Ordinal int
	Name    string
	Type    string
	ID      ID
}

// Namer is an Archive that has named resources.
type Namer interface {
	Named() iter.Seq2[NamedResource, error]
}

// Verifier is an Archive that can recompute the claims its container makes as a
// whole: order, gaps, hashes. It does not repeat Info.Warnings. What each entry claims is
// checked by reading it. report is called from one goroutine; a nil report is not allowed.
type Verifier interface {
	Verify(ctx context.Context, report func(*FormatError)) error
}

// SumChecker is an Archive that can compare the stored bytes of an entry with the SHA-1
// that it states for them, without decoding them. What it finds wrong is what reading the
// entry would, as far as that concerns the stored bytes.
type SumChecker interface {
	CheckSum(ctx context.Context, e *Entry) error
}

// Summer is an Archive whose checksums are apart from its tables. Sums reads
// them all, by ordinal, without reading content; where the archive has none,
// the Sum is zero. It returns nil where the tables have them: in [Entry.Sum]. Two archives can be compared by them: equal sums mean equal
// stored bytes. Unequal sums say nothing about decoded content.
type Summer interface {
	Sums(ctx context.Context) ([]Sum, error)
}

// Padder is an Archive that stores contents without their true length: what is
// stored uncompressed is filled up to a boundary, and reads back so. The same
// content stored compressed reads back exact. Two such copies are equal when
// both, filled up to the boundary, are.
type Padder interface {
	// Padding returns the boundary in bytes, and the fill, that storing the
	// content of e uncompressed would round its size up to. An align of 1
	// means that lengths are exact.
	Padding(e *Entry) (align int64, fill byte)
}

// Locator is an Archive whose entries go by other names than their paths.
type Locator interface {
	// Locate returns a test for the entries that name means, nil if it is no such
	// name. There may be no such entry.
	Locate(name string) func(*Entry) bool
}

// NameWriter is a Writer of a format that keeps names apart from entries. The
// order of calls is the order of names; calls may come between those of Add.
type NameWriter interface {
	AddName(NamedResource) error
}

// Imitator is a Writer that can copy the data that a container keeps beside its
// entries and names, so that a rewritten archive differs from the original in
// nothing that nobody changed. It must be called before the first entry.
type Imitator interface {
	// Imitate takes over the habits of original, an Archive of the same Format.
	// It reads nothing after it returned.
	Imitate(original Archive) error
}

// WriterAs returns w as a T, one of the optional interfaces of writers such as
// [NameWriter]; also where w is a Writer around another, as the one that
// [WriteFile] hands out, which says so by a method Unwrap() Writer.
func WriterAs[T any](w Writer) (ability T, ok bool) {
	for w != nil {
		if ability, ok = w.(T); ok {
			return ability, true
		}
		around, wraps := w.(interface{ Unwrap() Writer })
		if !wraps {
			break
		}
		w = around.Unwrap()
	}
	return ability, false
}

// ArchiveAs returns a as a T, one of the optional interfaces of archives such as
// [Namer]; also where a is an Archive around another, which says so by a method
// Unwrap() Archive.
func ArchiveAs[T any](a Archive) (ability T, ok bool) {
	for a != nil {
		if ability, ok = a.(T); ok {
			return ability, true
		}
		around, wraps := a.(interface{ Unwrap() Archive })
		if !wraps {
			break
		}
		a = around.Unwrap()
	}
	return ability, false
}

// Sealer is an Archive of which some bytes are encrypted by AES-256 in ECB mode:
// with the key any 16 of them can be taken apart, and put them together again.
type Sealer interface {
	// SealedBy returns the key of all entries with the flag Encrypted and of
	// tables, its id, and which parts of the archive's own file these tables are,
	// whole AES blocks each. The key is nil when it is not known, seems wrong, or
	// is for another mode.
	SealedBy() (key []byte, id [16]byte, tables []Region)
	// SealedUnit reports whether the blocks of an entry are one unit, each block
	// being padded with the beginning of the first; else each is one.
	SealedUnit() bool
}

// Region is a part of a file.
type Region struct{ Offset, Size int64 }

// NewStoredReader returns the content of an entry that is stored as it is: the
// bytes of raw. A read fails with the error of ctx once that is done, and with
// [ErrTruncated] when the file has become shorter than raw. fail makes the
// format's own error of all but the context's; off is the offset in the file.
func NewStoredReader(ctx context.Context, raw *io.SectionReader, fail func(off int64, err error) error) io.ReadCloser {
	return &storedReader{ctx: ctx, raw: raw, fail: fail}
}

type storedReader struct {
	ctx  context.Context // of the entry's Open; a large entry takes long to read
	raw  *io.SectionReader
	fail func(off int64, err error) error
	n    int64 // bytes read
}

func (r *storedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.raw.Read(p)
	r.n += int64(n)
	switch {
	case err == nil || err == io.EOF && r.n >= r.raw.Size():
		return n, err
	case err == io.EOF:
		err = Errorf(ErrTruncated, "%d of %d bytes; did it change?", r.n, r.raw.Size())
	}
	_, off, _ := r.raw.Outer()
	return n, r.fail(off+r.n, err)
}

func (r *storedReader) Close() error { return nil }

// ContextReader returns a Reader of r that fails with the error of ctx once that
// is done.
func ContextReader(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
