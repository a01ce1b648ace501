package pkdelta

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/internal/fields"
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
	kindStep              // it is told by another old file than the next
	kindName              // it has another name
	kindSize              // it has another size
	kindAlone             // it is told by no old file
	kinds
)

// MemoryUsual is how many bytes applying needs unless a header says otherwise.
const MemoryUsual = 48 << 20

// shortSum is how many bits there are of the sum of each of n old files: enough
// to name the one that is wrong, or of very many one of those, where that is not
// told by sizes. That all are right is told by the sum of all.
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
func readShort(f *fields.Reader, files []File) {
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

// findTold finds the old files that new ones are told by.
func (h *Header) findTold() {
	named := map[string]int{}
	for i := len(h.Old) - 1; i >= 0; i-- {
		named[h.Old[i].Name] = i
	}
	h.Told = make([]int, len(h.New))
	for i, f := range h.New {
		k, ok := named[f.Name]
		switch {
		case h.SameAs(i) >= 0:
			h.Told[i] = h.SameAs(i)
		case ok:
			h.Told[i] = k
		case len(h.Old) == 1:
			h.Told[i] = 0
		default:
			h.Told[i] = -1
		}
	}
}

// kinds returns what tells the new files by their twins.
func (h *Header) kinds(twins []int) []byte {
	list, next := make([]byte, len(h.New)), 0
	for i, f := range h.New {
		k := &list[i]
		if h.IsMade(i) {
			*k |= kindMade
		}
		if twins[i] < 0 {
			*k |= kindAlone
			continue
		}
		twin := h.Old[twins[i]]
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
	if h.hasMore() {
		b = h.appendMore(b)
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

// isOne reports that one old file becomes one new one.
func (h *Header) isOne() bool { return len(h.Old) == 1 && len(h.New) == 1 }

// names are those of the old files, and of those new ones that are called
// otherwise than the old one that tells about them.
func (h *Header) names() (list []string) {
	for _, f := range h.Old {
		list = append(list, f.Name)
	}
	for i, f := range h.New {
		if k := h.ToldBy(i); k < 0 || f.Name != h.Old[k].Name {
			list = append(list, f.Name)
		}
	}
	return list
}

// Listed are the names in the header, where there are several: contents may have
// them as well.
func (h *Header) Listed() (b []byte) {
	if h.isOne() {
		return nil
	}
	for _, name := range h.names() {
		b = append(append(b, name...), 0)
	}
	return b
}

// appendFirst is the first byte, and the kinds with the counts.
func (h *Header) appendFirst(list []byte) []byte {
	first := byte(0)
	if h.hasMore() {
		first |= columnsMore
	}
	if h.isOne() {
		return []byte{first | columnsOne | list[0]<<columnsKind}
	}
	b := binary.AppendUvarint([]byte{first}, uint64(len(h.Old)))
	return append(binary.AppendUvarint(b, uint64(len(h.New))), list...)
}

func (h *Header) hasMore() bool {
	return len(h.Recipes) > 0 || len(h.Keys) > 0 || h.Memory != MemoryUsual
}

func (h *Header) appendMore(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(h.Recipes)))
	for _, r := range h.Recipes {
		b = append(append(b, byte(slices.Index(Methods[:], r.Method))), r.Params[:]...)
	}
	b = h.appendKeys(b)
	return binary.AppendUvarint(b, uint64((h.Memory+1<<20-1)>>20))
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

// Sums are those of all old files, of all new ones, of each old file and of each
// segment.
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
	if h.IsListed() {
		for _, s := range h.Parts {
			b = append(b, s.Sum[:]...)
		}
	}
	return b
}

// readColumns reads all but the sums.
func (h *Header) readColumns(f *fields.Reader, listed bool) {
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
		h.readMore(f)
	}
	if listed {
		h.readSegments(f)
	}
	h.readNames(f, list, twins)
}

// readTwins reads which old files tell the new ones.
func (h *Header) readTwins(f *fields.Reader, list []byte) []int {
	twins, next := make([]int, len(list)), 0
	h.Told = twins
	h.Same = make([]int, len(list))
	for i, k := range list {
		twins[i], h.Same[i] = -1, -1
		if k >= kinds || k&kindAlone != 0 && k&^(kindAlone|kindMade) != 0 {
			f.Fail("kind %d of a new file", k)
		}
		if k&kindAlone != 0 {
			continue
		}
		if k&kindStep != 0 {
			next += int(f.Signed("step to an old file", MaxFiles))
		}
		if next < 0 || next >= len(h.Old) {
			f.Fail("old file %d of %d", next, len(h.Old))
			return twins
		}
		twins[i] = next
		if k&(kindMade|kindSize) == 0 {
			h.Same[i] = next
		}
		next++
	}
	return twins
}

func (h *Header) readSizes(f *fields.Reader, list []byte, twins []int) {
	for i := range h.Old {
		h.Old[i].Size = f.Number("size", 1<<62)
	}
	for i := range h.New {
		size := &h.New[i].Size
		switch {
		case list[i]&kindAlone != 0:
			*size = f.Number("size", 1<<62)
		case list[i]&kindSize != 0:
			*size = f.Signed("size", 1<<62) + h.Old[max(twins[i], 0)].Size
		case twins[i] >= 0:
			*size = h.Old[twins[i]].Size
		}
		if *size < 0 || *size > 1<<62 || f.Err() == nil && h.Same[i] < 0 && (*size > 0) != (list[i]&kindMade != 0) {
			f.Fail("size of new file %d", i)
		}
	}
}

func (h *Header) readMore(f *fields.Reader) {
	h.Recipes = make([]Recipe, f.Count("recipes", maxRecipes, 5))
	for i := range h.Recipes {
		m := f.Number("method", int64(len(Methods))-1)
		h.Recipes[i].Method = Methods[m]
		copy(h.Recipes[i].Params[:], f.Bytes(4))
	}
	h.readKeys(f)
	h.Memory = f.Number("memory", 1<<20) << 20
}

func (h *Header) readSegments(f *fields.Reader) {
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

func (h *Header) readNames(f *fields.Reader, list []byte, twins []int) {
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
	for i := range h.Old {
		h.Old[i].Name = name()
	}
	for i := range h.New {
		if list[i]&(kindName|kindAlone) != 0 {
			h.New[i].Name = name()
		} else if twins[i] >= 0 {
			h.New[i].Name = h.Old[twins[i]].Name
		}
	}
}

// readSums reads the sums, and tells files what is known of theirs.
func (h *Header) readSums(f *fields.Reader, listed bool) {
	copy(h.OldSum[:], f.Bytes(oldSumStored))
	h.NewSum = Sum(f.Bytes(len(Sum{})))
	readShort(f, h.Old)
	if len(h.Old) == 1 {
		h.Old[0].Sum, h.Old[0].Unknown = h.OldSum, 8*(len(Sum{})-oldSumStored)
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

// AreOld reports that sums are those of all old files, and then knows them.
func (h *Header) AreOld(sums []Sum) bool {
	files := withSums(h.Old, sums)
	all := sumOfAll(files)
	if !bytes.Equal(all[:oldSumStored], h.OldSum[:oldSumStored]) {
		return false
	}
	h.Old = files
	return true
}

// AreNew reports that sums are those of all new files.
func (h *Header) AreNew(sums []Sum) bool { return sumOfAll(withSums(h.New, sums)) == h.NewSum }

func withSums(files []File, sums []Sum) []File {
	files = slices.Clone(files)
	for i := range files {
		files[i].Sum, files[i].Unknown = sums[i], 0
	}
	return files
}

// FindSame finds the new files that are old ones, unchanged: those that are called
// so, else the next, else the first; and what tells about the others.
func (h *Header) FindSame() {
	type state struct {
		size int64
		sum  Sum
	}
	first, named := map[state]int{}, map[string]int{}
	for i := len(h.Old) - 1; i >= 0; i-- {
		f := h.Old[i]
		first[state{f.Size, f.Sum}], named[f.Name] = i, i
	}
	h.Same = make([]int, len(h.New))
	next := 0
	for i, f := range h.New {
		k, ok := named[f.Name]
		if !ok || h.Old[k].Sum != f.Sum {
			k = next
		}
		if k == len(h.Old) || h.Old[k].Sum != f.Sum || h.Old[k].Size != f.Size {
			if k, ok = first[state{f.Size, f.Sum}]; !ok {
				k = -1
			}
		}
		if h.Same[i] = k; k >= 0 {
			next = k + 1
		}
	}
	h.findTold()
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
