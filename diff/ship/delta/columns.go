package delta

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/atomicfile"
	"pakdb/internal/bin"
	"pakdb/internal/safename"
)

// A header has what resembles each other together: all kinds, then all sizes, all
// names. Sums come last, and as they are. New files are described by old ones: a
// folder of which little changed costs little more than its names and sizes.

// The first byte. Of a patch from one file to one the kind is in its upper bits,
// and the counts are left out.
const (
	columnsOne  = 1 << iota // one old file and one new one
	columnsMore             // recipes, keys and memory follow the sizes
	columnsKind = 2         // bits below the kind
)

// The kinds of new files. 0 is the next old file, unchanged.
const (
	kindMade  = 1 << iota // operations make it
	kindStep              // its twin is another old file than the next
	kindName              // it has another name
	kindSize              // it has another size
	kindAlone             // it has no twin
	kindExec              // it is executable
	kinds
)

// shortSum is how many bits there are of the sum of each of n old files: enough
// to name the one that is wrong, or of very many one of those, where sizes do not
// show it. The sum of all proves that all are right.
func shortSum(n int) int {
	switch {
	case n <= 1:
		return 0
	case n <= 64:
		return 16
	case n <= 256:
		return 8
	}
	return 2
}

// appendShort appends the first bits of the files' sums.
func appendShort(b []byte, files []File) []byte {
	n := shortSum(len(files))
	for i, f := range files {
		switch {
		case n == 0:
		case n >= 8:
			b = append(b, f.Sum[:n/8]...)
		case i*n%8 == 0:
			b = append(b, f.Sum[0]>>(8-n)<<(8-n))
		default:
			b[len(b)-1] |= f.Sum[0] >> (8 - n) << (8 - n) >> (i * n % 8)
		}
	}
	return b
}

// readShort reads what appendShort writes.
func readShort(f *bin.Fields, files []File) {
	n := shortSum(len(files))
	all := f.Bytes((n*len(files) + 7) / 8)
	for i := range files {
		files[i].Unknown = 8*len(Sum{}) - n
		if n >= 8 {
			copy(files[i].Sum[:], all[i*n/8:(i+1)*n/8])
		} else if n > 0 {
			files[i].Sum[0] = all[i*n/8] << (i * n % 8) >> (8 - n) << (8 - n)
		}
	}
}

// oldSumStored is how many bytes there are of the sum of all old files. It guards
// against mistakes; should somebody make files that have it, the result does not
// have the sum of the new ones.
const oldSumStored = 8

// kinds returns the differences of the new files from their twins.
func (s *Files) kinds(twins []int) []byte {
	list, next := make([]byte, len(s.New)), 0
	for i, f := range s.New {
		k := &list[i]
		if s.IsMade(i) {
			*k |= kindMade
		}
		if f.Exec {
			*k |= kindExec
		}
		if twins[i] < 0 {
			*k |= kindAlone
			continue
		}
		twin := s.Old[twins[i]]
		if twins[i] != next {
			*k |= kindStep
		}
		if f.Name != twin.Name {
			*k |= kindName
		}
		if f.Size != twin.Size {
			*k |= kindSize
		}
		next = twins[i] + 1
	}
	return list
}

// Columns is the header without sums.
func (h *Header) Columns() []byte {
	if h.Told == nil {
		h.findTold()
	}
	twins := h.Told
	list := h.kinds(twins)
	b := h.appendFirst(list)
	next := 0
	for i, t := range twins {
		if list[i]&kindStep != 0 {
			b = binary.AppendVarint(b, int64(t-next))
		}
		if t >= 0 {
			next = t + 1
		}
	}
	for _, f := range h.Old {
		b = binary.AppendUvarint(b, uint64(f.Size))
	}
	for i, f := range h.New {
		switch {
		case list[i]&kindAlone != 0:
			b = binary.AppendUvarint(b, uint64(f.Size))
		case list[i]&kindSize != 0:
			b = binary.AppendVarint(b, f.Size-h.Old[twins[i]].Size)
		}
	}
	if !h.isUsual() {
		b = h.Needs.append(b)
	}
	if h.IsListed() {
		b = h.appendSegments(b)
	}
	last := ""
	for i, name := range h.names() {
		if i > 0 {
			n := CommonPrefix([]byte(last), []byte(name))
			b = append(binary.AppendUvarint(b, uint64(n)), name[n:]...)
		} else {
			b = append(b, name...)
		}
		b, last = append(b, 0), name
	}
	return b
}

