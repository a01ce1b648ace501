package batch

import "pakdb/schema/internal/record"

// maxTotals is how many rows the totals of an archive may have.
const maxTotals = 4096

// Totals are sums over the entries of an archive, by what these have in common. An
// archive of more than [maxTotals] kinds of entries has none: its entries are few, or
// named by somebody who wants to fill the memory.
type Totals struct {
	sums map[kindOfEntry]*Total
	last *Total // of the entry before, which the next one is often like
	many bool
}

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
	kind := kindOfEntry{HasPath: e.Name != "", Type: e.Type, Method: e.Method, Flags: e.Flags}
	if kind.HasPath {
		_, name := record.SplitPath(e.Name)
		kind.Ext = record.Ext(name)
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
