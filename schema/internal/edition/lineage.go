package edition

import (
	"database/sql"
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

const previousSQL = `SELECT a.lineage_id, (SELECT max(x.edition) FROM archive x WHERE x.lineage_id = a.lineage_id) + 1, a.scan
FROM build b
CROSS JOIN build_archive ba ON ba.build_id = b.build_id
CROSS JOIN archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1 AND ba.name = ?1 AND a.format = ?2 AND a.mount_point = ?3 AND a.row_bits = ?4 AND a.row_base = ?5 AND a.complete = 1
  AND a.archive_id <= ?6
ORDER BY b.build_id DESC`

// Previous returns what archive id continues: the newest of the archives that had its
// name in earlier builds and were scanned alike; a lineage of its own for none. Only
// archives up to before count.
func Previous(db *sql.DB, id, before int64, a *record.Archive) (batch.Lineage, error) {
	l := batch.Lineage{ID: id}
	if a.Name == "" {
		return l, nil
	}
	err := previous(db, before, a, &l)
	if err != nil {
		err = fmt.Errorf("look for earlier editions of %s: %w", a.Name, conn.Classify(err))
	}
	return l, err
}

func previous(db *sql.DB, before int64, a *record.Archive, l *batch.Lineage) error {
	rows, err := db.Query(previousSQL, a.Name, a.Format, a.MountPoint, RowBits, RowBase, before)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var found batch.Lineage
		var scan string
		if err := rows.Scan(&found.ID, &found.Edition, &scan); err != nil {
			return err
		}
		if scan == a.Scan || a.Continues != nil && a.Continues(scan) {
			*l = found
			break
		}
	}
	return rows.Err()
}
