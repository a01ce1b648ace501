package explore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"pakdb/schema"
)

// mount is an archive of a build, as the tables know it.
type mount struct {
	ordinal                   int64 // build_archive.ordinal
	archive, lineage, edition int64
	name                      string
	root                      string // archive.game_root: what stands before its paths in the game's file system
	entries                   int64
}

func loadMounts(ctx context.Context, db *sql.DB, build int64) (mounts []mount, err error) {
	err = schema.EachRow(ctx, db, `SELECT ba.ordinal, a.archive_id, a.lineage_id, a.edition, ba.name, a.game_root, a.entry_count
		FROM x_build_archive ba
		JOIN x_archive a USING (archive_id)
		WHERE ba.build_id = ? ORDER BY ba.ordinal`, []driver.Value{build}, func(v []driver.Value) {
		mounts = append(mounts, mount{integer(v[0]), integer(v[1]), integer(v[2]), integer(v[3]), text(v[4]), text(v[5]), integer(v[6])})
	})
	return mounts, err
}

// Roots returns what stands before the paths of each archive of some builds in the game's file
// system, by the archives' names; nil if that is the same for all of them.
func Roots(ctx context.Context, db *sql.DB, builds ...int64) (map[string]string, error) {
	roots, different := map[string]string{}, map[string]bool{}
	for _, build := range builds {
		mounts, err := loadMounts(ctx, db, build)
		if err != nil {
			return nil, err
		}
		for i := range mounts {
			roots[mounts[i].name] = strings.TrimSuffix(mounts[i].root, "/")
			different[mounts[i].root] = true
		}
	}
	if len(different) < 2 {
		return nil, nil
	}
	return roots, nil
}

// sum is what a mount has in one folder of its own.
type sum struct {
	mount               int64 // build_archive.ordinal
	dir                 int64 // dir_id, 0 of what has no path
	prefix              string
	files, size, stored int64
	largest, ext        int64 // the size of the largest file, and its type
}

// What is no file of the game is left out as in the view files: delete records, entries of
// archives that are entries, what describes an archive.
const (
	// Rows are added up here: for SQLite to group them takes twice as long.
	ownSQL = `SELECT p.dir_id, p.ext_id, r.size, r.stored
		FROM x_entry_row r
		LEFT JOIN x_path p ON p.path_id = r.path_id
		WHERE r.lineage_id = ?1 AND r.since <= ?2 AND (r.until = 0 OR r.until > ?2) AND r.flags & 42 = 0 AND r.row >= ?3 AND r.row < ?4`
	// Counted by ownSQL, and hidden by another entry.
	shadowSQL = `SELECT s.mount, p.dir_id, -count(*), -sum(r.size), -sum(r.stored)
		FROM x_build_shadow s
		CROSS JOIN x_build_archive ba ON ba.build_id = s.build_id AND ba.ordinal = s.mount
		CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
		CROSS JOIN x_entry_row r ON r.lineage_id = a.lineage_id AND r.row = s.row
		CROSS JOIN x_path p ON p.path_id = r.path_id
		WHERE s.build_id = ?1 AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition) AND r.flags & 42 = 0
		GROUP BY s.mount, p.dir_id`
	// Files whose path another container has.
	namedSQL = `SELECT n.by_mount, n.mount, n.row, p.path_id, p.dir_id, d.prefix, p.ext_id, r.size, r.stored, o.dir_id, od.prefix
		FROM x_build_name n
		CROSS JOIN x_build_archive ba ON ba.build_id = n.build_id AND ba.ordinal = n.mount
		CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
		CROSS JOIN x_entry_row r ON r.lineage_id = a.lineage_id AND r.row = n.row
		CROSS JOIN x_path p ON p.path_id = n.path_id
		CROSS JOIN x_dir d ON d.dir_id = p.dir_id
		LEFT JOIN x_path o ON o.path_id = r.path_id
		LEFT JOIN x_dir od ON od.dir_id = o.dir_id
		WHERE n.build_id = ?1 AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition) AND r.flags & 42 = 0
			AND NOT EXISTS (SELECT 1 FROM x_build_shadow s WHERE s.build_id = n.build_id AND s.mount = n.mount AND s.row = n.row)`
)

// rowsOfPart is about how many rows are added up at once.
const rowsOfPart = 250_000

// part is rows of a mount.
type part struct {
	*mount
	from, to int64 // rows, to is not one of them
}

