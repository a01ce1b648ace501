package side

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"

	"pakdb/internal/radix"
	"pakdb/schema"
)

// GUID is what a record of Marvel Heroes' directories keeps under any name. The zero
// GUID is none.
type GUID struct {
	Space int64 // word_id of the kind of record
	Value int64
}

// String returns the value in hex, as the catalog's views show it, or "none".
func (g GUID) String() string {
	if g.Value == 0 {
		return "none"
	}
	return fmt.Sprintf("%016x", uint64(g.Value))
}

// HasRecords reports whether any build of the catalog has directories with records.
func (c *Catalog) HasRecords(ctx context.Context) (bool, error) {
	return Exists(ctx, c.DB, "SELECT 1 FROM x_calligraphy_record")
}

// Records returns the GUIDs that the directories of a build give paths, by path_id;
// none of paths that they give several. paths must be sorted.
func (c *Catalog) Records(ctx context.Context, build int64, paths []int64) (map[int64]GUID, error) {
	of := map[int64]GUID{}
	ids, err := directories(ctx, c.DB, build)
	if err != nil || len(ids) == 0 || len(paths) == 0 {
		return of, err
	}
	records := int64(0)
	if err := c.DB.QueryRowContext(ctx, countRecords, Array(ids)).Scan(&records); err != nil {
		return nil, err
	}
	// A look-up by path costs about as much as reading four records in their order.
	if int64(len(paths)) > records/4 {
		err := eachRecord(ctx, c.DB, ids, func(r record) {
			if _, wanted := slices.BinarySearch(paths, r.path); wanted {
				setOnce(of, r.path, r.guid)
			}
		})
		return of, err
	}
	err = Batches(paths, func(paths []int64) error {
		return schema.EachRow(ctx, c.DB, recordGUIDs, []driver.Value{Array(ids), Array(paths)}, func(v []driver.Value) {
			setOnce(of, Integer(v[0]), GUID{Space: Integer(v[2]), Value: Integer(v[1])})
		})
	})
	return of, err
}

// record is what a directory says of a path.
type record struct {
	path int64
	guid GUID
}

// eachRecord calls do for the records of directories.
func eachRecord(ctx context.Context, db *sql.DB, directories []int64, do func(record)) error {
	return schema.EachRow(ctx, db, allRecords, []driver.Value{Array(directories)}, func(v []driver.Value) {
		do(record{Integer(v[0]), GUID{Space: Integer(v[2]), Value: Integer(v[1])}})
	})
}

// setOnce sets the meaning of a key. A key of several values, in damaged directories,
// means none: which one would count must not follow from the ids of a catalog.
func setOnce[K, V comparable](of map[K]V, key K, value V) {
	var none V
	if other, twice := of[key]; twice && other != value {
		value = none
	}
	of[key] = value
}

// directories lists the contents of a build's directories.
func directories(ctx context.Context, db *sql.DB, build int64) (ids []int64, err error) {
	err = schema.EachRow(ctx, db, recordDirectories, []driver.Value{build}, func(v []driver.Value) { ids = append(ids, Integer(v[0])) })
	return ids, err
}

// notAmong returns the ids that others lack.
func notAmong(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}

// Apart is what the directories of two builds, the old and the new one, say that
// those of the other do not.
type Apart struct {
	Of    [2]map[int64]GUID // by path_id; zero: several
	Paths [2]map[GUID]int64 // zero: several
}

// Apart returns nil where the directories of a build say nothing that those of the other
// do not.
func (c *Catalog) Apart(ctx context.Context, oldBuild, newBuild int64) (*Apart, error) {
	old, err := directories(ctx, c.DB, oldBuild)
	if err != nil {
		return nil, err
	}
	new, err := directories(ctx, c.DB, newBuild)
	if err != nil {
		return nil, err
	}
	return readApart(old, new, func(ids []int64) (said []record, err error) {
		err = eachRecord(ctx, c.DB, ids, func(r record) { said = append(said, r) })
		return said, err
	})
}

