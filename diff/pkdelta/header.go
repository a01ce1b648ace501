package pkdelta

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/internal/safename"
)

// The classes of errors. [errors.ErrUnsupported] is one more.
var (
	ErrNotPatch = errors.New("not a pkdelta file")
	ErrCorrupt  = errors.New("corrupt patch")                       // damaged, truncated, or never well-formed
	ErrWrongOld = errors.New("not the file that the patch is for")  // an old file is absent or another version
	ErrResult   = errors.New("result differs from what was wanted") // nothing of it is kept
)

// Bounds of what a patch may declare.
const (
	MaxHeader    = 64 << 20 // bytes, decoded
	MaxFiles     = 1 << 20
	MaxSegments  = 1 << 20
	MaxSegment   = 4 << 20 // stored bytes
	maxRecipes   = 255
	MaxName      = 4 << 10
	maxSignature = 4 << 10
)

// Sum is the first half of a BLAKE3 hash, of a file or a segment. Nobody finds
// other bytes for one.
type Sum [16]byte

// Root is the BLAKE3 hash of a patch's header.
type Root [32]byte

// SumOfBytes returns the sum of bytes in memory.
func SumOfBytes(b []byte) Sum {
	sum := blake3.Sum256(b)
	return Sum(sum[:])
}

// File is an old or a new file, as a patch declares it.
type File struct {
	Name string // relative, with forward slashes; of an old file what it was called when the patch was made
	Size int64
	Sum  Sum

	Unknown int // bits of the sum, its last ones, that the patch does not have
}

// Is reports that a sum is the file's, as far as that is known.
func (f *File) Is(sum Sum) bool {
	known := 8*len(sum) - f.Unknown
	n, rest := known/8, known%8
	return bytes.Equal(sum[:n], f.Sum[:n]) && (rest == 0 || (sum[n]^f.Sum[n])>>(8-rest) == 0)
}

// IsWeak reports that little is known of the file's sum: another one of its size
// is easily taken for it.
func (f *File) IsWeak() bool { return 8*len(f.Sum)-f.Unknown < 16 }

// Hash is what is known of the file's sum, in hexadecimal: of one file of many
// its first bytes, or nothing.
func (f *File) Hash() string { return f.Known(f.Sum) }

// Known is as much of a sum as is known of the file's.
func (f *File) Known(sum Sum) string { return hex.EncodeToString(sum[:len(sum)-(f.Unknown+7)/8]) }

// Segment is a part of a patch.
type Segment struct {
	Stored int64
	Sum    Sum
	File   int // of the new files: the one it begins in
}

// Header is what a patch says about itself.
type Header struct {
	Old, New  []File
	Recipes   []Recipe // that are used
	Keys      []Key    // that applying needs
	Memory    int64    // bytes that applying needs for the largest block and what is around it
	Told      []int    // for each new file the old one that tells about it, or -1; nil: the first does
	Same      []int    // the one that it is, unchanged, or -1; nil: none is
	Parts     []Segment
	OldSum    Sum // of all old files, and of all new ones
	NewSum    Sum
	RootHash  Root
	FrontSize int64 // of all that is before the segments

	SignatureAt int64 // where in the file the signature is, or would be

	// Signature is the text of a minisign signature of the root, or empty.
	Signature []byte
}

// IsListed reports that the header has its segments' sizes and hashes. If there is
// one at most, the root stands for it directly.
func (h *Header) IsListed() bool { return len(h.Parts) > 1 }

// SameAs returns the old file that a new one is, unchanged, or -1.
func (h *Header) SameAs(i int) int {
	if h.Same == nil {
		return -1
	}
	return h.Same[i]
}

// ToldBy returns the old file that tells about a new one: its name, its size, and
// where in the old build it begins to be looked for.
func (h *Header) ToldBy(i int) int {
	if h.Told == nil && len(h.Old) > 0 {
		return 0
	}
	if h.Told == nil {
		return -1
	}
	return h.Told[i]
}

// IsMade reports that operations make a new file: it has bytes, and is no old
// file.
func (h *Header) IsMade(i int) bool { return h.New[i].Size > 0 && h.SameAs(i) < 0 }

// firstMade returns the first file that operations make, or how many files there
// are.
func (h *Header) firstMade() int {
	i := 0
	for i < len(h.New) && !h.IsMade(i) {
		i++
	}
	return i
}

// Root is the hash of the header, and of the segments or their hashes: it stands
// for the whole patch. Signatures are over it.
func (h *Header) Root() Root { return h.RootHash }

// Length returns the size of the patch file.
func (h *Header) Length() int64 {
	n := h.FrontSize
	for _, s := range h.Parts {
		n += s.Stored
	}
	return n
}

// Segments returns how many parts the patch has.
func (h *Header) Segments() int { return len(h.Parts) }

// Check refuses what no Make writes: names that leave the folder or occur
// twice, segments of files that are not there.
func (h *Header) Check() error {
	for _, f := range h.Old {
		if strings.ContainsRune(f.Name, 0) || len(f.Name) > MaxName {
			return fmt.Errorf("%w: header: %q is no name of a file", ErrCorrupt, f.Name)
		}
	}
	var names safename.Set
	for _, f := range h.New {
		if err := CheckName(f.Name); err != nil {
			return err
		}
		if IsOwn(f.Name) {
			return fmt.Errorf("%w: header: new file %q has a name that pakdb keeps for its own files", ErrCorrupt, f.Name)
		}
		if err := names.Add(f.Name); err != nil {
			return fmt.Errorf("%w: header: two new files %q: %w", ErrCorrupt, f.Name, err)
		}
	}
	for _, s := range h.Parts {
		if s.File >= len(h.New) || !h.IsMade(s.File) {
			return fmt.Errorf("%w: header: a segment of new file %d of %d, which has none", ErrCorrupt, s.File, len(h.New))
		}
	}
	return nil
}

// IsOwn reports that a file, or a folder that it lies in, is called as those that
// updates leave for the time being. A patch that made one could say what the next
// update has to finish.
func IsOwn(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return len(part) >= len(atomicfile.Prefix) && strings.EqualFold(part[:len(atomicfile.Prefix)], atomicfile.Prefix)
	})
}

// CheckName admits names that mean the same below any folder of any system.
func CheckName(name string) error {
	if err := safename.Check(name); err != nil {
		return fmt.Errorf("%w: header: %q is no name of a file below a folder: %w", ErrCorrupt, name, err)
	}
	return nil
}

// Unmade is the header of the same files.
func (h *Header) Unmade() *Header { return &Header{Old: h.Old, New: h.New, Told: h.Told, Same: h.Same} }

// Stored is how many bytes the patch will have.
func (h *Header) Stored() int64 {
	h.Marshal(nil)
	return h.Length()
}