// appendFirst is the first byte, and the kinds with the counts.
func (h *Header) appendFirst(list []byte) []byte {
	first := byte(0)
	if !h.isUsual() {
		first |= columnsMore
	}
	if h.isOne() {
		return []byte{first | columnsOne | list[0]<<columnsKind}
	}
	b := binary.AppendUvarint([]byte{first}, uint64(len(h.Old)))
	return append(binary.AppendUvarint(b, uint64(len(h.New))), list...)
}

func (h *Header) appendSegments(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(h.Parts)))
	for _, s := range h.Parts {
		b = binary.AppendUvarint(b, uint64(s.Stored))
	}
	last := 0
	for _, s := range h.Parts {
		b = binary.AppendUvarint(b, uint64(s.File-last))
		last = s.File
	}
	return b
}

// Sums are those of all old files, of all new ones, the first bits of each old file's,
// all of each removed file's, and of each segment.
func (h *Header) Sums() (b []byte) {
	if !slices.ContainsFunc(h.Old, func(f File) bool { return f.Unknown > 0 }) {
		all := sumOfAll(h.Old)
		copy(h.OldSum[:], all[:oldSumStored])
	}
	if !slices.ContainsFunc(h.New, func(f File) bool { return f.Unknown > 0 }) {
		h.NewSum = sumOfAll(h.New)
	}
	b = append(append(b, h.OldSum[:oldSumStored]...), h.NewSum[:]...)
	b = appendShort(b, h.Old)
	for _, i := range h.Removed() {
		b = append(b, h.Old[i].Sum[:]...)
	}
	if h.IsListed() {
		for _, s := range h.Parts {
			b = append(b, s.Sum[:]...)
		}
	}
	return b
}

// readColumns reads all but the sums.
func (h *Header) readColumns(f *bin.Fields, listed bool) {
	first := f.Bytes(1)[0]
	list := []byte{first >> columnsKind}
	if first&columnsOne != 0 {
		h.Old, h.New = make([]File, 1), make([]File, 1)
	} else {
		h.Old = make([]File, f.Count("old files", MaxFiles, 2))
		h.New = make([]File, f.Count("new files", MaxFiles, 1))
		list = f.Bytes(len(h.New))
		if first >= 1<<columnsKind {
			f.Fail("first byte %d", first)
		}
	}
	twins := h.readTwins(f, list)
	if f.Err() != nil {
		return // what follows goes by these
	}
	h.readSizes(f, list, twins)
	h.Memory = MemoryUsual
	if first&columnsMore != 0 {
		h.Needs.read(f)
	}
	if listed {
		h.readSegments(f)
	}
	h.readNames(f, list, twins)
}

// readTwins reads which old files are the twins of the new ones.
func (s *Files) readTwins(f *bin.Fields, list []byte) []int {
	twins, next := make([]int, len(list)), 0
	s.Told = twins
	s.Same = make([]int, len(list))
	for i, k := range list {
		twins[i], s.Same[i] = -1, -1
		if k >= kinds || k&kindAlone != 0 && k&^(kindAlone|kindMade|kindExec) != 0 || k&kindExec != 0 && !s.Modes {
			f.Fail("kind %d of a new file", k)
		}
		s.New[i].Exec = k&kindExec != 0
		if k&kindAlone != 0 {
			continue
		}
		if k&kindStep != 0 {
			next += int(f.Signed("step to an old file", MaxFiles))
		}
		if next < 0 || next >= len(s.Old) {
			f.Fail("old file %d of %d", next, len(s.Old))
			return twins
		}
		twins[i] = next
		if k&(kindMade|kindSize) == 0 {
			s.Same[i] = next
		}
		next++
	}
	return twins
}

func (s *Files) readSizes(f *bin.Fields, list []byte, twins []int) {
	for i := range s.Old {
		s.Old[i].Size = f.Number("size", 1<<62)
	}
	for i := range s.New {
		size := &s.New[i].Size
		switch {
		case list[i]&kindAlone != 0:
			*size = f.Number("size", 1<<62)
		case list[i]&kindSize != 0:
			*size = f.Signed("size", 1<<62) + s.Old[max(twins[i], 0)].Size
		case twins[i] >= 0:
			*size = s.Old[twins[i]].Size
		}
		if *size < 0 || *size > 1<<62 || f.Err() == nil && s.Same[i] < 0 && (*size > 0) != (list[i]&kindMade != 0) {
			f.Fail("size of new file %d", i)
		}
	}
	for _, side := range [][]File{s.Old, s.New} {
		left := int64(MaxTotal)
		for _, file := range side {
			if left -= min(file.Size, MaxTotal+1); left < 0 {
				f.Fail("files of more than %d bytes", int64(MaxTotal))
				return
			}
		}
	}
}

