package diff

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"

	"pakdb/schema"
)

// Of two archives that are editions of one lineage only the rows are read that hold
// for one of them alone. All others are the same entry on both sides: the archives
// say the same about it, and its bytes have the same digest.

// markAkin marks the archives of both builds that are editions of one lineage.
func (l *loader) markAkin(ctx context.Context, old, new *build) error {
	if l.o.PerArchive {
		return nil // there the copies of an entry in its archive count
	}
	for i := range new.archives {
		b := &new.archives[i]
		at := slices.IndexFunc(old.archives, func(a archive) bool { return a.group == b.group })
		if at < 0 || b.shared || old.archives[at].lineage != b.lineage || old.archives[at].edition == b.edition {
			continue
		}
		a := &old.archives[at]
		var named bool // public names are of the archive as a whole
		err := l.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM named_resource WHERE archive_id IN (?, ?))", a.id, b.id).Scan(&named)
		if err != nil {
			return err
		}
		if !named {
			a.akin, b.akin = true, true
			a.twin, b.twin = b.ordinal, a.ordinal
			a.twinEdition, b.twinEdition = b.edition, a.edition
		}
	}
	return nil
}

// Rows of archive ?2 of build ?1 that do not hold for edition ?3, a later or an
// earlier one. The conditions of the partial indexes come last: SQLite takes the first
// of two lower bounds, and with 0 it read what all editions before had changed.
const (
	editionRows = `
	FROM build_archive ba
	CROSS JOIN archive v ON v.archive_id = ba.archive_id
	CROSS JOIN entry_row e INDEXED BY `
	rowsNotLater = editionRows + `entry_until ON e.lineage_id = v.lineage_id AND e.until > v.edition AND e.until <= ?3 AND e.until > 0
		AND e.since <= v.edition
	WHERE ba.build_id = ?1 AND ba.ordinal = ?2
	ORDER BY e.row`
	rowsNotEarlier = editionRows + `entry_since ON e.lineage_id = v.lineage_id AND e.since > ?3 AND e.since <= v.edition AND e.since > 0
		AND (e.until = 0 OR e.until > v.edition)
	WHERE ba.build_id = ?1 AND ba.ordinal = ?2
	ORDER BY e.row`
)

