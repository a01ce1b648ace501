package side

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"math"
	"slices"

	"pakdb/schema"
)

// Of two archives that are editions of one lineage only the rows are read that hold
// for one of them alone. All others are the same entry on both sides: the archives
// say the same about it, and its bytes have the same digest.

// markAkin marks the archives of both builds that are editions of one lineage: those that
// are counterparts, or else those that are each the only one of the lineage.
func (l *loader) markAkin(ctx context.Context, old, new *Side) error {
	if l.o.PerArchive {
		return nil // there the copies of an entry in its archive count
	}
	oldGroups, newGroups := byGroup(old), byGroup(new)
	oldLineages, newLineages := byLineage(old), byLineage(new)
	named, err := l.namingArchives(ctx, old, new)
	if err != nil {
		return err
	}
	for i := range new.Archives {
		b := &new.Archives[i]
		a := oldGroups[b.Group]
		if a == nil && len(newLineages[b.Lineage]) == 1 && len(oldLineages[b.Lineage]) == 1 {
			a = oldLineages[b.Lineage][0]
			if newGroups[a.Group] != nil {
				continue // its counterpart is another one
			}
		}
		if a == nil || a.Shared || b.Shared || a.Lineage != b.Lineage || a.Edition == b.Edition {
			continue
		}
		if !named[a.ID] && !named[b.ID] { // public names are of the archive as a whole
			a.Akin, b.Akin = true, true
			a.twin, b.twin = b.Ordinal, a.Ordinal
			a.TwinEdition, b.TwinEdition = b.Edition, a.Edition
		}
	}
	return nil
}

// namingArchives returns the archives of both builds that give entries public names.
func (l *loader) namingArchives(ctx context.Context, builds ...*Side) (map[int64]bool, error) {
	var ids []int64
	for _, b := range builds {
		for i := range b.Archives {
			ids = append(ids, b.Archives[i].ID)
		}
	}
	named := map[int64]bool{}
	return named, Batches(Set(ids), func(ids []int64) error {
		return schema.EachRow(ctx, l.db, "SELECT value FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM x_named_resource WHERE archive_id = value)",
			[]driver.Value{Array(ids)}, func(v []driver.Value) { named[Integer(v[0])] = true })
	})
}

// readAkin reads what differs of archives that are akin. An archive with entries
// without a name, which are known by what else the archive says, is read as a whole.
func (l *loader) readAkin(ctx context.Context, old, new *Side) error {
	err := l.readEditions(ctx, old, new)
	if err != nil || !old.hasNameless() && !new.hasNameless() {
		return err
	}
	for _, b := range []*Side{old, new} {
		b.Rows, b.Times, b.Places, b.alone, b.total, b.partly = nil, nil, nil, nil, 0, false
		clear(b.under)
		for i := range b.Archives {
			if a := &b.Archives[i]; a.Akin {
				a.Akin, a.Loaded = false, false
			}
		}
	}
	return nil
}

// readEditions reads, of each pair of archives that are akin, what holds for one alone,
// and what directories say different things of.
func (l *loader) readEditions(ctx context.Context, old, new *Side) error {
	if !slices.ContainsFunc(new.Archives, func(a Archive) bool { return a.Akin }) {
		return nil
	}
	recorded, err := l.recordedRows(ctx)
	if err != nil {
		return err
	}
	return schema.Between(ctx, l.db, func(eachBetween schema.EachBetween) error {
		return l.readPairs(ctx, old, new, recorded, eachBetween)
	})
}

func (l *loader) readPairs(ctx context.Context, old, new *Side, recorded map[int64][]int64, eachBetween schema.EachBetween) error {
	for i := range new.Archives {
		b := &new.Archives[i]
		if !b.Akin {
			continue
		}
		a := &old.Archives[old.at[b.twin]]
		for _, s := range []*Side{old, new} {
			s.partly, s.keepsRows = true, true
		}
		a.Loaded, b.Loaded = true, true
		earlier, later, first, last := old, new, a, b
		if a.Edition > b.Edition {
			earlier, later, first, last = new, old, b, a
		}
		from := [2]int{len(old.Rows), len(new.Rows)}
		if err := l.readBetween(eachBetween, [2]*Side{earlier, later}, [2]*Archive{first, last}); err != nil {
			return err
		}
		new.noteAlone(b, from[1])
		for _, s := range []*Side{old, new} {
			s.total = max(s.total, len(s.Rows))
		}
		rows := recorded[b.Lineage]
		if len(rows) == 0 {
			continue
		}
		// Rows that hold for one edition alone are read already, and most paths have no others.
		read := [2]map[int64]bool{old.rowsFrom(from[0]), new.rowsFrom(from[1])}
		rows = slices.DeleteFunc(slices.Clone(rows), func(row int64) bool { return read[0][row] || read[1][row] })
		if err := l.readRecorded(ctx, old, new, a, b, rows); err != nil {
			return err
		}
	}
	return nil
}

