package schema

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/write"

	"github.com/zeebo/blake3"
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

const searched = `SELECT cs.content_id, ba.location, e.ordinal, w.word, cs.known
	FROM x_content_scan cs
	JOIN x_word w ON w.word_id = cs.spec_id
	JOIN x_entry e ON e.content_id = cs.content_id
	JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?
	GROUP BY cs.content_id
	HAVING ` + first + `
	ORDER BY ba.ordinal, e.ordinal`

// first is a condition that has SQLite take the other columns of a group from its first entry in the
// build, as with any single min().
const first = "min(ba.ordinal << 40 | e.ordinal) IS NOT NULL"

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

// SpaceIDs returns every id that any build defines in a space, each once and in order.
func (b *Build) SpaceIDs(ctx context.Context, space string) ([]int64, error) {
	return conn.All(ctx, b.c.finder.DB, func(id *int64) []any { return []any{id} }, `SELECT key FROM x_symbol JOIN x_word ON word_id = space_id WHERE word = ?1
		UNION SELECT id FROM x_calligraphy_record JOIN x_word ON word_id = space_id WHERE word = ?1 AND id <> 0
		UNION SELECT guid FROM x_calligraphy_record WHERE ?1 = 'calligraphy_guid' AND guid <> 0
		UNION SELECT key FROM x_path_symbol JOIN x_word ON word_id = space_id WHERE word = ?1
		ORDER BY key`, space)
}

// AddScanned stores what searches found, in place of what earlier ones did.
func (b *Build) AddScanned(ctx context.Context, found []Scanned) error {
	return b.pipeline.ReplaceScanned(ctx, found) // it is idle after Targets
}

// Dictionary returns the meaning of ids by the newest content that has rows in a
// table, whose columns are content_id, id and name_id. It may be called from any
// goroutine while the build is collected.
func (b *Build) Dictionary(ctx context.Context, table string) (map[int64]string, error) {
	return conn.Map[int64, string](ctx, b.c.finder.DB, `SELECT s.id, n.name
		FROM `+table+` s
		JOIN x_name n ON n.name_id = s.name_id
		WHERE s.content_id = (SELECT max(content_id) FROM `+table+`)`)
}

// Unresolved completes what was added so far and returns the contents of the
// build that refer, in a space, to ids that a dictionary in the catalog can name by
// now, by archive and ordinal. The table is as in [Build.Dictionary]. After it
// nothing but [Build.AddScanned] and
// [Build.ReplaceFacts] may be added.
func (b *Build) Unresolved(ctx context.Context, table, space string) ([]Target, error) {
	return listed(ctx, b, columnsOfTarget, fmt.Sprintf(unresolved, table), b.publish.ID, space)
}

const unresolved = `SELECT r.content_id, ba.location, e.ordinal, '', 0
	FROM (SELECT DISTINCT id FROM %s) s
	CROSS JOIN x_ref_key k ON k.key = s.id
	CROSS JOIN x_ref r ON r.content_id = k.content_id AND r.key = k.key
		AND r.space_id = (SELECT word_id FROM x_word WHERE word = ?2)
	CROSS JOIN x_entry e ON e.content_id = r.content_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	GROUP BY r.content_id
	HAVING ` + first + `
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
	ModTime  int64  // of the file that was scanned, Unix nanoseconds
	Digest   []byte // of the whole file; nil when it was not computed
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
	return conn.All(ctx, b.c.finder.DB, func(k *Known) []any {
		return []any{&k.Archive, &k.ModTime, &k.Digest, &k.Entries, &k.Size, &k.Stored, &k.Problems}
	}, knownSQL, quick[:], size, scan, b.publish.Before, mtime)
}

const knownSQL = `SELECT archive_id, mtime, digest, entry_count, entry_size, entry_stored, problem_count
FROM x_archive
WHERE quick = ? AND size = ? AND scan = ? AND archive_id <= ? AND complete = 1
ORDER BY mtime <> ?, archive_id`

// ValueTarget is a content of the build whose values need more than the content: classes,
// or the engine that made it.
type ValueTarget struct {
	Target
	Header      int64  // as in [Package]
	Package     string // long name, "" where it is not known
	Unversioned bool   // lists have no tags
	Guessed     bool   // the content does not state its engine
	Declares    bool   // it declares classes, structs or enums
	Engine      int64  // by which it was read, 427 for 4.27
}

const valueTargets = `SELECT s.content_id, s.header, ba.location, e.ordinal, s.traits & 1, s.traits >> 1 & 1, s.engine,
	EXISTS (SELECT 1 FROM x_value_export x CROSS JOIN x_name n ON n.name_id = x.class_id
		WHERE x.set_id = s.set_id AND (n.name GLOB '*Class' OR n.name GLOB '*Struct' OR n.name GLOB '*Enum')),
	coalesce(pn.name, root.word || substr(d.prefix || p.name, ve.start, length(d.prefix || p.name) - length(px.word) - ve.start), '')