// readAkin reads what differs of archives that are akin. An archive with entries
// without a name, which are known by what else the archive says, is read as a whole.
func (l *loader) readAkin(ctx context.Context, old, new *build) error {
	err := both(ctx, old, new, func(ctx context.Context, b *build) error {
		for i := range b.archives {
			a := &b.archives[i]
			if !a.akin {
				continue
			}
			a.loaded, b.partly, b.keepsRows = true, true, true
			from := rowsNotLater
			if a.twinEdition < a.edition {
				from = rowsNotEarlier
			}
			if err := l.readRows(ctx, b, from, b.id, a.ordinal, a.twinEdition); err != nil {
				return err
			}
			if err := l.readRecorded(ctx, b, a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || !old.hasNameless() && !new.hasNameless() {
		return err
	}
	for _, b := range []*build{old, new} {
		b.rows, b.times, b.places, b.total, b.partly = nil, nil, nil, 0, false
		clear(b.under)
		for i := range b.archives {
			if a := &b.archives[i]; a.akin {
				a.akin, a.loaded = false, false
			}
		}
	}
	return nil
}

// recordedRows lists the rows of paths ?3 in archive ?2 of build ?1.
const recordedRows = `SELECT e.row
	FROM json_each(?3) j
	CROSS JOIN build_archive ba ON ba.build_id = ?1 AND ba.ordinal = ?2
	CROSS JOIN entry e ON e.path_id = j.value AND e.archive_id = ba.archive_id
	ORDER BY e.row`

// readRecorded reads entries that are the same on both sides, and of which the
// directories of the builds say different things.
func (l *loader) readRecorded(ctx context.Context, b *build, a *archive) error {
	if l.apart == nil {
		return nil
	}
	var paths, rows []int64
	for _, of := range l.apart.of {
		for path := range of {
			paths = append(paths, path)
		}
	}
	read := b.readAlready(a)
	err := batches(sortedSet(paths), func(paths []int64) error {
		return schema.EachRow(ctx, l.db, recordedRows, []driver.Value{b.id, a.ordinal, jsonInts(paths)}, func(v []driver.Value) {
			if row := integer(v[0]); !read[row] {
				rows = append(rows, row)
			}
		})
	})
	if err != nil {
		return err
	}
	slices.Sort(rows)
	return batches(rows, func(rows []int64) error {
		return l.readRows(ctx, b, someRows, b.id, a.ordinal, jsonInts(rows))
	})
}

// passesKept reports whether an entry that an archive has stored anew lies elsewhere
// among those that both editions have: between its rows is one of these.
func passesKept(ctx context.Context, r *Result, a, b *row) (bool, error) {
	from, to := r.old.places[a.seq], r.new.places[b.seq]
	archive := &r.new.archives[b.archive]
	first, last := min(archive.edition, archive.twinEdition), max(archive.edition, archive.twinEdition)
	passes := false
	err := schema.EachRow(ctx, r.db, `SELECT EXISTS (SELECT 1 FROM entry_row
		WHERE lineage_id = ?1 AND row > ?2 AND row < ?3 AND since <= ?4 AND (until = 0 OR until > ?5))`,
		[]driver.Value{archive.lineage, min(from, to), max(from, to), first, last}, func(v []driver.Value) { passes = integer(v[0]) != 0 })
	return passes, err
}

// movedAkin returns which entries of archives that are akin lie elsewhere among the
// others, as [orders.moved] does. Those that both editions have keep their order.
func movedAkin(ctx context.Context, r *Result, steps []step) (moved []step, reordered []int32, err error) {
	from := func(s step) int64 { return r.old.places[s.old] }
	to := func(s step) int64 { return r.new.places[s.new] }
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(from(a), from(b))) })
	for len(steps) > 0 {
		n := slices.IndexFunc(steps, func(s step) bool { return s.group != steps[0].group })
		if n < 0 {
			n = len(steps)
		}
		of := steps[:n]
		steps = steps[n:]
		out, err := movedOf(ctx, r, of, from, to)
		if err != nil {
			return nil, nil, err
		}
		if archive := &r.new.archives[r.new.rows[of[0].row].archive]; len(out) > 1 && int64(len(out)) > archive.entries/2 {
			reordered = append(reordered, of[0].group)
		} else {
			moved = append(moved, out...)
		}
	}
	return moved, reordered, nil
}

// movedOf does that for one archive; its steps are sorted by where they come from.
func movedOf(ctx context.Context, r *Result, steps []step, from, to func(step) int64) (moved []step, err error) {
	ranks := make([]step, len(steps))
	order := make([]int, len(steps))
	for i := range steps {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(to(steps[i]), to(steps[j])) })
	for rank, i := range order {
		ranks[i] = step{old: int32(i), new: int32(rank)}
	}
	out := map[int32]bool{}
	for _, s := range outOfOrder(ranks) {
		out[s.old] = true
	}
	for i, s := range steps {
		passes := out[int32(i)]
		if !passes && from(s)>>schema.RowBits != to(s)>>schema.RowBits {
			if passes, err = passesKept(ctx, r, &r.old.rows[s.oldRow], &r.new.rows[s.row]); err != nil {
				return nil, err
			}
		}
		if passes {
			moved = append(moved, s)
		}
	}
	return moved, nil
}

// readAlready returns the rows of an archive that were read.
func (b *build) readAlready(a *archive) map[int64]bool {
	read := map[int64]bool{}
	for i := range b.rows {
		if r := &b.rows[i]; a.akin && &b.archives[r.archive] == a {
			read[b.places[r.seq]] = true
		}
	}
	return read
}
