package side

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/diff/internal/facts"
	"pakdb/schema"
)

// Of two archives that are editions of one lineage only the rows are read that hold
// for one of them alone. All others are the same entry on both sides: the archives
// say the same about it, and its bytes have the same digest.

// markAkin marks the archives of both builds that are editions of one lineage.
func (l *loader) markAkin(ctx context.Context, old, new *Side) error {
	if l.o.PerArchive {
		return nil // there the copies of an entry in its archive count
	}
	for i := range new.Archives {
		b := &new.Archives[i]
		at := slices.IndexFunc(old.Archives, func(a Archive) bool { return a.Group == b.Group })
		if at < 0 || b.Shared || old.Archives[at].Lineage != b.Lineage || old.Archives[at].Edition == b.Edition {
			continue
		}
		a := &old.Archives[at]
		var named bool // public names are of the archive as a whole
		err := l.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM named_resource WHERE archive_id IN (?, ?))", a.ID, b.ID).Scan(&named)
		if err != nil {
			return err
		}
		if !named {
			a.Akin, b.Akin = true, true
			a.twin, b.twin = b.Ordinal, a.Ordinal
			a.TwinEdition, b.TwinEdition = b.Edition, a.Edition
		}
	}
	return nil
}

// editionRows lists the rows of lineage ?1 that hold for one alone of editions ?2 and
// ?3, of which ?2 is the earlier one, with the ordinal of its archive: ?4 for the
// earlier edition, ?5 for the later one. The rows are found by partial indexes, and
// read in stored order, where those of both editions lie side by side. The conditions
// of the partial indexes come last: SQLite takes the first of two lower bounds, and
// with 0 it read what all editions before had changed.
const editionRows = `SELECT CASE k.later WHEN 1 THEN ?5 ELSE ?4 END, ` + entryColumns + `, e.mtime, e.row, k.later
	FROM (
		SELECT row, 0 AS later
		FROM entry_row INDEXED BY entry_until
		WHERE lineage_id = ?1 AND until > ?2 AND until <= ?3 AND until > 0
		UNION ALL
		SELECT row, 1 AS later
		FROM entry_row INDEXED BY entry_since
		WHERE lineage_id = ?1 AND since > ?2 AND since <= ?3 AND since > 0
		ORDER BY row, later) k
	CROSS JOIN entry_row e ON e.lineage_id = ?1 AND e.row = k.row
	WHERE CASE k.later WHEN 1 THEN e.until = 0 OR e.until > ?3 ELSE e.since <= ?2 END`

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
	for i := range new.Archives {
		b := &new.Archives[i]
		if !b.Akin {
			continue
		}
		a := &old.Archives[slices.IndexFunc(old.Archives, func(a Archive) bool { return a.Ordinal == b.twin })]
		for _, s := range []*Side{old, new} {
			s.partly, s.keepsRows = true, true
		}
		a.Loaded, b.Loaded = true, true
		earlier, later, first, last := old, new, a, b
		if a.Edition > b.Edition {
			earlier, later, first, last = new, old, b, a
		}
		add := [2]func([]driver.Value){l.appendTo(earlier), l.appendTo(later)}
		err := schema.EachRow(ctx, l.db, editionRows, []driver.Value{b.Lineage, first.Edition, last.Edition, first.Ordinal, last.Ordinal},
			func(v []driver.Value) { add[facts.Integer(v[8])](v) })
		if err != nil {
			return err
		}
		new.noteAlone(b)
		for _, s := range []*Side{old, new} {
			s.total = max(s.total, len(s.Rows))
		}
		if err := l.readRecorded(ctx, old, a); err != nil {
			return err
		}
		if err := l.readRecorded(ctx, new, b); err != nil {
			return err
		}
	}
	return nil
}

// recordedRows lists the rows of paths ?3 in archive ?2 of build ?1.
const recordedRows = `SELECT e.row
	FROM json_each(?3) j
	CROSS JOIN build_archive ba ON ba.build_id = ?1 AND ba.Ordinal = ?2
	CROSS JOIN entry e ON e.path_id = j.value AND e.archive_id = ba.archive_id
	ORDER BY e.row`

// readRecorded reads entries that are the same on both sides, and of which the
// directories of the builds say different things.
func (l *loader) readRecorded(ctx context.Context, b *Side, a *Archive) error {
	if l.apart == nil {
		return nil
	}
	var paths, rows []int64
	for _, of := range l.apart.Of {
		for path := range of {
			paths = append(paths, path)
		}
	}
	read := b.readAlready(a)
	err := facts.Batches(facts.Set(paths), func(paths []int64) error {
		return schema.EachRow(ctx, l.db, recordedRows, []driver.Value{b.ID, a.Ordinal, facts.Array(paths)}, func(v []driver.Value) {
			if row := facts.Integer(v[0]); !read[row] {
				rows = append(rows, row)
			}
		})
	})
	if err != nil {
		return err
	}
	slices.Sort(rows)
	return facts.Batches(rows, func(rows []int64) error {
		return l.readRows(ctx, b, someRows, b.ID, a.Ordinal, facts.Array(rows))
	})
}

// PassesKept reports whether an entry that an archive has stored anew, rows a and b,
// lies elsewhere among those that both editions have: between its rows is one of these.
func (s *Sides) PassesKept(ctx context.Context, db *sql.DB, a, b *Row) (passes bool, err error) {
	from, to := s.Old.Places[a.Seq], s.New.Places[b.Seq]
	archive := &s.New.Archives[b.Archive]
	first, last := min(archive.Edition, archive.TwinEdition), max(archive.Edition, archive.TwinEdition)
	err = schema.EachRow(ctx, db, `SELECT EXISTS (SELECT 1 FROM entry_row
		WHERE lineage_id = ?1 AND row > ?2 AND row < ?3 AND since <= ?4 AND (until = 0 OR until > ?5))`,
		[]driver.Value{archive.Lineage, min(from, to), max(from, to), first, last}, func(v []driver.Value) { passes = facts.Integer(v[0]) != 0 })
	return passes, err
}
