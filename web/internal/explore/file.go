package explore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"pakdb/schema"
)

// ErrNoEntry means that a build has no such entry.
var ErrNoEntry = errors.New("no such entry in the build")

// Entry is an entry of an archive of a build.
type Entry struct {
	Build     string `json:"build"`
	Archive   string `json:"archive"`
	Ordinal   int64  `json:"ordinal"`
	Path      string `json:"path"`
	GamePath  string `json:"game_path"` // "" of what is no file of the game
	Type      string `json:"type,omitempty"`
	Kind      string `json:"kind,omitempty"`
	AssetID   string `json:"asset_id,omitempty"`
	PathHash  string `json:"path_hash,omitempty"`
	Offset    int64  `json:"offset"` // -1: none
	Stored    int64  `json:"stored"`
	Size      int64  `json:"size"`
	Method    string `json:"method"`
	Encrypted bool   `json:"encrypted"`
	Deleted   bool   `json:"deleted"`
	Nested    bool   `json:"nested"`
	Modified  string `json:"mtime,omitempty"`
	Content   string `json:"content,omitempty"` // BLAKE3 in hex

	HiddenBy string `json:"hidden_by,omitempty"` // the archive whose entry the game sees in its place
	Hides    int64  `json:"hides"`               // entries
	Copies   int64  `json:"copies"`              // entries of the build with that content, this one included

	ArchiveID int64     `json:"archive_id,omitempty"` // of a catalog
	ContentID int64     `json:"content_id,omitempty"`
	Problems  []Problem `json:"problems"`
}

// Problem is what was found wrong with an entry.
type Problem struct {
	Field  string `json:"field"`
	Offset int64  `json:"offset"`
	Cause  string `json:"cause"`
}

// Place is where an entry lies.
type Place struct {
	Archive string `json:"archive"`
	Ordinal int64  `json:"ordinal"`
}

// Entry returns an entry of a build. The error is of class [ErrNoEntry] if there is none.
func (c *Catalog) Entry(ctx context.Context, b *Build, at Place) (*Entry, error) {
	none := fmt.Errorf("%w: %s, entry %d of %s", ErrNoEntry, b.Label, at.Ordinal, at.Archive)
	m, row, err := c.row(ctx, b, at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, none
	} else if err != nil {
		return nil, schema.Classify(err)
	}
	var e *Entry
	isFile := false
	err = schema.EachRow(ctx, c.db, `SELECT e.path, e.type, e.kind, e.asset_id, e.path_hash, e.stored, e.size, e.method, e.encrypted,
			e.deleted, e.nested, e.mtime, e.content, e.content_id, e.ordinal,
			(SELECT r.flags & 42 FROM x_entry_row r WHERE r.lineage_id = ?5 AND r.row = ?3)
		FROM entries e WHERE e.build_id = ?1 AND e.archive_id = ?2 AND e.row_id = ?3 AND e.archive = ?4`,
		[]driver.Value{b.ID, m.archive, row, m.name, m.lineage}, func(v []driver.Value) {
			e = &Entry{Build: b.Label, Archive: at.Archive, Ordinal: integer(v[14]), Path: text(v[0]), Type: text(v[1]), Kind: text(v[2]), AssetID: text(v[3]),
				PathHash: text(v[4]), Stored: integer(v[5]), Size: integer(v[6]), Method: text(v[7]), Encrypted: integer(v[8]) != 0,
				Deleted: integer(v[9]) != 0, Nested: integer(v[10]) != 0, Modified: text(v[11]), Content: text(v[12]), ArchiveID: m.archive, ContentID: integer(v[13])}
			isFile = integer(v[15]) == 0
		})
	if err != nil {
		return nil, schema.Classify(err)
	}
	if e == nil || e.Ordinal != at.Ordinal {
		return nil, none
	}
	err = schema.Locate(ctx, c.db, func(at func(archive, row int64) (int64, error)) (err error) {
		e.Offset, err = at(m.archive, row)
		return err
	})
	if err != nil {
		return nil, schema.Classify(err)
	}
	if err := c.complete(ctx, b, m, row, e); err != nil {
		return nil, schema.Classify(err)
	}
	if isFile && e.HiddenBy == "" {
		e.GamePath, err = c.gamePath(ctx, b, m, row, e.Path)
	}
	return e, schema.Classify(err)
}

