package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"slices"
)

// insertZen stores what chunks of IoStore containers say beside packages.
func (t *batchTx) insertZen(facts []*Entry) error {
	err := t.insertRows("INSERT OR IGNORE INTO script_object (content_id, id, name_id) SELECT a, c, d FROM src", facts,
		func(f *Facts) int { return len(f.Scripts) },
		func(f *Facts, i, col int) driver.Value {
			if col == 2 {
				return f.Scripts[i].ID
			}
			return f.Scripts[i].nameID
		})
	if err != nil {
		return err
	}
	err = t.insertRows("INSERT INTO container_package (content_id, seq, package, shaders, optional) SELECT a, b, c, d, e FROM src", facts,
		func(f *Facts) int { return len(f.container().Packages) },
		func(f *Facts, i, col int) driver.Value {
			switch p := &f.Container.Packages[i]; col {
			case 2:
				return p.ID
			case 3:
				return p.Shaders
			default:
				return flag(p.Optional)
			}
		})
	if err != nil {
		return err
	}
	return t.insertRows("INSERT INTO container_import (content_id, seq, package, import, soft) SELECT a, b, c, d, e FROM src", facts,
		func(f *Facts) int { return len(f.container().Imports) },
		func(f *Facts, i, col int) driver.Value {
			switch im := &f.Container.Imports[i]; col {
			case 2:
				return im.Package
			case 3:
				return im.Import
			default:
				return flag(im.Soft)
			}
		})
}

func (f *Facts) container() *Container {
	if f.Container == nil {
		return &Container{}
	}
	return f.Container
}

// ScriptObjects returns the paths of the objects of programs by id, as the
// newest content that lists any has them. It may be called from any goroutine
// while the build is collected.
func (b *Build) ScriptObjects(ctx context.Context) (map[int64]string, error) {
	rows, err := b.c.reader.QueryContext(ctx, `SELECT s.id, n.name
		FROM script_object s
		JOIN name n ON n.name_id = s.name_id
		WHERE s.content_id = (SELECT max(content_id) FROM script_object)`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	paths := map[int64]string{}
	for rows.Next() {
		var id int64
		var path string
		if err := rows.Scan(&id, &path); err != nil {
			return nil, err
		}
		paths[id] = path
	}
	return paths, rows.Err()
}

// Unresolved completes what was added so far and returns the contents of the
// build that refer to objects of the program by ids that the catalog can name
// by now, by archive and ordinal. After it nothing but [Build.AddScanned] and
// [Build.ReplaceFacts] may be added.
func (b *Build) Unresolved(ctx context.Context) ([]Target, error) {
	if err := b.flush(); err != nil {
		return nil, err
	}
	var targets []Target
	err := b.c.inTx(ctx, func(tx *sql.Tx) (err error) {
		if err := b.insertMounts(ctx, tx); err != nil {
			return err
		}
		targets, err = readTargets(ctx, tx, unresolved, b.id)
		return err
	})
	return targets, err
}

const unresolved = `SELECT r.content_id, ba.location, min(e.ordinal), '', 0
	FROM (SELECT DISTINCT id FROM script_object) s
	CROSS JOIN ref_key k ON k.key = s.id
	CROSS JOIN ref r ON r.content_id = k.content_id AND r.key = k.key
		AND r.space_id = (SELECT word_id FROM word WHERE word = 'script-object')
	CROSS JOIN entry e ON e.content_id = r.content_id
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?
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