// cut cuts mounts into parts that are read side by side.
func cut(ctx context.Context, db *sql.DB, mounts []mount) (parts []part, err error) {
	for i := range mounts {
		m := &mounts[i]
		n := min(m.entries/rowsOfPart, 15) + 1
		if n == 1 {
			parts = append(parts, part{m, math.MinInt64, math.MaxInt64})
			continue
		}
		var first, last int64
		err := db.QueryRowContext(ctx, `SELECT (SELECT min(row) FROM x_entry_row WHERE lineage_id = ?1), (SELECT max(row) FROM x_entry_row WHERE lineage_id = ?1)`, m.lineage).Scan(&first, &last)
		if err != nil {
			return nil, err
		}
		step := (last-first)/n + 1
		for from := first; from <= last; from += step {
			parts = append(parts, part{m, from, from + step})
		}
	}
	return parts, nil
}

// loadSums adds up the files of all mounts, by folder; the sums of one folder may be
// several. What other entries hide is taken away by negative ones.
func loadSums(ctx context.Context, db *sql.DB, build int64, mounts []mount, words map[int64]string) ([]sum, error) {
	parts, err := cut(ctx, db, mounts)
	if err != nil {
		return nil, err
	}
	found := make([][]sum, len(parts)+1)
	g, together := errgroup.WithContext(ctx)
	g.SetLimit(min(runtime.GOMAXPROCS(0), 4))
	for i, p := range parts {
		g.Go(func() (err error) {
			found[i], err = p.sums(together, db, words)
			return err
		})
	}
	g.Go(func() error {
		return schema.EachRow(together, db, shadowSQL, []driver.Value{build}, func(v []driver.Value) {
			i := len(parts)
			found[i] = append(found[i], sum{mount: integer(v[0]), dir: integer(v[1]), files: integer(v[2]), size: integer(v[3]), stored: integer(v[4]), largest: -1})
		})
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	return all, loadPrefixes(ctx, db, all)
}

// sums adds up the rows of a part.
func (p *part) sums(ctx context.Context, db *sql.DB, words map[int64]string) ([]sum, error) {
	var all []sum
	at, last := map[int64]int{}, -1 // those of one folder mostly follow each other
	err := schema.EachRow(ctx, db, ownSQL, []driver.Value{p.lineage, p.edition, p.from, p.to}, func(v []driver.Value) {
		dir, size := integer(v[0]), integer(v[2])
		if last < 0 || all[last].dir != dir {
			var ok bool
			if last, ok = at[dir]; !ok {
				last = len(all)
				at[dir] = last
				all = append(all, sum{mount: p.ordinal, dir: dir, largest: -1})
			}
		}
		s := &all[last]
		s.files++
		s.size += size
		s.stored += integer(v[3])
		if ext := integer(v[1]); size > s.largest || size == s.largest && ext != s.ext && words[ext] < words[s.ext] {
			s.largest, s.ext = size, ext
		}
	})
	return all, err
}

// loadPrefixes looks up what folders are called.
func loadPrefixes(ctx context.Context, db *sql.DB, all []sum) error {
	prefixes := map[int64]string{}
	for i := range all {
		prefixes[all[i].dir] = ""
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(prefixes)))
	if err != nil {
		return err
	}
	err = schema.EachRow(ctx, db, "SELECT dir_id, prefix FROM x_dir WHERE dir_id IN (SELECT value FROM json_each(?))", []driver.Value{string(ids)},
		func(v []driver.Value) { prefixes[integer(v[0])] = text(v[1]) })
	for i := range all {
		all[i].prefix = prefixes[all[i].dir]
	}
	return err
}

// named is a file whose path another container has.
type named struct {
	by, mount, row, path int64
	size, stored         int64
}

// loadNamed returns the files whose path another container has, by the folder of that path,
// and their sums.
func loadNamed(ctx context.Context, db *sql.DB, build int64) (files map[int64][]named, sums []sum, err error) {
	files = map[int64][]named{}
	err = schema.EachRow(ctx, db, namedSQL, []driver.Value{build}, func(v []driver.Value) {
		f := named{integer(v[0]), integer(v[1]), integer(v[2]), integer(v[3]), integer(v[7]), integer(v[8])}
		dir := integer(v[4])
		files[dir] = append(files[dir], f)
		sums = append(sums, sum{f.by, dir, text(v[5]), 1, f.size, f.stored, f.size, integer(v[6])},
			sum{f.mount, integer(v[9]), text(v[10]), -1, -f.size, -f.stored, -1, 0}) // as which it was counted
	})
	return files, sums, err
}
