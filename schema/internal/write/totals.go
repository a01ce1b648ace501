package write

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"pakdb/schema/internal/record"
)

// maxTotals is how many rows the totals of an archive may have.
const maxTotals = 4096

// Totals are sums over the entries of an archive, by what these have in common. An
// archive of more than [maxTotals] kinds of entries has none: its entries are few, or
// made to fill the memory.
type Totals struct {
	sums map[kindOfEntry]*Total
	last *Total // of the entry before, which the next one is often like
	many bool
}

// Folder is a row of folder_sum: the files of an archive that lie directly in a folder.
type Folder struct {
	Lineage, Dir, Since int64 // Dir 0: of what has no path
	Files, Size, Stored int64
	Largest             int64  // size of the largest file
	Ext                 string // of that; of equally large ones the first
}

// unseen are the flags of what is no file of the game: delete records, entries of archives
// that are entries, and what describes an archive.
const unseen = 42

// Total is a row of archive_sum.
type Total struct {
	kindOfEntry
	Archive, Seq          int64
	Entries, Size, Stored int64
}

type kindOfEntry struct {
	Ext     string
	HasPath bool
	Type    string
	Method  string
	Flags   int64
}

// Add counts an entry.
func (t *Totals) Add(e *record.Entry) {
	if t.many {
		return
	}
	kind := kindOfEntry{Ext: extOf(e), HasPath: e.Name != "", Type: e.Type, Method: e.Method, Flags: e.Flags}
	if t.last == nil || t.last.kindOfEntry != kind {
		t.last = t.sums[kind]
	}
	if t.last == nil {
		if len(t.sums) == maxTotals {
			*t = Totals{many: true}
			return
		}
		if t.sums == nil {
			t.sums = map[kindOfEntry]*Total{}
		}
		t.last = &Total{kindOfEntry: kind, Seq: int64(len(t.sums))}
		t.sums[kind] = t.last
	}
	t.last.Entries++
	t.last.Size += e.Size
	t.last.Stored += e.Stored
}

// extOf returns the extension of the path of an entry, "" if it has none.
func extOf(e *record.Entry) string {
	_, name := path.Split(e.Name)
	return record.Ext(name)
}

// folderSums are sums over the files of an archive, by folder.
type folderSums struct {
	at  map[int64]uint32 // where in all, by the id of the folder
	all []Folder
}

// add counts an entry in its folder, 0 for one without a path.
func (s *folderSums) add(dir int64, e *record.Entry) {
	at, known := s.at[dir]
	if !known {
		at = uint32(len(s.all))
		s.at[dir] = at
		s.all = append(s.all, Folder{Dir: dir, Largest: -1})
	}
	f := &s.all[at]
	f.Files++
	f.Size += e.Size
	f.Stored += e.Stored
	if e.Size < f.Largest {
		return
	}
	if ext := extOf(e); e.Size > f.Largest || ext < f.Ext {
		f.Largest, f.Ext = e.Size, strings.Clone(ext)
	}
}

// rows returns the sums in the order of folders, as those of an edition.
func (s *folderSums) rows(of Lineage) []Folder {
	for i := range s.all {
		s.all[i].Lineage, s.all[i].Since = of.ID, of.Edition
	}
	slices.SortFunc(s.all, func(a, b Folder) int { return cmp.Compare(a.Dir, b.Dir) })
	return s.all
}

// Rows returns the sums, as those of an archive.
func (t *Totals) Rows(archive int64) []*Total {
	all := make([]*Total, len(t.sums))
	for _, sum := range t.sums {
		sum.Archive = archive
		all[sum.Seq] = sum
	}
	return all
}
