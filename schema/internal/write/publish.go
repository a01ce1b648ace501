package write

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"hash/maphash"
	"maps"
	"slices"

	"pakdb/internal/mount"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
	"pakdb/schema/internal/rows"
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
		if err := removeBuilds(ctx, tx, "build_id = %d", old); same || err != nil {
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

// entryAt is an entry by the ordinal of its mount and its row.
type entryAt struct{ mount, row int64 }

// shadow is an entry that a game does not see, and what hides it.
type shadow struct{ at, by entryAt }

// seed makes hashes that nobody can foresee. Those of different files that are there twice
// may be equal, since what is found is compared.
var seed = maphash.MakeSeed()

// AddFile notes that an entry is that file of the game, empty for none.
func (b *Publication) AddFile(file []byte) {
	if len(file) > 0 {
		b.files = append(b.files, maphash.Bytes(seed, file))
	}
}

// FindShadows finds the entries that a game does not see. All entries are in the catalog.
// Files that are there twice are found by their keys first: most builds have few or none.
func (b *Publication) FindShadows(ctx context.Context, db *sql.DB) error {
	var scanned []int64 // by earlier builds
	mounts := map[int64][]int{}
	for i, m := range b.Mounts {
		mounts[m.Archive] = append(mounts[m.Archive], i)
		if m.Archive <= b.Before {
			scanned = append(scanned, m.Archive)
		}
	}
	err := rows.EachFile(ctx, db, scanned, func(f *rows.File) error {
		b.AddFile(f.File)
		return nil
	})
	if err != nil {
		return err
	}
	twice := repeated(b.files)
	b.files = nil
	if len(twice) == 0 {
		return nil
	}
	type held struct {
		entryAt
		key     record.Half
		deleted bool
	}
	var all []held
	archives := slices.Collect(maps.Keys(mounts))
	err = rows.EachFile(ctx, db, archives, func(f *rows.File) error {
		if twice[maphash.Bytes(seed, f.File)] {
			key := record.HashOf(string(f.File))
			for _, m := range mounts[f.Archive] {
				all = append(all, held{entryAt{int64(m), f.Row}, key, f.Flags&flagDeleted != 0})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(x, y held) int {
		m := &b.Mounts[x.mount]
		inArchive := cmp.Compare(x.row, y.row)
		if m.LastWins {
			inArchive = -inArchive
		}
		return cmp.Or(cmp.Compare(m.Place, b.Mounts[y.mount].Place), cmp.Compare(x.mount, y.mount), inArchive)
	})
	view := mount.NewView[record.Half, entryAt](len(twice))
	for _, h := range all {
		if by, ok := view.Offer(h.key, h.entryAt, int(h.mount), b.Mounts[h.mount].Order, h.deleted); ok {
			b.hidden = append(b.hidden, shadow{h.entryAt, by})
		}
	}
	slices.SortFunc(b.hidden, func(x, y shadow) int {
		return cmp.Or(cmp.Compare(x.at.mount, y.at.mount), cmp.Compare(x.at.row, y.at.row))
	})
	return nil
}

// insertShadows adds the entries that a game does not see.
func (b *Publication) insertShadows(ctx context.Context, src *conn.Source, tx *sql.Tx) error {
	src.Set(len(b.hidden), func(row, col int) driver.Value {
		s := &b.hidden[row]
		return [...]int64{s.at.mount, s.at.row, s.by.mount, s.by.row}[col]
	})
	_, err := tx.ExecContext(ctx, "INSERT INTO x_build_shadow (build_id, mount, row, by_mount, by_row) SELECT ?1, a, b, c, d FROM src", b.ID)
	return err
}

// repeated returns the keys that are there more than once.
func repeated(keys []uint64) map[uint64]bool {
	slices.Sort(keys)
	twice := map[uint64]bool{}
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			twice[keys[i]] = true
		}
	}
	return twice
}
