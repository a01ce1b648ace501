package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"iter"
	"slices"
)

// Target is a content of the build that is to be searched for known ids, and an
// entry that holds it.
type Target struct {
	Content  int64
	Location string // of the archive's file
	Ordinal  int64
	Spec     string // as in Facts.Scan
	Known    int64  // stands for the ids it was searched for; 0: none yet
}

// Targets completes what was added so far and returns the contents of the build
// that ask for a search, by archive and ordinal. After it nothing but
// [Build.AddScanned] and [Build.ReplaceFacts] may be added.
func (b *Build) Targets(ctx context.Context) ([]Target, error) {
	if err := b.flush(); err != nil {
		return nil, err
	}
	var targets []Target
	err := b.c.inTx(ctx, func(tx *sql.Tx) (err error) {
		if err := b.insertMounts(ctx, tx); err != nil {
			return err
		}
		targets, err = readTargets(ctx, tx, searched, b.id)
		return err
	})
	return targets, err
}

const searched = `SELECT cs.content_id, ba.location, min(e.ordinal), w.word, cs.known
	FROM content_scan cs
	JOIN word w ON w.word_id = cs.spec_id
	JOIN entry e ON e.content_id = cs.content_id
	JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?
	GROUP BY cs.content_id
	HAVING min(ba.ordinal) IS NOT NULL
	ORDER BY ba.ordinal, e.ordinal`

func readTargets(ctx context.Context, tx *sql.Tx, query string, args ...any) (targets []Target, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var t Target
		if err := rows.Scan(&t.Content, &t.Location, &t.Ordinal, &t.Spec, &t.Known); err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, rows.Err()
}

// SpaceIDs yields every id that any build defines in a space.
func (b *Build) SpaceIDs(ctx context.Context, space string) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		rows, err := b.c.reader.QueryContext(ctx, `SELECT key FROM symbol JOIN word ON word_id = space_id WHERE word = ?1
			UNION SELECT key FROM path_symbol JOIN word ON word_id = space_id WHERE word = ?1
			ORDER BY key`, space)
		if err != nil {
			yield(0, err)
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); !yield(id, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(0, err)
		}
	}
}

// Scanned is what a search found in a content.
type Scanned struct {
	Content int64
	Known   int64 // stands for the ids that were searched for
	Refs    []Ref
}

// AddScanned stores what searches found, in place of what earlier ones did.
func (b *Build) AddScanned(ctx context.Context, found []Scanned) error {
	return b.c.inTx(ctx, func(tx *sql.Tx) error {
		t := &batchTx{batchWriter: b.writer, ctx: ctx, tx: tx} // it is idle after Targets
		return t.replaceScanned(found)
	})
}

func (t *batchTx) replaceScanned(found []Scanned) error {
	var facts []*Entry
	for _, s := range found {
		facts = append(facts, &Entry{contentID: s.Content, Facts: &Facts{Scanned: s.Refs}})
		if err := t.addFactWords(facts[len(facts)-1].Facts); err != nil {
			return err
		}
	}
	value := func(row, col int) driver.Value {
		if col == 0 {
			return found[row].Content
		}
		return found[row].Known
	}
	for _, query := range []string{
		"DELETE FROM ref WHERE seq >= 1 << 32 AND content_id IN (SELECT a FROM src)",
		"UPDATE content_scan SET known = src.b FROM src WHERE content_id = src.a",
	} {
		if err := t.insert(query, len(found), value); err != nil {
			return err
		}
	}
	if err := t.insertScanned(facts); err != nil {
		return err
	}
	var keys []keyRow
	for _, e := range facts {
		keys = appendRefs(keys, e)
	}
	sortKeys(keys)
	return t.insertKeyRows(insertRefKeys, keys)
}

// updateScans stores what contents were found to hold that are in the catalog
// already, where they were searched for other ids then.
func (t *batchTx) updateScans(b *batch) error {
	stored := slices.DeleteFunc(b.stored, func(e *Entry) bool { return e.Facts.Known == 0 })
	var found []Scanned
	err := t.find("SELECT src.b, 1 FROM src CROSS JOIN content_scan s ON s.content_id = src.a WHERE s.known <> src.c",
		len(stored), func(row, col int) driver.Value {
			switch e := stored[row]; col {
			case 0:
				return e.contentID
			case 1:
				return int64(row)
			default:
				return e.Facts.Known
			}
		}, func(row int, _ int64) {
			e := stored[row]
			found = append(found, Scanned{Content: e.contentID, Known: e.Facts.Known, Refs: e.Facts.Scanned})
		})
	if err != nil || len(found) == 0 {
		return err
	}
	return t.replaceScanned(found)
}
