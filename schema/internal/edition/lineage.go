package edition

import (
	"context"
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

// Previous returns what an archive continues: the newest of the archives that had its
// name in earlier builds and were scanned alike; nil for none, and for those of lineages
// that are taken. Only archives up to before count. It takes the lineage.
func Previous(ctx context.Context, db *sql.DB, before int64, a *record.Archive, taken map[int64]bool) (*Before, error) {
	if a.Name == "" {
		return nil, nil
	}
	l, err := previous(ctx, db, before, a)
	if err != nil {
		return nil, fmt.Errorf("look for earlier editions of %s: %w", a.Name, conn.Classify(err))
	}
	if l.ID == 0 || taken[l.ID] {
		return nil, nil
	}
	taken[l.ID] = true
	return &Before{lineage: l}, nil
}

func previous(ctx context.Context, db *sql.DB, before int64, a *record.Archive) (l batch.Lineage, err error) {
	rows, err := db.QueryContext(ctx, previousSQL, a.Name, a.Format, a.MountPoint, RowBits, RowBase, before)
	if err != nil {
		return l, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var found batch.Lineage
		var scan string
		if err := rows.Scan(&found.ID, &found.Edition, &scan); err != nil {
			return l, err
		}
		if scan == a.Scan || a.Continues != nil && a.Continues(scan) {
			return found, nil
		}
	}
	return l, rows.Err()
}