func (h *Header) readSegments(f *bin.Fields) {
	h.Parts = make([]Segment, f.Count("segments", MaxSegments, 2))
	for i := range h.Parts {
		h.Parts[i].Stored = f.Number("size of a segment", MaxSegment)
	}
	last := 0
	for i := range h.Parts {
		last += int(f.Number("file of a segment", MaxFiles))
		h.Parts[i].File = last
	}
}

func (s *Files) readNames(f *bin.Fields, list []byte, twins []int) {
	last, total, first := "", 0, true
	name := func() string {
		n := int64(0)
		if !first {
			n = f.Number("bytes of the name before", int64(len(last)))
		}
		first = false
		last = last[:n] + f.Line("name", 0, MaxName)
		if total += len(last); total > MaxHeader && f.Err() == nil {
			f.Fail("names of %d bytes", total)
		}
		return last
	}
	for i := range s.Old {
		s.Old[i].Name = name()
	}
	for i := range s.New {
		if list[i]&(kindName|kindAlone) != 0 {
			s.New[i].Name = name()
		} else if twins[i] >= 0 {
			s.New[i].Name = s.Old[twins[i]].Name
		}
	}
}

// readSums reads the sums, and gives files theirs.
func (h *Header) readSums(f *bin.Fields, listed bool) {
	copy(h.OldSum[:], f.Bytes(oldSumStored))
	h.NewSum = Sum(f.Bytes(len(Sum{})))
	readShort(f, h.Old)
	if len(h.Old) == 1 {
		h.Old[0].Sum, h.Old[0].Unknown = h.OldSum, 8*(len(Sum{})-oldSumStored)
	}
	for _, i := range h.Removed() {
		h.Old[i].Sum, h.Old[i].Unknown = Sum(f.Bytes(len(Sum{}))), 0
	}
	for i := range h.New {
		h.New[i].Unknown = 8 * len(Sum{})
		if k := h.Same[i]; k >= 0 {
			h.New[i].Sum, h.New[i].Unknown = h.Old[k].Sum, h.Old[k].Unknown
		}
	}
	if len(h.New) == 1 {
		h.New[0].Sum, h.New[0].Unknown = h.NewSum, 0
	}
	for i := range h.Parts {
		if listed {
			h.Parts[i].Sum = Sum(f.Bytes(len(Sum{})))
		}
	}
}

// CommonPrefix returns how many bytes a and b begin with alike.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Segment is a part of a patch.
type Segment struct {
	Stored int64
	Sum    Sum
	File   int // of the new files: the one it begins in
}

// Header is the header of a patch.
type Header struct {
	Files
	Needs
	Parts     []Segment
	RootHash  Root  // of the header, and of the segments or their hashes: it covers the whole patch, and is signed
	FrontSize int64 // of all that is before the segments

	SignatureAt int64 // where in the file the signature is, or would be

	// Signature is the text of a minisign signature of the root, or empty.
	Signature []byte
}

// IsListed reports that the header has its segments' sizes and hashes. If there is
// at most one, the root covers it directly.
func (h *Header) IsListed() bool { return len(h.Parts) > 1 }

// Length returns the size of the patch file.
func (h *Header) Length() int64 {
	n := h.FrontSize
	for _, s := range h.Parts {
		n += s.Stored
	}
	return n
}

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

// IsOwn reports whether a file, or a folder above it, has a name of those that
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
func (h *Header) Unmade() *Header {
	return &Header{Files: Files{Old: h.Old, New: h.New, Told: h.Told, Same: h.Same, Modes: h.Modes}}
}

// Stored is how many bytes the patch will have.
func (h *Header) Stored() int64 {
	h.Marshal(nil)
	return h.Length()
}

// CheckSignature verifies that the patch was signed by the owner of a key.
func (h *Header) CheckSignature(key *PublicKey) error {
	if len(h.Signature) == 0 {
		return ErrUnsigned
	}
	_, err := key.Verify(h.RootHash[:], string(h.Signature))
	return err
}
