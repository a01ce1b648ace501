package overlay

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/schema"
)

// loader reads stacks from a catalog. Archives that several builds mount are
// read once.
type loader struct {
	db       *sql.DB
	registry *codecs.Registry
	mounts   map[int64]*Mount
	files    map[int64][]File
	nameless map[int64]int
}

// LoadBuilds reads complete builds of a catalog by their labels. The error is
// schema.ErrNoBuild if there is none of that label. registry tells which formats
// have mount orders.
func LoadBuilds(ctx context.Context, db *sql.DB, registry *codecs.Registry, labels ...string) ([]*Stack, error) {
	l := &loader{db, registry, map[int64]*Mount{}, map[int64][]File{}, map[int64]int{}}
	var stacks []*Stack
	for _, label := range labels {
		s, err := l.build(ctx, label)
		if err != nil {
			return nil, err
		}
		stacks = append(stacks, s)
	}
	return stacks, nil
}

// mountsOf reads the archives of a build, and what is damaged of them, without
// their entries.
func (l *loader) mountsOf(ctx context.Context, label string) (*Stack, []*Mount, error) {
	var id int64
	err := l.db.QueryRowContext(ctx, "SELECT build_id FROM x_build WHERE label = ? AND complete = 1", label).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, fmt.Errorf("%w: %q", schema.ErrNoBuild, label)
	}
	if err != nil {
		return nil, nil, err
	}
	s := &Stack{Label: label}
	if s.Mounts, err = l.buildMounts(ctx, id); err != nil {
		return nil, nil, err
	}
	s.missParts(l.registry)
	return s, s.Mounts, s.loadDamage(ctx, l.db)
}

func (l *loader) build(ctx context.Context, label string) (*Stack, error) {
	s, mounts, err := l.mountsOf(ctx, label)
	if err != nil {
		return nil, err
	}
	s.Mounts = nil // add puts them in
	for _, m := range mounts {
		files, err := l.entries(ctx, m)
		if err != nil {
			return nil, err
		}
		s.add(m, files)
		s.Nameless += l.nameless[m.id]
	}
	return s, nil
}

const mountsSQL = `SELECT a.archive_id, ba.name, ba.location, a.format, a.version, a.mount_point, ba.mount_order,
		a.size, a.mtime, a.entry_count, ba.place, ba.last_wins
	FROM x_build_archive ba
	JOIN x_archive a ON a.archive_id = ba.archive_id
	WHERE ba.build_id = ?
	ORDER BY ba.ordinal`

func (l *loader) buildMounts(ctx context.Context, build int64) (mounts []*Mount, err error) {
	rows, err := l.db.QueryContext(ctx, mountsSQL, build)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		m := &Mount{}
		if err := rows.Scan(&m.id, &m.Name, &m.Location, &m.Format, &m.Version, &m.MountPoint, &m.Order,
			&m.Size, &m.ModTime, &m.Entries, &m.place, &m.lastWins); err != nil {
			return nil, err
		}
		if f, ok := l.registry.Format(m.Format); ok {
			last := m.lastWins
			m.follow(f)
			m.lastWins = last
		}
		mounts = append(mounts, m)
	}
	return mounts, rows.Err()
}

// holdsAssets reports whether archives of a format hold assets by their ids, each
// for its own loader.
func holdsAssets(f *codecs.Format) bool { return f.Mounts().Order == nil && f.EntrySpaces != nil }

// entriesSQL leaves the joins to rows that have a path and a content. A content
// that its archive pads is known by its padded form. What lies in archives that
// are entries, and what describes an archive, is no file that a game mounts: ?2.
const entriesSQL = `SELECT e.ordinal, e.offset, e.stored, e.size, e.flags, d.prefix, p.name, coalesce(e.padded, c.hash), e.padded IS NOT NULL,
		t.word, e.id_hi, e.id_lo, e.id_bits, e.file_key
	FROM x_entry e
	LEFT JOIN x_path p ON p.path_id = e.path_id
	LEFT JOIN x_dir d ON d.dir_id = p.dir_id
	LEFT JOIN x_content c ON c.content_id = e.content_id
	LEFT JOIN x_word t ON t.word_id = e.type_id
	WHERE e.archive_id = ?1 AND e.flags & ?2 = 0
	ORDER BY e.row`

// entries returns the entries of a mount; those of an archive that was read
// before belong to the mount that came first, and are copied.
func (l *loader) entries(ctx context.Context, m *Mount) ([]File, error) {
	if known, ok := l.files[m.id]; ok {
		files := make([]File, len(known))
		for i, f := range known {
			f.Mount = m
			files[i] = f
		}
		return files, nil
	}
	files := make([]File, 0, min(m.Entries, 1<<20))
	err := schema.EachRow(ctx, l.db, entriesSQL, []driver.Value{m.id, int64(codecs.Nested | codecs.Own)}, func(v []driver.Value) {
		f := File{Mount: m, Ordinal: int(integer(v[0])), Offset: integer(v[1]), Stored: integer(v[2]), Size: integer(v[3]),
			Flags: codecs.Flags(integer(v[4])), Name: text(v[5]) + text(v[6]), Type: text(v[9]),
			ID: codecs.ID{Hi: uint64(integer(v[10])), Lo: uint64(integer(v[11])), Bits: uint8(integer(v[12]))}}
		if v[6] == nil && !m.loose() {
			l.nameless[m.id]++
			return
		}
		if hash, ok := v[7].([]byte); ok && len(hash) == len(f.Content) {
			f.Content, f.Known = schema.Digest(hash), true
		}
		f.padded = integer(v[8]) != 0
		if key, ok := v[13].([]byte); ok && len(key) == len(f.Key) && !m.loose() {
			f.Key = Key(key)
		} else {
			f.setKey()
		}
		files = append(files, f)
	})
	l.files[m.id] = files
	return files, err
}

func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

func text(v driver.Value) string {
	s, _ := v.(string)
	return s
}
