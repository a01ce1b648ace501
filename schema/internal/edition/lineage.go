package edition

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"

	"pakdb/schema/internal/batch"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// RowBits and RowBase: rows of a new lineage lie 1<<RowBits apart, so that what later editions put between
// two of them has room, and behind RowBase, so that much has room before them.
const (
	RowBits = 8
	RowBase = 1 << 20
)

// rowOf is the row of an entry in the first edition of a lineage.
func rowOf(ordinal int64) int64 { return (ordinal + RowBase) << RowBits }

const previousSQL = `SELECT a.lineage_id, (SELECT max(x.edition) FROM archive x WHERE x.lineage_id = a.lineage_id) + 1
FROM build b
CROSS JOIN build_archive ba ON ba.build_id = b.build_id
CROSS JOIN archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1 AND ba.name = ?1 AND a.format = ?2 AND a.mount_point = ?3 AND a.row_bits = ?7 AND a.row_base = ?8 AND a.complete = 1
  AND a.scan IN (?4, ?5) AND a.archive_id <= ?6
ORDER BY b.build_id DESC
LIMIT 1`

// Previous returns what archive id continues: the archives that had its name in
// earlier builds, if they were scanned alike; a lineage of its own for none. Only
// archives up to before count.
func Previous(db *sql.DB, id, before int64, a *record.Archive) (batch.Lineage, error) {
	fresh := batch.Lineage{ID: id}
	if a.Name == "" {
		return fresh, nil
	}
	var l batch.Lineage
	err := db.QueryRow(previousSQL, a.Name, a.Format, a.MountPoint, a.Scan, cmp.Or(a.FullScan, a.Scan), before,
		RowBits, RowBase).Scan(&l.ID, &l.Edition)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fresh, nil
	case err != nil:
		return fresh, fmt.Errorf("look for earlier editions of %s: %w", a.Name, conn.Classify(err))
	}
	return l, nil
}
