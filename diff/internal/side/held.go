package side

import (
	"context"
	"database/sql/driver"
	"slices"

	"pakdb/schema"
)

// contentsHeld lists which of the contents ?2 a build holds. It goes from rows to the
// editions of the build: the view entry goes to all editions of a lineage. The first row
// will do: contents are in many.
const contentsHeld = `WITH held AS MATERIALIZED (
		SELECT a.lineage_id, a.edition
		FROM x_build_archive ba
		JOIN x_archive a ON a.archive_id = ba.archive_id
		WHERE ba.build_id = ?1
	)
	SELECT j.value
	FROM json_each(?2) j
	WHERE EXISTS (SELECT 1
	              FROM x_entry_row e INDEXED BY entry_content
	              CROSS JOIN held h ON h.lineage_id = e.lineage_id AND h.edition >= e.since AND (e.until = 0 OR h.edition < e.until)
	              WHERE e.content_id = j.value)`

// HeldElsewhere sets in inOld, by their places, which contents the old build
// has, in archives of which not all rows were read as well. Most contents that changed
// are in no other row than the one that the new build has alone, which the index has
// without the row.
func (s *Sides) HeldElsewhere(ctx context.Context, contents *Places, inOld []bool) error {
	if of := s.Old.held; of != nil {
		for i, id := range contents.ids {
			inOld[i] = inOld[i] || id < int64(len(of)) && of[id]
		}
		return nil
	}
	if s.Old.isWhole() {
		return nil
	}
	db, alone := s.Old.db, s.New.alone
	if hasTwice(s.Old) {
		alone = nil // a row may hold for the other archive of its lineage
	}
	var open []int64
	err := LookUp(ctx, db, "SELECT e.content_id, e.lineage_id, e.row FROM ", "x_entry_row e INDEXED BY entry_content", "e.content_id", contents.ids,
		func(id int64, v []driver.Value) {
			if at, _ := contents.Find(id); !alone[lineageRow{Integer(v[1]), Integer(v[2])}] && !inOld[at] {
				open = append(open, id)
			}
		})
	if err != nil {
		return err
	}
	return Batches(slices.Compact(open), func(ids []int64) error {
		return schema.EachRow(ctx, db, contentsHeld, []driver.Value{s.Old.ID, Array(ids)}, func(v []driver.Value) {
			at, _ := contents.Find(Integer(v[0]))
			inOld[at] = true
		})
	})
}

// isWhole reports whether the rows of a build are all of its entries.
func (b *Side) isWhole() bool {
	return len(b.hidden) == 0 && !slices.ContainsFunc(b.Archives, func(a Archive) bool { return !a.Loaded || a.Akin })
}

// hasTwice reports whether two archives of a build are of one lineage.
func hasTwice(b *Side) bool {
	seen := map[int64]bool{}
	for i := range b.Archives {
		lineage := b.Archives[i].Lineage
		if seen[lineage] {
			return true
		}
		seen[lineage] = true
	}
	return false
}
