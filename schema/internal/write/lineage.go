package write

import (
	"context"
	"database/sql"
	"fmt"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// Lineages finds what the archives of a build continue. It is for one goroutine.
type Lineages struct {
	db      *sql.DB
	before  int64          // the last archive that was there when the build began
	names   []string       // of the archives of the build
	claimed map[int64]bool // lineages that had one of names; nil: not looked up yet
	taken   map[int64]bool // lineages that archives of the build continue
}

// NewLineages returns what finds lineages of archives up to one, before.
func NewLineages(db *sql.DB, before int64) *Lineages {
	return &Lineages{db: db, before: before, taken: map[int64]bool{}}
}

// SetNames says what the archives of the build are called. No archive of another name
// continues what had one of these.
func (l *Lineages) SetNames(names []string) { l.names, l.claimed = names, nil }

// Previous returns what an archive continues: the newest of the archives that had its
// name in earlier builds and were scanned alike, or else the most alike of those whose
// name no archive of the build has; nil for none, and for those of lineages that are
// taken. It takes the lineage.
func (l *Lineages) Previous(ctx context.Context, a *record.Archive) (*Before, error) {
	if a.Name == "" {
		return nil, nil
	}
	found, err := l.find(ctx, a, byName, a.Name)
	if err == nil && found.ID == 0 && a.Sample != nil {
		found, err = l.mostAlike(ctx, a)
	}
	if err != nil {
		return nil, fmt.Errorf("look for earlier editions of %s: %w", a.Name, conn.Classify(err))
	}
	if found.ID == 0 || l.taken[found.ID] {
		return nil, nil
	}
	l.taken[found.ID] = true
	return &Before{lineage: found.Lineage}, nil
}

// candidate is a lineage that an archive may continue.
type candidate struct {
	Lineage
	name    string // of the newest archive of it that was scanned alike, in the newest build that has it
	build   int64  // that build
	entries int64  // of the last edition
}

// byName and byLineage begin candidatesSQL: they find archives, and the builds that have
// them, by ?4.
const (
	byName = `FROM x_build_archive ba
CROSS JOIN x_archive a ON a.archive_id = ba.archive_id AND ba.name = ?4`
	byLineage = `FROM x_archive a
CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id AND a.lineage_id = ?4`

	candidatesSQL = `SELECT a.lineage_id, a.scan, ba.name, b.build_id, last.edition + 1, last.entry_count
%s
CROSS JOIN x_build b ON b.build_id = ba.build_id
CROSS JOIN x_archive last ON last.lineage_id = a.lineage_id AND last.edition = (SELECT max(x.edition) FROM x_archive x WHERE x.lineage_id = a.lineage_id)
WHERE b.complete = 1 AND a.format = ?1 AND a.mount_point = ?2 AND a.complete = 1
  AND a.archive_id <= ?3
ORDER BY b.build_id DESC, ba.ordinal`
)

// find returns the lineage of the newest archive that is found so and was scanned as this
// one is; the zero value for none.
func (l *Lineages) find(ctx context.Context, a *record.Archive, by string, value any) (found candidate, err error) {
	rows, err := l.db.QueryContext(ctx, fmt.Sprintf(candidatesSQL, by), a.Format, a.MountPoint, l.before, value)
	if err != nil {
		return found, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c candidate
		var scan string
		if err := rows.Scan(&c.ID, &scan, &c.name, &c.build, &c.Edition, &c.entries); err != nil {
			return found, err
		}
		if scan == a.Scan || a.Continues != nil && a.Continues(scan) {
			return c, nil
		}
	}
	return found, rows.Err()
}
