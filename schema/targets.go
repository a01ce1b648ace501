package schema

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"maps"
	"slices"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/write"
)

// Target is a content of the build that is to be searched for known ids, and an
// entry that holds it.
type Target struct {
	Content  int64
	Location string // of the archive's file
	Ordinal  int64
	Spec     string // as in Facts.Scan
	Known    int64  // hash of the ids it was searched for; 0: none yet
}

// Targets completes what was added so far and returns the contents of the build
// that ask for a search, by archive and ordinal. After it nothing but
// [Build.AddScanned] and [Build.ReplaceFacts] may be added.
func (b *Build) Targets(ctx context.Context) ([]Target, error) {
	return listed(ctx, b, columnsOfTarget, searched, b.publish.ID)
}

const searched = `SELECT cs.content_id, ba.location, min(e.ordinal), w.word, cs.known
	FROM x_content_scan cs
	JOIN x_word w ON w.word_id = cs.spec_id
	JOIN x_entry e ON e.content_id = cs.content_id
	JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?
	GROUP BY cs.content_id
	HAVING min(ba.ordinal) IS NOT NULL
	ORDER BY ba.ordinal, e.ordinal`

func columnsOfTarget(t *Target) []any {
	return []any{&t.Content, &t.Location, &t.Ordinal, &t.Spec, &t.Known}
}

// listed completes what was added so far and returns the rows that a query lists.
func listed[T any](ctx context.Context, b *Build, columns func(*T) []any, query string, args ...any) (all []T, err error) {
	if err := b.flush(); err != nil {
		return nil, err
	}
	err = b.c.writer.InTx(ctx, func(tx *sql.Tx) error {
		if err := b.publish.InsertMounts(ctx, tx); err != nil {
			return err
		}
		all, err = conn.All(ctx, tx, columns, query, args...)
		return err
	})
	return all, err
}

// SpaceIDs yields every id that any build defines in a space.
func (b *Build) SpaceIDs(ctx context.Context, space string) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		ids, err := conn.All(ctx, b.c.reader, func(id *int64) []any { return []any{id} }, `SELECT key FROM x_symbol JOIN x_word ON word_id = space_id WHERE word = ?1
			UNION SELECT id FROM x_calligraphy_record JOIN x_word ON word_id = space_id WHERE word = ?1 AND id <> 0
			UNION SELECT guid FROM x_calligraphy_record WHERE ?1 = 'calligraphy_guid' AND guid <> 0
			UNION SELECT key FROM x_path_symbol JOIN x_word ON word_id = space_id WHERE word = ?1
			ORDER BY key`, space)
		if err != nil {
			yield(0, err)
			return
		}
		for _, id := range ids {
			if !yield(id, nil) {
				return
			}
		}
	}
}

// AddScanned stores what searches found, in place of what earlier ones did.
func (b *Build) AddScanned(ctx context.Context, found []Scanned) error {
	return b.pipeline.ReplaceScanned(ctx, found) // it is idle after Targets
}

// Dictionary returns the meaning of ids by the newest content that has rows in a
// table, whose columns are content_id, id and name_id. It may be called from any
// goroutine while the build is collected.
func (b *Build) Dictionary(ctx context.Context, table string) (map[int64]string, error) {
	type named struct {
		id   int64
		name string
	}
	all, err := conn.All(ctx, b.c.reader, func(n *named) []any { return []any{&n.id, &n.name} }, `SELECT s.id, n.name
		FROM `+table+` s
		JOIN x_name n ON n.name_id = s.name_id
		WHERE s.content_id = (SELECT max(content_id) FROM `+table+`)`)
	names := make(map[int64]string, len(all))
	for _, n := range all {
		names[n.id] = n.name
	}
	return names, err
}

// Unresolved completes what was added so far and returns the contents of the
// build that refer, in a space, to ids that a dictionary in the catalog can name by
// now, by archive and ordinal. The table is as in [Build.Dictionary]. After it
// nothing but [Build.AddScanned] and
// [Build.ReplaceFacts] may be added.
func (b *Build) Unresolved(ctx context.Context, table, space string) ([]Target, error) {
	return listed(ctx, b, columnsOfTarget, fmt.Sprintf(unresolved, table), b.publish.ID, space)
}

const unresolved = `SELECT r.content_id, ba.location, min(e.ordinal), '', 0
	FROM (SELECT DISTINCT id FROM %s) s
	CROSS JOIN x_ref_key k ON k.key = s.id
	CROSS JOIN x_ref r ON r.content_id = k.content_id AND r.key = k.key
		AND r.space_id = (SELECT word_id FROM x_word WHERE word = ?2)
	CROSS JOIN x_entry e ON e.content_id = r.content_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	GROUP BY r.content_id
	HAVING min(ba.ordinal) IS NOT NULL
	ORDER BY ba.ordinal, e.ordinal`

// ReplaceFacts stores other facts of contents that the catalog holds. Digests of
// packages stay as they are.
// Values, where there are any, take the place of those that follow from the content alone.
func (b *Build) ReplaceFacts(facts map[int64]*Facts, values map[int64]*Values) error {
	for _, id := range slices.Sorted(maps.Keys(facts)) {
		row := &write.Row{ContentID: id, Entry: Entry{Facts: facts[id], Values: values[id]}}
		if row.Values != nil {
			row.ExportsOf = &Package{}
		}
		b.batch.Replaced = append(b.batch.Replaced, row)
	}
	return b.flush()
}

// Known is an archive that an earlier scan made.
type Known struct {
	Archive  int64
	ModTime  int64   // of the file that was scanned, Unix nanoseconds
	Digest   *Digest // of the whole file; nil when it was not computed
	Entries  int64
	Size     int64
	Stored   int64
	Problems int64
}

// Known returns the archives that were scanned the same way from files of that
// size and quick digest, the one of the same time first. Those of this build are
// not among them: whether one is in the catalog yet is a matter of chance. It
// may be called from several goroutines at once.
func (b *Build) Known(ctx context.Context, size, mtime int64, quick Digest, scan string) (found []Known, err error) {
	b.c.known.Lock()
	defer b.c.known.Unlock()
	type stored struct {
		Known
		digest []byte
	}
	all, err := conn.All(ctx, b.c.reader, func(k *stored) []any {
		return []any{&k.Archive, &k.ModTime, &k.digest, &k.Entries, &k.Size, &k.Stored, &k.Problems}
	}, knownSQL, quick[:], size, scan, b.publish.Before, mtime)
	for _, k := range all {
		if len(k.digest) == len(Digest{}) {
			d := Digest(k.digest)
			k.Digest = &d
		}
		found = append(found, k.Known)
	}
	return found, err
}

const knownSQL = `SELECT archive_id, mtime, digest, entry_count, entry_size, entry_stored, problem_count
FROM x_archive
WHERE quick = ? AND size = ? AND scan = ? AND archive_id <= ? AND complete = 1
ORDER BY mtime <> ?, archive_id`
