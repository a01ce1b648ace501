package write

import (
	"cmp"
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

	folders map[string]*Folder // by prefix
	folder  *Folder            // of the entry before
	prefix  string             // of that
}

// Folder is a row of folder_sum: the files of an archive that lie directly in a folder.
type Folder struct {
	Lineage, Dir, Since int64 // filled in by the interner; Dir 0: of what has no path
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
	kind := kindOfEntry{HasPath: e.Name != "", Type: e.Type, Method: e.Method, Flags: e.Flags}
	prefix := ""
	if kind.HasPath {
		var name string
		prefix, name = record.SplitPath(e.Name)
		kind.Ext = record.Ext(name)
	}
	if e.Flags&unseen == 0 {
		t.addFile(e, prefix, &kind)
	}
	if t.many {
		return
	}
	if t.last == nil || t.last.kindOfEntry != kind {
		t.last = t.of(kind)
	}
	if t.last != nil {
		t.last.Entries++
		t.last.Size += e.Size
		t.last.Stored += e.Stored
	}
}

// noPath is the prefix of entries without a path: no folder has it.
const noPath = "\x00"

// addFile counts a file in its folder.
func (t *Totals) addFile(e *record.Entry, prefix string, kind *kindOfEntry) {
	if !kind.HasPath {
		prefix = noPath
	}
	f := t.folder
	if f == nil || t.prefix != prefix {
		if f = t.folders[prefix]; f == nil {
			if t.folders == nil {
				t.folders = map[string]*Folder{}
			}
			prefix = strings.Clone(prefix)
			f = &Folder{Largest: -1}
			t.folders[prefix] = f
		}
		t.folder, t.prefix = f, prefix
	}
	f.Files++
	f.Size += e.Size
	f.Stored += e.Stored
	if e.Size > f.Largest || e.Size == f.Largest && kind.Ext < f.Ext {
		f.Largest, f.Ext = e.Size, strings.Clone(kind.Ext)
	}
}

// Folders returns the sums by folder, as those of an edition whose folders have these ids.
func (t *Totals) Folders(of Lineage, dirs map[string]int64) []Folder {
	all := make([]Folder, 0, len(t.folders))
	for prefix, f := range t.folders {
		f.Lineage, f.Since = of.ID, of.Edition
		if prefix != noPath {
			f.Dir = dirs[prefix]
		}
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b Folder) int { return cmp.Compare(a.Dir, b.Dir) })
	return all
}

// of returns the sums for a kind of entries, nil where there are too many kinds.
func (t *Totals) of(kind kindOfEntry) *Total {
	sum := t.sums[kind]
	switch {
	case sum != nil:
	case len(t.sums) == maxTotals:
		t.sums, t.many = nil, true
	default:
		if t.sums == nil {
			t.sums = map[kindOfEntry]*Total{}
		}
		sum = &Total{kindOfEntry: kind, Seq: int64(len(t.sums))}
		t.sums[kind] = sum
	}
	return sum
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