// readBetween reads what holds for one alone of two editions of a lineage, the earlier one
// first.
func (l *loader) readBetween(eachBetween schema.EachBetween, sides [2]*Side, of [2]*Archive) error {
	add := [2]func(*schema.Stored){l.appendTo(sides[0]), l.appendTo(sides[1])}
	lineage, first, last := of[0].Lineage, of[0].Edition, of[1].Edition
	return eachBetween(lineage, first, last, func(s *schema.Stored, later bool) error {
		i := 0
		if later {
			i = 1
		}
		s.Mount = of[i].Ordinal
		add[i](s)
		return nil
	})
}

// rowsOfPaths lists the rows that any edition of any lineage has of paths ?1. The index alone
// has them.
const rowsOfPaths = `SELECT e.lineage_id, e.row
	FROM json_each(?1) j
	CROSS JOIN x_entry_row e INDEXED BY entry_path ON e.path_id = j.value`

// recordedRows returns the rows of which the directories of the builds say different things, by
// their lineages.
func (l *loader) recordedRows(ctx context.Context) (rows map[int64][]int64, err error) {
	if l.apart == nil {
		return nil, nil
	}
	var paths []int64
	for _, of := range l.apart.Of {
		for path := range of {
			paths = append(paths, path)
		}
	}
	rows = map[int64][]int64{}
	err = Batches(Set(paths), func(paths []int64) error {
		return schema.EachRow(ctx, l.db, rowsOfPaths, []driver.Value{Array(paths)}, func(v []driver.Value) {
			rows[Integer(v[0])] = append(rows[Integer(v[0])], Integer(v[1]))
		})
	})
	return rows, err
}

// readRecorded reads entries that are the same on both sides, archives a and b, and of
// which the directories of the builds say different things.
func (l *loader) readRecorded(ctx context.Context, old, new *Side, a, b *Archive, rows []int64) error {
	slices.Sort(rows)
	return Batches(rows, func(rows []int64) error {
		if err := l.readRows(ctx, old, someRows, old.ID, a.Ordinal, Array(rows)); err != nil {
			return err
		}
		return l.readRows(ctx, new, someRows, new.ID, b.Ordinal, Array(rows))
	})
}

// nextKept returns the first row of lineage ?1 after row ?2 that editions ?3 and ?4 both
// have.
const nextKept = `SELECT row
	FROM x_entry_row
	WHERE lineage_id = ?1 AND row > ?2 AND since <= ?3 AND (until = 0 OR until > ?4)
	ORDER BY row
	LIMIT 1`

// PassKept returns which entries that an archive of the new side has stored anew lie
// elsewhere among those that both editions have: between the two rows of the entry is
// one of these. It fails when the catalog cannot be read.
//
// Pairs are answered by their lower rows in ascending order. A kept row that was found is
// the next one of all rows before it, so each row of the lineage is read once at most.
func (s *Sides) PassKept(ctx context.Context, archive *Archive, rows [][2]int64) (passes []bool, err error) {
	first, last := min(archive.Edition, archive.TwinEdition), max(archive.Edition, archive.TwinEdition)
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(slices.Min(rows[i][:]), slices.Min(rows[j][:])) })
	statements := schema.NewStatements(s.Old.db)
	defer func() { err = errors.Join(err, statements.Close()) }()
	passes = make([]bool, len(rows))
	return passes, statements.Together(ctx, func() error {
		kept := int64(math.MinInt64)
		for _, i := range order {
			low, high := slices.Min(rows[i][:]), slices.Max(rows[i][:])
			if low >= kept {
				kept = math.MaxInt64
				err := statements.EachRow(ctx, nextKept, []driver.Value{archive.Lineage, low, first, last}, func(v []driver.Value) { kept = Integer(v[0]) })
				if err != nil {
					return err
				}
			}
			passes[i] = kept < high
		}
		return nil
	})
}
