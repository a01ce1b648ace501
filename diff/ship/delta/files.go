package delta

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/diff/ship/internal/coder"
	"pakdb/internal/aes256"
	"pakdb/internal/atomicfile"
	"pakdb/internal/bin"
	"pakdb/internal/stored"
)

// File is an old or a new file, as a patch declares it.
type File struct {
	Name string // relative, with forward slashes; of an old file what it was called when the patch was made
	Size int64
	Sum  Sum

	Unknown int // bits of the sum, its last ones, that the patch does not have

	Exec bool // it is executable; of new files only
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

// Hash is the known part of the file's sum, in hexadecimal: of one file of many
// its first bytes, or nothing.
func (f *File) Hash() string { return f.Known(f.Sum) }

// Known is as much of a sum as is known of the file's.
func (f *File) Known(sum Sum) string { return hex.EncodeToString(sum[:len(sum)-(f.Unknown+7)/8]) }

// Files are the old files and the new ones of a patch, and how old ones describe new
// ones: a folder of which little changed is described in few bytes.
type Files struct {
	Old, New []File
	Told     []int // for each new file the old one that it takes name and size from, or -1; nil: the first does
	Same     []int // the one that it is, unchanged, or -1; nil: none is
	OldSum   Sum   // of all old files, and of all new ones
	NewSum   Sum
	Modes    bool // new files say whether they are executable; false: the maker's system has no such files
}

// SameAs returns the old file that a new one is, unchanged, or -1.
func (s *Files) SameAs(i int) int {
	if s.Same == nil {
		return -1
	}
	return s.Same[i]
}

// ToldBy returns the old file that a new one takes from: its name, its size, and
// where in the old build it begins to be looked for.
func (s *Files) ToldBy(i int) int {
	if s.Told == nil && len(s.Old) > 0 {
		return 0
	}
	if s.Told == nil {
		return -1
	}
	return s.Told[i]
}

// IsMade reports that operations make a new file: it has bytes, and is no old
// file.
func (s *Files) IsMade(i int) bool { return s.New[i].Size > 0 && s.SameAs(i) < 0 }

// firstMade returns the first file that operations make, or how many files there
// are.
func (s *Files) firstMade() int {
	i := 0
	for i < len(s.New) && !s.IsMade(i) {
		i++
	}
	return i
}

// findTold finds the old files that new ones take name and size from.
func (s *Files) findTold() {
	named := map[string]int{}
	for i := len(s.Old) - 1; i >= 0; i-- {
		named[s.Old[i].Name] = i
	}
	s.Told = make([]int, len(s.New))
	for i, f := range s.New {
		k, ok := named[f.Name]
		switch {
		case s.SameAs(i) >= 0:
			s.Told[i] = s.SameAs(i)
		case ok:
			s.Told[i] = k
		case len(s.Old) == 1:
			s.Told[i] = 0
		default:
			s.Told[i] = -1
		}
	}
}

// isOne reports that one old file becomes one new one.
func (s *Files) isOne() bool { return len(s.Old) == 1 && len(s.New) == 1 }

// names are those of the old files, and of those new ones that are called
// otherwise than that old one.
func (s *Files) names() (list []string) {
	for _, f := range s.Old {
		list = append(list, f.Name)
	}
	for i, f := range s.New {
		if k := s.ToldBy(i); k < 0 || f.Name != s.Old[k].Name {
			list = append(list, f.Name)
		}
	}
	return list
}

// Listed are the names in the header, where there are several: contents may have
// them as well.
func (s *Files) Listed() (b []byte) {
	if s.isOne() {
		return nil
	}
	for _, name := range s.names() {
		b = append(append(b, name...), 0)
	}
	return b
}

// sumOfAll is the sum of one file, or the sum of the sums of several.
func sumOfAll(files []File) Sum {
	if len(files) == 1 {
		return files[0].Sum
	}
	h := blake3.New()
	for _, f := range files {
		_, _ = h.Write(f.Sum[:])
	}
	return Sum(h.Sum(nil))
}

// Removed returns the old files whose names no new file has, in their order. The patch
// has all of their hashes: it is by these that an update removes them.
func (s *Files) Removed() (list []int) {
	names := make(map[string]bool, len(s.New))
	for _, f := range s.New {
		names[f.Name] = true
	}
	for i, f := range s.Old {
		if !names[f.Name] {
			list = append(list, i)
		}
	}
	return list
}

// AreOld reports that sums are those of all old files, and then knows them.
func (s *Files) AreOld(sums []Sum) bool {
	files := withSums(s.Old, sums)
	all := sumOfAll(files)
	if !bytes.Equal(all[:oldSumStored], s.OldSum[:oldSumStored]) {
		return false
	}
	s.Old = files
	return true
}

// AreNew reports that sums are those of all new files.
func (s *Files) AreNew(sums []Sum) bool { return sumOfAll(withSums(s.New, sums)) == s.NewSum }

func withSums(files []File, sums []Sum) []File {
	files = slices.Clone(files)
	for i := range files {
		files[i].Sum, files[i].Unknown = sums[i], 0
	}
	return files
}

// FindSame finds the new files that are old ones, unchanged: those that are called
// so, else the next, else the first; and the twins of the others.
func (s *Files) FindSame() {
	type state struct {
		size int64
		sum  Sum
	}
	first, named := map[state]int{}, map[string]int{}
	for i := len(s.Old) - 1; i >= 0; i-- {
		f := s.Old[i]
		first[state{f.Size, f.Sum}], named[f.Name] = i, i
	}
	s.Same = make([]int, len(s.New))
	next := 0
	for i, f := range s.New {
		k, ok := named[f.Name]
		if !ok || s.Old[k].Sum != f.Sum {
			k = next
		}
		if k == len(s.Old) || s.Old[k].Sum != f.Sum || s.Old[k].Size != f.Size {
			if k, ok = first[state{f.Size, f.Sum}]; !ok {
				k = -1
			}
		}
		if s.Same[i] = k; k >= 0 {
			next = k + 1
		}
	}
	s.findTold()
}

// Input is an old or a new file. Formats of several files find each other by
// their names, which are relative to the build's folder.
type Input struct {
	Name string
	Mode fs.FileMode // permissions; 0: not known
	codecs.Source
}

// NewInput returns an open file as an input of a name.
func NewInput(name string, f *os.File) (Input, error) {
	src, err := codecs.FileSource(f)
	if err != nil {
		return Input{}, err
	}
	st, err := f.Stat()
	if err != nil {
		return Input{}, err
	}
	return Input{name, atomicfile.Mode(st), src}, nil
}

// Modes reports that it is known of all inputs whether they are executable.
func Modes(inputs []Input) bool {
	return !slices.ContainsFunc(inputs, func(in Input) bool { return in.Mode == 0 })
}

// SizeOfInputs returns how many bytes files have together.
func SizeOfInputs(inputs []Input) (n int64) {
	for _, in := range inputs {
		n += in.Size
	}
	return n
}

// The classes of errors. [errors.ErrUnsupported] is one more.
var (
	ErrNotPatch = errors.New("not a pkdelta file")
	ErrCorrupt  = errors.New("corrupt patch")                       // damaged, truncated, or never well-formed
	ErrWrongOld = errors.New("not the file that the patch is for")  // an old file is absent or another version
	ErrResult   = errors.New("result differs from the wanted file") // nothing of it is kept
	ErrCoded    = coder.ErrCorrupt                                  // a content does not decode with this old one
)

// Bounds of what a patch may declare.
const (
	MaxHeader    = 64 << 20 // bytes, decoded
	MaxFiles     = 1 << 20
	MaxTotal     = 1 << 50 // bytes of the old files, and of the new ones: no sum of sizes overflows
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

// The steps of work on patches, in the words that people see.
const (
	StepReading  = "reading"
	StepMaking   = "making the patch"
	StepApplying = "applying the patch" // also the proof of one that was made
	StepChecking = "checking the files"
	stepVerify   = "checking the patch"
	StepChunks   = "looking for chunks"
)

// SizeOf returns how many bytes files have together.
func SizeOf(files []File) (n int64) {
	for _, f := range files {
		n += f.Size
	}
	return n
}

// SumOf returns the sum of the first n bytes of a file. It counts them in the
// progress of ctx.
func SumOf(ctx context.Context, r io.ReaderAt, n int64) (Sum, error) {
	hash, err := stored.Hash(ctx, r, n)
	return Sum(hash[:]), err
}

// MemoryUsual is how many bytes applying needs unless a header says otherwise.
const MemoryUsual = 48 << 20

// Needs are what applying a patch takes beside old files.
type Needs struct {
	Recipes []Recipe // that are used
	Keys    []Key    // that must be given
	Memory  int64    // bytes for the largest block and what is around it
}

// CheckKeys reports which key is needed and not among those given, by an error
// that wraps [ErrNoKey].
func (n *Needs) CheckKeys(keys [][]byte) error {
	_, err := n.Unlock(keys)
	return err
}

// Unlock finds the keys that a patch needs among those that are there.
func (n *Needs) Unlock(keys [][]byte) ([]cipher.Block, error) {
	blocks := make([]cipher.Block, len(n.Keys))
	for i, want := range n.Keys {
		for _, key := range keys {
			if len(key) == aes256.KeySize && keyCheck(key) == want.Check {
				blocks[i], _ = aes.NewCipher(key) // of the right size
			}
		}
		switch {
		case blocks[i] != nil:
		case len(keys) == 0:
			return nil, fmt.Errorf("%w: %v", ErrNoKey, want)
		default:
			return nil, fmt.Errorf("%w: %v; none of the %d given is it", ErrNoKey, want, len(keys))
		}
	}
	return blocks, nil
}

// isUsual reports that nothing of it need be said.
func (n *Needs) isUsual() bool {
	return len(n.Recipes) == 0 && len(n.Keys) == 0 && n.Memory == MemoryUsual
}

// append appends what the header says of it.
func (n *Needs) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(n.Recipes)))
	for _, r := range n.Recipes {
		b = append(append(b, byte(slices.Index(Methods[:], r.Method))), r.Params[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(n.Keys)))
	for _, k := range n.Keys {
		b = append(append(b, k.ID[:]...), k.Check[:]...)
	}
	return binary.AppendUvarint(b, uint64((n.Memory+1<<20-1)>>20))
}

// read reads what append writes.
func (n *Needs) read(f *bin.Fields) {
	n.Recipes = make([]Recipe, f.Count("recipes", maxRecipes, 5))
	for i := range n.Recipes {
		m := f.Number("method", int64(len(Methods))-1)
		n.Recipes[i].Method = Methods[m]
		copy(n.Recipes[i].Params[:], f.Bytes(4))
	}
	n.Keys = make([]Key, f.Count("keys", maxKeys, 16+8))
	for i := range n.Keys {
		n.Keys[i] = Key{ID: [16]byte(f.Bytes(16)), Check: [8]byte(f.Bytes(8))}
	}
	n.Memory = f.Number("memory", 1<<20) << 20
}
