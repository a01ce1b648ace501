package write

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// Many games call an archive by its version: Game-1.0.pak, then Game-1.1.pak. What such
// an archive continues is found by its entries. Some of them are looked up, and the
// lineages counted that have them as they are. That is decided before any is read, and
// by what was there when the build began, so that it does not depend on the order in
// which archives are written.

// leastAlike is how alike archives are, in thousandths, that share as much as each of
// them has for itself: twice the entries in common by those of both together.
const leastAlike = 500

// mostAlike returns the lineage that is most alike to an archive of another name; the
// zero value for none.
func (l *Lineages) mostAlike(ctx context.Context, a *record.Archive) (best candidate, err error) {
	if any, err := l.hasOthers(ctx, a); err != nil || !any {
		return best, err
	}
	if err := l.claim(ctx); err != nil {
		return best, err
	}
	sample, err := a.Sample()
	if err != nil || sample == nil {
		return best, err
	}
	counts, err := l.count(ctx, sample.Some)
	if err != nil {
		return best, err
	}
	best.entries = -1
	likeness := int64(0)
	for _, id := range l.likeliest(counts, len(sample.Some)) {
		c, err := l.find(ctx, a, byLineage, id)
		if err != nil {
			return best, err
		}
		if c.ID == 0 {
			continue
		}
		alike := 2000 * counts[id] * sample.Given / (int64(len(sample.Some)) * max(1, sample.Given+c.entries))
		if alike < leastAlike {
			continue
		}
		if stem(c.name) == stem(a.Name) {
			alike *= 2
		}
		if alike > likeness || alike == likeness && c.build > best.build {
			best, likeness = c, alike
		}
	}
	return best, nil
}

// hasOthers reports whether there are archives at all that an archive may continue.
func (l *Lineages) hasOthers(ctx context.Context, a *record.Archive) (found bool, err error) {
	err = l.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_archive WHERE format = ? AND mount_point = ? AND complete = 1 AND archive_id <= ?)",
		a.Format, a.MountPoint, l.before).Scan(&found)
	return found, err
}

// claim looks up which lineages had names that archives of this build have.
func (l *Lineages) claim(ctx context.Context) error {
	if l.claimed != nil {
		return nil
	}
	names, err := json.Marshal(l.names)
	if err != nil {
		return err
	}
	claimed := map[int64]bool{}
	err = conn.EachRow(ctx, l.db, `SELECT DISTINCT a.lineage_id
		FROM x_build_archive ba
		CROSS JOIN x_build b ON b.build_id = ba.build_id
		CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
		WHERE b.complete = 1 AND ba.name IN (SELECT value FROM json_each(?))`, []driver.Value{string(names)},
		func(v []driver.Value) { claimed[v[0].(int64)] = true })
	if err == nil {
		l.claimed = claimed
	}
	return err
}

// holdersSQL lists the rows of a path that hold in the last editions of lineages. Of a
// path that is in many places only some are looked at: it proves little.
const holdersSQL = `SELECT r.lineage_id, r.stored, r.size
FROM (SELECT e.lineage_id, e.row
      FROM x_path_key k
      CROSS JOIN x_entry_row e INDEXED BY entry_path ON e.path_id = k.path_id
      WHERE k.key = ? AND e.lineage_id <= ?
      ORDER BY e.lineage_id DESC, e.row DESC
      LIMIT 256) h
CROSS JOIN x_entry_row r ON r.lineage_id = h.lineage_id AND r.row = h.row
WHERE r.until = 0`

// count returns how many entries of a sample lineages have, with the same sizes.
func (l *Lineages) count(ctx context.Context, sample []record.Outline) (counts map[int64]int64, err error) {
	counts = map[int64]int64{}
	asked := conn.NewStatements(l.db)
	defer func() { err = errors.Join(err, asked.Close()) }()
	for _, e := range sample {
		if e.Name == "" {
			continue
		}
		holders := map[int64]bool{}
		err := asked.EachRow(ctx, holdersSQL, []driver.Value{record.PathKey(e.Name), l.before}, func(v []driver.Value) {
			if v[1] == e.Stored && v[2] == e.Size {
				holders[v[0].(int64)] = true
			}
		})
		if err != nil {
			return nil, err
		}
		for id := range holders {
			counts[id]++
		}
	}
	return counts, nil
}

// maxCandidates is how many lineages are looked at, of which most are counted.
const maxCandidates = 16

// likeliest returns the lineages that may be alike enough, those that have most of the
// sample first, and the newest of equal ones.
func (l *Lineages) likeliest(counts map[int64]int64, sampled int) (ids []int64) {
	for id, n := range counts {
		if !l.claimed[id] && !l.taken[id] && 4*n >= int64(sampled) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(b, a)) })
	return ids[:min(len(ids), maxCandidates)]
}

// stem returns the letters of a name that are no version: without digits, and
// without parts that look like hashes.
func stem(name string) string {
	var b strings.Builder
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && r < 0x80
	})
	for _, part := range parts {
		letters := strings.TrimFunc(part, isDigit)
		if len(part) >= 6 && len(letters) < len(part) && strings.Trim(part, "0123456789abcdef") == "" {
			continue
		}
		for _, r := range part {
			if !isDigit(r) {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
