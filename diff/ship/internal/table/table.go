package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/internal/bin"
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
	Unreal  Kind = iota // .pak of Unreal Engine, versions 1 to 12: all after the entries
	GPAK                // .sip of Marvel Heroes that is no database: all before the entries
	Retro               // .pak of Retro Studios: all before the entries
	IoStore             // .utoc of Unreal Engine: a file of its own, after the .ucas with the entries
	Kinds               // how many there are
)

// Front reports that tables are before the entries. They are predicted from
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
	Off int64  // where it begins in the file that holds it; -1: nowhere; not used where tables are in front
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

// Len returns how many of the bytes, which begin a file, are tables that are
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

// Parse reads tables, which are at a place of an old file.
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

// readText reads a string as Unreal Engine stores it: i32 n; n bytes with a NUL
// at the end, or -n units of UTF-16 with one. Bytes that are not UTF-8 count as
// Latin-1.
func readText(r *bin.Reader) string {
	n := int64(r.I32())
	if n >= 0 {
		b := r.Bytes(r.CheckCount(n, 1))
		if len(b) > 0 && b[len(b)-1] == 0 {
			b = b[:len(b)-1]
		}
		return narrow(b)
	}
	b := r.Bytes(2 * r.CheckCount(-n, 2))
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	if k := len(units); k > 0 && units[k-1] == 0 {
		units = units[:k-1]
	}
	return string(utf16.Decode(units))
}

func narrow(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// appendText is the inverse of readText: ASCII in bytes, all else in UTF-16.
func appendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, 0, 0, 0, 0)
	}
	if isASCII(s) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)+1))
		return append(append(b, s...), 0)
	}
	units := utf16.Encode([]rune(s))
	b = binary.LittleEndian.AppendUint32(b, uint32(-int32(len(units)+1)))
	for _, u := range units {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return append(b, 0, 0)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// readBytes reads i32 n and n bytes: names of files from version 12 of paks on.
func readBytes(r *bin.Reader) string { return narrow(r.Bytes(r.Count(1))) }

func appendBytes(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// The two numbers of FNV-1a with 64 bits.
const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// pathHash is FNV-1a over the UTF-16 of a path in lower case.
func pathHash(path string, basis, prime uint64) uint64 {
	h := basis
	for _, u := range utf16.Encode([]rune(path)) {
		if l := unicode.ToLower(rune(u)); l <= 0xffff {
			u = uint16(l)
		}
		h = (h ^ uint64(u&0xff)) * prime
		h = (h ^ uint64(u>>8)) * prime
	}
	return h
}