// gamePath returns where the game's file system has an entry: "" where nothing names it.
func (c *Catalog) gamePath(ctx context.Context, b *Build, m *mount, row int64, path string) (string, error) {
	var named string
	err := c.db.QueryRowContext(ctx, `SELECT a.game_root || d.prefix || p.name
		FROM x_build_name n
		JOIN x_build_archive ba ON ba.build_id = n.build_id AND ba.ordinal = n.by_mount
		JOIN x_archive a ON a.archive_id = ba.archive_id
		JOIN x_path p ON p.path_id = n.path_id
		JOIN x_dir d ON d.dir_id = p.dir_id
		WHERE n.build_id = ?1 AND n.mount = ?2 AND n.row = ?3`, b.ID, m.ordinal, row).Scan(&named)
	switch {
	case err == nil:
		return named, nil
	case !errors.Is(err, sql.ErrNoRows) || path == "":
		return "", ignoreNoRows(err)
	}
	return m.root + path, nil
}

func ignoreNoRows(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// row finds the row of an entry. Entries of an archive that continues another one moved by
// what lies in front of them: its places say how far.
func (c *Catalog) row(ctx context.Context, b *Build, at Place) (*mount, int64, error) {
	var m mount
	var row int64
	err := c.db.QueryRowContext(ctx, `SELECT ba.ordinal, a.archive_id, a.lineage_id, a.edition, ba.name, a.game_root
		FROM x_build_archive ba
		JOIN x_archive a USING (archive_id)
		WHERE ba.build_id = ? AND ba.name = ?`, b.ID, at.Archive).Scan(&m.ordinal, &m.archive, &m.lineage, &m.edition, &m.name, &m.root)
	if err != nil {
		return nil, 0, err
	}
	err = c.db.QueryRowContext(ctx, `WITH first AS MATERIALIZED (
			SELECT coalesce((SELECT s.row + (?2 - s.ordinal) * s.step FROM x_archive_place s
				WHERE s.archive_id = ?1 AND s.ordinal <= ?2 ORDER BY s.row DESC LIMIT 1), -1 << 63) AS row
		)
		SELECT e.row FROM first CROSS JOIN x_entry e ON e.archive_id = ?1 AND e.row >= first.row
		WHERE e.ordinal >= ?2 ORDER BY e.row LIMIT 1`, m.archive, at.Ordinal).Scan(&row)
	return &m, row, err
}

// complete adds what other entries have to do with one.
func (c *Catalog) complete(ctx context.Context, b *Build, m *mount, row int64, e *Entry) error {
	err := schema.EachRow(ctx, c.db, `SELECT ba.name
		FROM x_build_shadow s
		JOIN x_build_archive ba ON ba.build_id = s.build_id AND ba.ordinal = s.by_mount
		WHERE s.build_id = ?1 AND s.mount = ?2 AND s.row = ?3`, []driver.Value{b.ID, m.ordinal, row}, func(v []driver.Value) { e.HiddenBy = text(v[0]) })
	if err != nil {
		return err
	}
	err = c.db.QueryRowContext(ctx, "SELECT count(*) FROM x_build_shadow WHERE build_id = ? AND by_mount = ? AND by_row = ?", b.ID, m.ordinal, row).Scan(&e.Hides)
	if err != nil {
		return err
	}
	if e.ContentID != 0 {
		err = c.db.QueryRowContext(ctx, `SELECT count(*)
			FROM x_entry_row r
			CROSS JOIN x_archive a ON a.lineage_id = r.lineage_id AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition)
			CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id AND ba.build_id = ?2
			WHERE r.content_id = ?1`, e.ContentID, b.ID).Scan(&e.Copies)
		if err != nil {
			return err
		}
	}
	e.Problems = []Problem{}
	return schema.EachRow(ctx, c.db, `SELECT field, offset, cause FROM x_problem WHERE archive_id = ?1 AND ordinal = ?2
		UNION ALL
		SELECT field, offset, cause FROM x_content_problem WHERE content_id = ?3
		UNION ALL
		SELECT f.name, p.offset, c.name
		FROM x_value_set s
		CROSS JOIN x_value_problem p ON p.set_id = s.set_id
		CROSS JOIN x_entry e ON e.archive_id = ?1 AND e.ordinal = ?2
		JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row AND ve.header = s.header
		JOIN x_name f ON f.name_id = p.field_id
		JOIN x_name c ON c.name_id = p.cause_id
		WHERE s.content_id = ?3 AND CASE s.context
			WHEN 0 THEN NOT EXISTS (SELECT 1 FROM x_value_set o JOIN x_build_value v ON v.build_id = ?4 AND v.set_id = o.set_id
				WHERE o.content_id = s.content_id AND o.header = s.header)
			ELSE EXISTS (SELECT 1 FROM x_build_value v WHERE v.build_id = ?4 AND v.set_id = s.set_id) END`,
		[]driver.Value{m.archive, e.Ordinal, e.ContentID, b.ID}, func(v []driver.Value) {
			e.Problems = append(e.Problems, Problem{text(v[0]), integer(v[1]), text(v[2])})
		})
}

// Places returns where a build has a path: as an archive stores it, or as the game's file
// system has it. What the game sees comes first.
func (c *Catalog) Places(ctx context.Context, b *Build, path string) ([]Place, error) {
	mounts, err := loadMounts(ctx, c.db, b.ID)
	if err != nil {
		return nil, schema.Classify(err)
	}
	stored := map[string]bool{path: true}
	for i := range mounts {
		if below, ok := cutRoot(path, mounts[i].root); ok {
			stored[below] = true
		}
	}
	var seen, hidden []Place
	for name := range stored {
		err := schema.EachRow(ctx, c.db, `SELECT ba.name, e.ordinal, s.row IS NULL AND e.flags & 42 = 0, a.game_root || ?1
			FROM x_path_key k
			CROSS JOIN x_path p ON p.path_id = k.path_id
			CROSS JOIN x_dir d ON d.dir_id = p.dir_id
			CROSS JOIN x_entry_row r INDEXED BY entry_path ON r.path_id = p.path_id
			CROSS JOIN x_archive a ON a.lineage_id = r.lineage_id AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition)
			CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id AND ba.build_id = ?3
			CROSS JOIN x_entry e ON e.archive_id = a.archive_id AND e.row = r.row
			LEFT JOIN x_build_shadow s ON s.build_id = ?3 AND s.mount = ba.ordinal AND s.row = r.row
			WHERE k.key = ?2 AND d.prefix || p.name = ?1
			ORDER BY ba.place, ba.ordinal, e.row`, []driver.Value{name, schema.PathKey(name), b.ID}, func(v []driver.Value) {
			if name != path && text(v[3]) != path {
				return // another mount has it elsewhere
			}
			if at := (Place{text(v[0]), integer(v[1])}); integer(v[2]) == 1 {
				seen = append(seen, at)
			} else {
				hidden = append(hidden, at)
			}
		})
		if err != nil {
			return nil, schema.Classify(err)
		}
	}
	return append(seen, hidden...), nil
}

// cutRoot returns the path as a mount of that root stores it.
func cutRoot(path, root string) (string, bool) {
	if root == "" || len(path) <= len(root) || path[:len(root)] != root {
		return "", false
	}
	return path[len(root):], true
}

// Hash returns the BLAKE3 of a content in hex, by its content_id; "" for none.
func (c *Catalog) Hash(ctx context.Context, content int64) (hash string, err error) {
	err = c.db.QueryRowContext(ctx, "SELECT lower(hex(hash)) FROM x_content WHERE content_id = ?", content).Scan(&hash)
	return hash, schema.Classify(ignoreNoRows(err))
}