FROM x_build_archive ba
CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
CROSS JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
CROSS JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header AND s.context = 0
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
LEFT JOIN x_word px ON px.word_id = p.ext_id
LEFT JOIN x_name pn ON pn.name_id = ve.name_id
LEFT JOIN x_word root ON root.word_id = ve.root_id
WHERE ba.build_id = ? AND s.traits & 3
GROUP BY s.set_id
HAVING ` + first + `
ORDER BY ba.ordinal, e.ordinal`

// ValueTargets completes what was added so far and returns the contents of the build
// whose values need more than the content, each once, by archive and ordinal. After it
// only [Build.AddSets] and [Build.SetValueState] may be called.
func (b *Build) ValueTargets(ctx context.Context) ([]ValueTarget, error) {
	return listed(ctx, b, func(t *ValueTarget) []any {
		return []any{&t.Content, &t.Header, &t.Location, &t.Ordinal, &t.Unversioned, &t.Guessed, &t.Engine, &t.Declares, &t.Package}
	}, valueTargets, b.publish.ID)
}

// ValueSet is the values of a content that is in the catalog.
type ValueSet struct {
	Content, Header int64
	Values          *Values
}

// AddSets stores values that hold in the build.
func (b *Build) AddSets(sets []ValueSet) error {
	for i := range sets {
		s := &sets[i]
		b.batch.Sets = append(b.batch.Sets, &write.Row{ContentID: s.Content, Entry: Entry{ExportsOf: &Package{Header: s.Header}, Values: s.Values}})
	}
	b.batch.Build = b.publish.ID
	return b.flush()
}

// HoldValues takes over the values with a context that hold in other builds of that
// state, and returns the contents and headers that have some.
func (b *Build) HoldValues(ctx context.Context, state int64, targets []ValueTarget) (taken map[[2]int64]bool, err error) {
	taken = map[[2]int64]bool{}
	err = b.c.writer.InTx(ctx, func(tx *sql.Tx) error {
		b.c.writer.Src.Set(len(targets), func(row, col int) driver.Value {
			return [...]int64{targets[row].Content, targets[row].Header}[min(col, 1)]
		})
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO x_build_value (build_id, set_id)
			SELECT ?1, s.set_id FROM src
			CROSS JOIN x_value_set s ON s.content_id = src.a AND s.header = src.b
			CROSS JOIN x_build_value v ON v.set_id = s.set_id
			CROSS JOIN x_build o ON o.build_id = v.build_id AND o.value_state = ?2 AND o.complete = 1`, b.publish.ID, state); err != nil {
			return err
		}
		sets, err := conn.All(ctx, tx, func(k *[2]int64) []any { return []any{&k[0], &k[1]} },
			"SELECT s.content_id, s.header FROM x_build_value v JOIN x_value_set s ON s.set_id = v.set_id WHERE v.build_id = ?", b.publish.ID)
		for _, k := range sets {
			taken[k] = true
		}
		return err
	})
	return taken, err
}

// SetValueState notes the hash of the classes and engine by which the values of the
// build were read.
func (b *Build) SetValueState(ctx context.Context, state int64) error {
	return b.c.writer.InTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE x_build SET value_state = ? WHERE build_id = ?", state, b.publish.ID)
		return err
	})
}

// Mappings returns the mappings that were given last, those of the first place first.
func (b *Build) Mappings(ctx context.Context) (all []Mapping, err error) {
	return LatestMappings(ctx, b.c.finder.DB)
}

// LatestMappings returns the mappings that a catalog was given last.
func LatestMappings(ctx context.Context, db *sql.DB) (all []Mapping, err error) {
	return conn.All(ctx, db, func(m *Mapping) []any { return []any{&m.Name, &m.Data} },
		"SELECT name, data FROM x_mapping WHERE used = (SELECT max(used) FROM x_mapping) ORDER BY mapping_id")
}

