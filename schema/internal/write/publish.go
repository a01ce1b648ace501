package write

import (
	"context"
	"database/sql"
	_ "embed"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

//go:embed symbols.sql
var symbolsSQL string

//go:embed symbols_named.sql
var namedSymbolsSQL string

//go:embed chunk_names.sql
var chunkNamesSQL string

//go:embed links.sql
var linksSQL string

//go:embed build_problem_counts.sql
var buildProblemsSQL string

//go:embed value_problems.sql
var valueProblemsSQL string

//go:embed value_refs.sql
var valueRefsSQL string

// Publication is a build of which all rows are in the catalog.
type Publication struct {
	ID      int64
	Label   string
	Before  int64          // the last archive that was there when the build began
	Sets    int64          // the last set of values that was there then
	Mounts  []record.Mount // in their order
	Summed  bool           // one of them was read whose stored bytes have a checksum
	mounted int            // how many of Mounts are in the catalog
	files   []uint64       // hashes of the files of all entries that were added
	hidden  []shadow
}

// Publish makes the build visible in place of the one that had its label. One that
// mounts the very same archives as that leaves it as it is. src is temp.src of the
// connection that tx is on.
func (b *Publication) Publish(ctx context.Context, src *conn.Source, tx *sql.Tx) error {
	if err := b.InsertMounts(ctx, tx); err != nil {
		return err
	}
	old, err := buildOf(ctx, tx, b.Label)
	if err != nil {
		return err
	}
	if old != 0 {
		same, err := mountTheSame(ctx, tx, b.ID, old)
		if err != nil {
			return err
		}
		if same {
			old = b.ID
		}
		if err := removeBuild(ctx, tx, old); same || err != nil {
			return err
		}
	}
	return b.show(ctx, src, tx)
}

func (b *Publication) show(ctx context.Context, src *conn.Source, tx *sql.Tx) error {
	if err := b.insertShadows(ctx, src, tx); err != nil {
		return err
	}
	if err := b.insertValueRefs(ctx, tx); err != nil {
		return err
	}
	if err := b.insertSymbols(ctx, tx); err != nil {
		return err
	}
	linked, err := b.link(ctx, tx)
	if err != nil {
		return err
	}
	of := any(b.ID) // whose values may have other problems
	if linked {
		of = nil
		_, err = tx.ExecContext(ctx, problemCounts)
	} else {
		_, err = tx.ExecContext(ctx, buildProblemsSQL, b.ID)
	}
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, valueProblemsSQL, of); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE x_build SET complete = 1 WHERE build_id = ?", b.ID); err != nil {
		return err
	}
	return RemoveUnmounted(ctx, tx)
}

// canLinkSQL: entries wait for their contents, and the build may have read some. What an
// interrupted scan read counts when a build mounts it first.
const canLinkSQL = `SELECT EXISTS (SELECT 1 FROM x_entry_row INDEXED BY entry_unread WHERE content_id IS NULL AND sum IS NOT NULL)
	AND (?2 OR EXISTS (SELECT 1
		FROM x_build_archive ba
		WHERE ba.build_id = ?1 AND ba.archive_id <= ?3
			AND NOT EXISTS (SELECT 1
				FROM x_build_archive xb
				JOIN x_build x ON x.build_id = xb.build_id AND x.complete = 1
				WHERE xb.archive_id = ba.archive_id)))`

// link gives entries that were not read the contents that others, stored alike, were
// found to have. It reports whether there may be any, in archives of any build.
func (b *Publication) link(ctx context.Context, tx *sql.Tx) (can bool, err error) {
	if err := tx.QueryRowContext(ctx, canLinkSQL, b.ID, b.Summed, b.Before).Scan(&can); err != nil || !can {
		return can, err
	}
	if err := addSums(ctx, tx); err != nil {
		return can, err
	}
	return can, conn.ExecAll(ctx, tx, linksSQL)
}

// insertValueRefs adds what values refer to, if there are new ones.
func (b *Publication) insertValueRefs(ctx context.Context, tx *sql.Tx) error {
	last, err := conn.MaxID(ctx, tx, "x_value_set", "set_id")
	if err != nil || last <= b.Sets {
		return err
	}
	_, err = tx.ExecContext(ctx, valueRefsSQL, b.ID, b.Sets)
	return err
}

// insertSymbols says what names and ids mean in the build. To a build that
// was only listed it is of no use.
func (b *Publication) insertSymbols(ctx context.Context, tx *sql.Tx) error {
	scripts := []string{chunkNamesSQL}
	refers, err := hasReferences(ctx, tx, b.ID)
	if err != nil {
		return err
	}
	if refers {
		scripts = append(scripts, symbolsSQL, namedSymbolsSQL)
	}
	for _, script := range scripts {
		if _, err := tx.ExecContext(ctx, script, b.ID); err != nil {
			return err
		}
	}
	return nil
}

// InsertMounts adds those of Mounts that are not in the catalog yet.
func (b *Publication) InsertMounts(ctx context.Context, tx *sql.Tx) error {
	stmt, err := tx.PrepareContext(ctx, `INSERT INTO x_build_archive
		(build_id, ordinal, archive_id, name, location, mount_order, place, last_wins, stem)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''))`)
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for ; b.mounted < len(b.Mounts); b.mounted++ {
		m := b.Mounts[b.mounted]
		if _, err := stmt.ExecContext(ctx, b.ID, b.mounted, m.Archive, m.Name, m.Location, m.Order,
			m.Place, Flag(m.LastWins), m.Stem); err != nil {
			return err
		}
	}
	return nil
}

// hasReferences reports whether anything in the build refers to something: what
// names and ids mean is of no use to a build that was only listed.
func hasReferences(ctx context.Context, tx *sql.Tx, id int64) (found bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1
		FROM x_build_archive ba
		CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
		CROSS JOIN x_ref r ON r.content_id = e.content_id
		WHERE ba.build_id = ?1 AND (SELECT 1 FROM x_ref LIMIT 1) -- see symbols.sql
		UNION ALL
		SELECT 1
		FROM x_asset_registry g
		CROSS JOIN x_entry_row e INDEXED BY entry_content ON e.content_id = g.content_id
		CROSS JOIN x_archive a ON a.lineage_id = e.lineage_id AND e.since <= a.edition AND (e.until = 0 OR e.until > a.edition)
		CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id
		WHERE g.dependencies > 0 AND ba.build_id = ?1)`, id).Scan(&found)
	return found, err
}

// mountTheSame reports whether two builds mount the very same archives, and have the same
// values.
func mountTheSame(ctx context.Context, tx *sql.Tx, id, old int64) (same bool, err error) {
	const mounts = "SELECT ordinal, archive_id, name, location, mount_order, place, last_wins, stem FROM x_build_archive WHERE build_id = "
	const state = "(SELECT value_state FROM x_build WHERE build_id = "
	err = tx.QueryRowContext(ctx, "SELECT NOT EXISTS ("+mounts+"?1 EXCEPT "+mounts+"?2) AND NOT EXISTS ("+mounts+"?2 EXCEPT "+mounts+"?1) AND "+
		state+"?1) IS "+state+"?2)", id, old).Scan(&same)
	return same, err
}