// readApart compares what directories say, by their contents, which are sorted.
func readApart(old, new []int64, read func(directories []int64) ([]record, error)) (*Apart, error) {
	if slices.Equal(old, new) {
		return nil, nil
	}
	var said [2][]record
	for i, ids := range [2][]int64{notAmong(old, new), notAmong(new, old)} {
		var err error
		if said[i], err = read(ids); err != nil {
			return nil, err
		}
		radix.Sort(said[i], func(r *record) int64 { return r.path }, compareRecords)
		said[i] = slices.Compact(said[i])
	}
	alone := [2][]record{without(said[0], said[1])}
	if alone[0] != nil {
		alone[1] = without(said[1], said[0])
	}
	if alone[1] == nil { // nothing to be apart from
		return nil, nil
	}
	found := &Apart{}
	for i, alone := range alone {
		found.Of[i], found.Paths[i] = make(map[int64]GUID, len(alone)), make(map[GUID]int64, len(alone))
		for _, r := range alone {
			setOnce(found.Of[i], r.path, r.guid)
			setOnce(found.Paths[i], r.guid, r.path)
		}
	}
	return found, nil
}

// without returns the records that others lack. Both are sorted.
func without(records, others []record) (alone []record) {
	for _, r := range records {
		for len(others) > 0 && compareRecords(others[0], r) < 0 {
			others = others[1:]
		}
		if len(others) == 0 || others[0] != r {
			alone = append(alone, r)
		}
	}
	return alone
}

func compareRecords(a, b record) int {
	if a.path != b.path {
		return cmp.Compare(a.path, b.path)
	}
	return cmp.Or(cmp.Compare(a.guid.Space, b.guid.Space), cmp.Compare(a.guid.Value, b.guid.Value))
}

// Replacements returns which GUIDs any of the builds names in the place of others:
// by the one that was replaced, the last one that took its place. One that has several
// successors has none.
func (c *Catalog) Replacements(ctx context.Context, builds ...int64) (map[int64]int64, error) {
	replaced := map[int64]int64{}
	for _, id := range builds {
		err := schema.EachRow(ctx, c.DB, replacedGUIDs, []driver.Value{id}, func(v []driver.Value) { setOnce(replaced, Integer(v[0]), Integer(v[1])) })
		if err != nil {
			return nil, err
		}
	}
	return replaced, nil
}

// recordGUIDs lists the GUIDs that Marvel Heroes' directories ?1, a JSON array of
// contents, give paths ?2.
const recordGUIDs = `SELECT r.path_id, r.guid, r.space_id
	FROM json_each(?2) j
	CROSS JOIN x_calligraphy_record r ON r.path_id = j.value
	WHERE r.content_id IN (SELECT value FROM json_each(?1))`

// allRecords lists the records of directories ?1, a JSON array of contents.
const allRecords = `SELECT r.path_id, r.guid, r.space_id
	FROM json_each(?1) j
	CROSS JOIN x_calligraphy_record r ON r.content_id = j.value`

// countRecords counts them by their last one, which the key of the table has.
const countRecords = `SELECT coalesce(sum(1 + (SELECT max(r.seq) FROM x_calligraphy_record r WHERE r.content_id = j.value)), 0)
	FROM json_each(?1) j`

// andSeen leaves entries e of archives ba out that the game does not see.
const andSeen = ` AND NOT EXISTS (SELECT 1
	                                FROM x_build_shadow s
	                                WHERE s.build_id = ba.build_id AND s.mount = ba.ordinal AND s.row = e.row)`

// recordDirectories lists the contents with records that a game sees in build ?1.
var recordDirectories = seenContents("x_calligraphy_record", "SELECT one.id FROM one")

// seenContents is a query over one(id): those contents with rows in a table that a
// game sees in build ?1. They are few among many rows: one is found from the one
// before.
func seenContents(table, query string) string {
	return "WITH RECURSIVE every(id) AS (SELECT min(content_id) FROM " + table + `
		UNION ALL
		SELECT (SELECT min(content_id) FROM ` + table + ` WHERE content_id > every.id) FROM every WHERE every.id IS NOT NULL
	), one AS MATERIALIZED (
		SELECT id
		FROM every
		WHERE EXISTS (SELECT 1
		              FROM x_entry e
		              JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
		              WHERE e.content_id = every.id` + andSeen + `)
		ORDER BY id
	)
	` + query
}

// replacedGUIDs lists which GUIDs a build says took the place of others.
var replacedGUIDs = seenContents("x_calligraphy_replacement", `SELECT DISTINCT r.old_guid, r.last_guid
	FROM one
	CROSS JOIN x_calligraphy_replacement r ON r.content_id = one.id AND r.last_guid <> 0`)