// RememberMappings keeps mappings for scans that are given none.
func (b *Build) RememberMappings(ctx context.Context, all []Mapping) error {
	if err := b.flush(); err != nil {
		return err
	}
	err := b.c.writer.InTx(ctx, func(tx *sql.Tx) error {
		var used, last int64
		err := tx.QueryRowContext(ctx, "SELECT coalesce(max(used), 0), coalesce(max(mapping_id), 0) FROM x_mapping").Scan(&used, &last)
		for _, m := range all {
			if err != nil {
				break
			}
			var id int64
			digest := blake3.Sum256(m.Data)
			err = tx.QueryRowContext(ctx, `INSERT INTO x_mapping (name, digest, used, data) VALUES (?, ?, ?, ?)
				ON CONFLICT (digest) DO UPDATE SET used = excluded.used, name = excluded.name RETURNING mapping_id`, m.Name, digest[:], used+1, m.Data).Scan(&id)
			if id > last { // it is new
				last = id
				row := &write.Row{Entry: Entry{ExportsOf: &Package{}, Values: m.Classes}}
				row.Exports.Mapping = id
				b.batch.Sets = append(b.batch.Sets, row)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return b.flush()
}

// failedClasses are the classes of objects of a build that could not be read by their
// schemas, which are known.
const failedClasses = `SELECT k.name
	FROM x_build_value v
	JOIN x_value_set s ON s.set_id = v.set_id AND s.traits & 1
	JOIN x_value_export x ON x.set_id = s.set_id AND x.why_id IS NOT NULL
	JOIN x_name w ON w.name_id = x.why_id
	JOIN x_name k ON k.name_id = x.class_id
	WHERE v.build_id = ? AND w.name NOT LIKE '%no schema for %' AND w.name NOT LIKE '%unknown layout%' AND w.name NOT LIKE '%truncated%'
	GROUP BY k.name
	ORDER BY count(*) DESC, k.name`

// MarkGuessed marks values of the build as guessed that were read by doubted schemas:
// those that doubt returns of the classes whose objects could not be read. It returns these
// classes. Nil marks nothing.
func (b *Build) MarkGuessed(ctx context.Context, doubt func(failed []string) func(class string) bool) (failed []string, err error) {
	if err := b.flush(); err != nil {
		return nil, err
	}
	err = b.c.writer.InTx(ctx, func(tx *sql.Tx) error {
		if failed, err = FirstTexts(ctx, tx, failedClasses, b.publish.ID); err != nil || len(failed) == 0 || doubt == nil {
			return err
		}
		doubted := doubt(failed)
		const exports = ` FROM x_build_value v
			JOIN x_value_set s ON s.set_id = v.set_id AND s.traits & 1
			JOIN x_value_export x ON x.set_id = s.set_id
			JOIN x_name k ON k.name_id = x.class_id
			WHERE v.build_id = ?`
		classes, err := conn.Map[string, int64](ctx, tx, "SELECT DISTINCT k.name, k.name_id"+exports, b.publish.ID)
		if err != nil {
			return err
		}
		maps.DeleteFunc(classes, func(class string, _ int64) bool { return !doubted(class) })
		ids := slices.Sorted(maps.Values(classes))
		b.c.writer.Src.Set(len(ids), func(row, _ int) driver.Value { return ids[row] })
		_, err = tx.ExecContext(ctx, `UPDATE x_property SET flags = flags | 4
			FROM (SELECT x.set_id, x.ordinal`+exports+` AND k.name_id IN (SELECT a FROM src)) AS d
			WHERE x_property.set_id = d.set_id AND x_property.export = d.ordinal`, b.publish.ID)
		return err
	})
	return failed, err
}

// Unread counts what was not read of packages whose lists have no tags.
type Unread struct {
	Objects int64  `json:"objects"` // without Tables
	Of      int64  `json:"of"`      // all of their objects
	Class   string `json:"class"`   // that most of them want and that nothing describes; "" for none

	Tables    int64  `json:"tables"`     // data tables whose rows were not read for want of their struct
	RowStruct string `json:"row_struct"` // that most of these want
	Structs   int64  `json:"structs"`    // how many they want
}

// Unread counts the objects of a build, in packages whose lists have no tags, that were not
// read.
func (c *Catalog) Unread(ctx context.Context, label string) (u Unread, err error) {
	var untagged bool // the view looks at all entries of the build
	err = c.writer.DB.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_value_set WHERE traits & 1)").Scan(&untagged)
	if err != nil || !untagged {
		return u, err
	}
	err = c.writer.DB.QueryRowContext(ctx, `SELECT coalesce(sum(lost), 0), coalesce(sum(exports), 0)
		FROM property_coverage WHERE build = ? AND unversioned`, label).Scan(&u.Objects, &u.Of)
	if err != nil || u.Objects == 0 {
		return u, err
	}
	err = conn.Each(ctx, c.writer.DB, func(rows *sql.Rows) error {
		var status, n int64
		var wanted string
		if err := rows.Scan(&status, &wanted, &n); err != nil {
			return err
		}
		if status == 1 { // the list of a table was read, and its rows were not
			u.RowStruct = cmp.Or(u.RowStruct, wanted)
			u.Tables, u.Structs, u.Objects = u.Tables+n, u.Structs+1, u.Objects-n
		} else {
			u.Class = cmp.Or(u.Class, wanted)
		}
		return nil
	}, `SELECT x.status, substr(w.name, instr(w.name, 'no schema for ') + 14) AS wanted, count(*)
		FROM property_coverage c
		CROSS JOIN x_value_export x ON x.set_id = c.set_id AND x.why_id IS NOT NULL
		JOIN x_name w ON w.name_id = x.why_id
		WHERE c.build = ? AND c.missing > 0 AND w.name LIKE '%no schema for %'
		GROUP BY x.status, wanted
		ORDER BY count(*) DESC, wanted`, label)
	return u, err
}
