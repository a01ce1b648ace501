package delta

import (
	"bytes"
	"encoding/hex"
	"slices"

	"github.com/zeebo/blake3"
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

// Hash is what is known of the file's sum, in hexadecimal: of one file of many
// its first bytes, or nothing.
func (f *File) Hash() string { return f.Known(f.Sum) }

// Known is as much of a sum as is known of the file's.
func (f *File) Known(sum Sum) string { return hex.EncodeToString(sum[:len(sum)-(f.Unknown+7)/8]) }

// Files are the old files and the new ones of a patch, and how old ones describe new
// ones: a folder of which little changed is described in few bytes.
type Files struct {
	Old, New []File
	Told     []int // for each new file the old one that tells about it, or -1; nil: the first does
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

// ToldBy returns the old file that tells about a new one: its name, its size, and
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

// findTold finds the old files that new ones are told by.
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
// otherwise than the old one that tells about them.
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
// so, else the next, else the first; and what tells about the others.
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
