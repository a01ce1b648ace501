package schema

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
)

// Dictionary returns what ids stand for by the newest content that has rows in a
// table, whose columns are content_id, id and name_id. It may be called from any
// goroutine while the build is collected.
func (b *Build) Dictionary(ctx context.Context, table string) (map[int64]string, error) {
	rows, err := b.c.reader.QueryContext(ctx, `SELECT s.id, n.name
		FROM `+table+` s
		JOIN name n ON n.name_id = s.name_id
		WHERE s.content_id = (SELECT max(content_id) FROM `+table+`)`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	names := map[int64]string{}
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		names[id] = name
	}
	return names, rows.Err()
}

// Unresolved completes what was added so far and returns the contents of the
// build that refer, in a space, to ids that a dictionary in the catalog can name by
// now, by archive and ordinal. The table is as in [Build.Dictionary]. After it
// nothing but [Build.AddScanned] and
// [Build.ReplaceFacts] may be added.
func (b *Build) Unresolved(ctx context.Context, table, space string) ([]Target, error) {
	if err := b.flush(); err != nil {
		return nil, err
	}
	var targets []Target
	err := b.c.inTx(ctx, func(tx *sql.Tx) (err error) {
		if err := b.insertMounts(ctx, tx); err != nil {
			return err
		}
		targets, err = readTargets(ctx, tx, fmt.Sprintf(unresolved, table), b.id, space)
		return err
	})
	return targets, err
}

const unresolved = `SELECT r.content_id, ba.location, min(e.ordinal), '', 0
	FROM (SELECT DISTINCT id FROM %s) s
	CROSS JOIN ref_key k ON k.key = s.id
	CROSS JOIN ref r ON r.content_id = k.content_id AND r.key = k.key
		AND r.space_id = (SELECT word_id FROM word WHERE word = ?2)
	CROSS JOIN entry e ON e.content_id = r.content_id
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	GROUP BY r.content_id
	HAVING min(ba.ordinal) IS NOT NULL
	ORDER BY ba.ordinal, e.ordinal`

// ReplaceFacts stores other facts of contents that the catalog holds. Digests of
// packages stay as they are.
func (b *Build) ReplaceFacts(facts map[int64]*Facts) error {
	for _, id := range slices.Sorted(maps.Keys(facts)) {
		b.batch.replaced = append(b.batch.replaced, &Entry{contentID: id, Facts: facts[id]})
	}
	return b.flush()
}
