package explore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"pakdb/schema"
)

// mount is an archive of a build, as the tables know it.
type mount struct {
	ordinal                   int64 // build_archive.ordinal
	archive, lineage, edition int64
	name                      string
	root                      string // archive.game_root: what is before its paths in the game's file system
}

func loadMounts(ctx context.Context, db *sql.DB, build int64) (mounts []mount, err error) {
	err = schema.EachRow(ctx, db, `SELECT ba.ordinal, a.archive_id, a.lineage_id, a.edition, ba.name, a.game_root
		FROM x_build_archive ba
		JOIN x_archive a USING (archive_id)
		WHERE ba.build_id = ? ORDER BY ba.ordinal`, []driver.Value{build}, func(v []driver.Value) {
		mounts = append(mounts, mount{integer(v[0]), integer(v[1]), integer(v[2]), integer(v[3]), text(v[4]), text(v[5])})
	})
	return mounts, err
}

// Roots returns what is before the paths of each archive of some builds in the game's file
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
	ownSQL = `SELECT ba.ordinal, f.dir_id, coalesce(d.prefix, ''), f.files, f.size, f.stored, f.largest, f.ext_id
		FROM x_build_archive ba
		CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
		CROSS JOIN x_folder_sum f ON f.lineage_id = a.lineage_id AND f.since <= a.edition AND (f.until = 0 OR f.until > a.edition)
		LEFT JOIN x_dir d ON d.dir_id = f.dir_id
		WHERE ba.build_id = ?1`
	// Counted by ownSQL, and hidden by another entry.
	shadowSQL = `SELECT s.mount, p.dir_id, d.prefix, -count(*), -sum(r.size), -sum(r.stored), -1, 0
		FROM x_build_shadow s
		CROSS JOIN x_build_archive ba ON ba.build_id = s.build_id AND ba.ordinal = s.mount
		CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
		CROSS JOIN x_entry_row r ON r.lineage_id = a.lineage_id AND r.row = s.row
		CROSS JOIN x_path p ON p.path_id = r.path_id
		CROSS JOIN x_dir d ON d.dir_id = p.dir_id
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

// loadSums returns the sums of the files of all mounts, by folder; those of one folder may be
// several. What other entries hide is taken away by negative ones.
func loadSums(ctx context.Context, db *sql.DB, build int64) (all []sum, err error) {
	for _, query := range []string{ownSQL, shadowSQL} {
		err = errors.Join(err, schema.EachRow(ctx, db, query, []driver.Value{build}, func(v []driver.Value) {
			all = append(all, sum{integer(v[0]), integer(v[1]), text(v[2]), integer(v[3]), integer(v[4]), integer(v[5]), integer(v[6]), integer(v[7])})
		}))
	}
	return all, err
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
