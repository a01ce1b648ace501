package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"pakdb/codecs"
	"pakdb/diff/internal/side"
	"pakdb/diff/ship/overlay"
	"pakdb/schema"
)

// loader reads stacks from a catalog. Archives that several builds mount are
// read once.
type loader struct {
	db       *sql.DB
	registry *codecs.Registry
	mounts   map[int64]*overlay.Mount
	files    map[int64][]overlay.File
	nameless map[int64]int
}

// LoadStacks reads complete builds of a catalog by their labels, as stacks of mounted archives,
// of which [overlay.Make] makes patches. The error is
// schema.ErrNoBuild if there is none of that label. registry knows which formats
// have mount orders.
func LoadStacks(ctx context.Context, db *sql.DB, registry *codecs.Registry, labels ...string) ([]*overlay.Stack, error) {
	l := &loader{db, registry, map[int64]*overlay.Mount{}, map[int64][]overlay.File{}, map[int64]int{}}
	var stacks []*overlay.Stack
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
func (l *loader) mountsOf(ctx context.Context, label string) (*overlay.Stack, []*overlay.Mount, error) {
	id, err := side.BuildID(ctx, l.db, label)
	if err != nil {
		return nil, nil, err
	}
	s := &overlay.Stack{Label: label}
	if s.Mounts, err = l.buildMounts(ctx, id); err != nil {
		return nil, nil, err
	}
	s.MissParts(l.registry)
	return s, s.Mounts, loadDamage(ctx, l.db, s)
}

func (l *loader) build(ctx context.Context, label string) (*overlay.Stack, error) {
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
		s.Add(m, files)
		s.Nameless += l.nameless[m.ID]
	}
	return s, nil
}

const mountsSQL = `SELECT a.archive_id, ba.name, ba.location, a.format, a.version, a.mount_point, ba.mount_order,
		a.size, a.mtime, a.entry_count, ba.place, ba.last_wins
	FROM x_build_archive ba
	JOIN x_archive a ON a.archive_id = ba.archive_id
	WHERE ba.build_id = ?
	ORDER BY ba.ordinal`

func (l *loader) buildMounts(ctx context.Context, build int64) (mounts []*overlay.Mount, err error) {
	rows, err := l.db.QueryContext(ctx, mountsSQL, build)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		m := &overlay.Mount{}
		if err := rows.Scan(&m.ID, &m.Name, &m.Location, &m.Format, &m.Version, &m.MountPoint, &m.Order,
			&m.Size, &m.ModTime, &m.Entries, &m.Place, &m.LastWins); err != nil {
			return nil, err
		}
		if f, ok := l.registry.Format(m.Format); ok {
			last := m.LastWins
			m.Follow(f)
			m.LastWins = last
		}
		mounts = append(mounts, m)
	}
	return mounts, rows.Err()
}

// entriesSQL leaves the joins to rows that have a path and a content. A content
// that its archive pads is known by its padded form. What lies in archives that
// are entries, and what describes an archive, is no file that a game mounts: ?2.
const entriesSQL = `SELECT e.ordinal, e.row, e.stored, e.size, e.flags, d.prefix, p.name, coalesce(e.padded, c.hash), e.padded IS NOT NULL,
		t.word, e.id_hi, e.id_lo, e.id_bits
	FROM x_entry e
	LEFT JOIN x_path p ON p.path_id = e.path_id
	LEFT JOIN x_dir d ON d.dir_id = p.dir_id
	LEFT JOIN x_content c ON c.content_id = e.content_id
	LEFT JOIN x_word t ON t.word_id = e.type_id
	WHERE e.archive_id = ?1 AND e.flags & ?2 = 0
	ORDER BY e.row`

// entries returns the entries of a mount; those of an archive that was read
// before belong to the mount that came first, and are copied.
func (l *loader) entries(ctx context.Context, m *overlay.Mount) ([]overlay.File, error) {
	if known, ok := l.files[m.ID]; ok {
		files := make([]overlay.File, len(known))
		for i, f := range known {
			f.Mount = m
			files[i] = f
		}
		return files, nil
	}
	files := make([]overlay.File, 0, min(m.Entries, 1<<20))
	err := schema.EachRow(ctx, l.db, entriesSQL, []driver.Value{m.ID, int64(codecs.Nested | codecs.Own)}, func(v []driver.Value) {
		f := overlay.File{Mount: m, Ordinal: int(side.Integer(v[0])), Offset: side.Integer(v[1]), Stored: side.Integer(v[2]), Size: side.Integer(v[3]),
			Flags: codecs.Flags(side.Integer(v[4])), Name: side.Text(v[5]) + side.Text(v[6]), Type: side.Text(v[9]),
			ID: codecs.ID{Hi: uint64(side.Integer(v[10])), Lo: uint64(side.Integer(v[11])), Bits: uint8(side.Integer(v[12]))}}
		if v[6] == nil && !m.Loose() {
			l.nameless[m.ID]++
			return
		}
		if hash, ok := v[7].([]byte); ok && len(hash) == len(f.Content) {
			f.Content, f.Known = [32]byte(hash), true
		}
		f.Padded = side.Integer(v[8]) != 0
		f.SetKey()
		files = append(files, f)
	})
	if err != nil || len(files) == 0 {
		return nil, err
	}
	err = schema.Locate(ctx, l.db, func(at func(archive, row int64) (int64, error)) (err error) {
		for i := range files {
			f := &files[i] // it has the row so far
			if f.Offset, err = at(m.ID, f.Offset); err != nil {
				return err
			}
		}
		return nil
	})
	l.files[m.ID] = files
	return files, err
}

// FindDamage returns the damage of two builds of a catalog: what their scans found
// of archives as a whole, files of contents that are missing on disk now, and files
// that are an archive in one of the builds alone. Messages about a build are in
// the order of its archives, the old build first. The builds may be one.
func FindDamage(ctx context.Context, db *sql.DB, registry *codecs.Registry, old, new string) ([]codecs.Damage, error) {
	a, err := loadMounts(ctx, db, registry, old)
	if err != nil {
		return nil, err
	}
	b, err := loadMounts(ctx, db, registry, new)
	if err != nil {
		return nil, err
	}
	return overlay.FindDamage(registry, a, b), nil
}

// DamageOfFiles is [FindDamage] of builds that are in no catalog.
func DamageOfFiles(registry *codecs.Registry, read *Reading) []codecs.Damage {
	stacks := map[string]*overlay.Stack{}
	var both []*overlay.Stack
	read.EachMount(func(build string, m *schema.Mount, format string, damage *codecs.Damage) {
		s := stacks[build]
		if s == nil {
			s = &overlay.Stack{Label: build}
			stacks[build], both = s, append(both, s)
		}
		s.Mounts = append(s.Mounts, &overlay.Mount{Name: m.Name, Location: m.Location, Format: format})
		if damage != nil {
			s.Damage = append(s.Damage, *damage)
		}
	})
	for _, s := range both {
		s.MissParts(registry)
	}
	return overlay.FindDamage(registry, both[0], both[1])
}

// loadMounts reads a build without its entries.
func loadMounts(ctx context.Context, db *sql.DB, registry *codecs.Registry, label string) (*overlay.Stack, error) {
	l := &loader{db: db, registry: registry}
	s, _, err := l.mountsOf(ctx, label)
	return s, err
}

// loadDamage adds what the scan of a build found.
func loadDamage(ctx context.Context, db *sql.DB, s *overlay.Stack) error {
	return schema.Each(ctx, db, func(rows *sql.Rows) error {
		var archive string
		var p schema.Problem
		var count, first int64
		err := rows.Scan(&archive, &p.Field, &p.Offset, &p.Cause, &count, &first)
		s.Damage = append(s.Damage, *side.Damage(archive, &p, count))
		return err
	}, damageSQL, s.Label)
}

// damageSQL lists the damaged archives of a build, each with the first of its problems.
const damageSQL = `SELECT ba.name, p.field, coalesce(p.offset, -1), p.cause, count(*), min(p.seq)
	FROM x_build b
	JOIN x_build_archive ba ON ba.build_id = b.build_id
	JOIN x_problem p ON p.archive_id = ba.archive_id
	WHERE b.label = ? AND b.complete = 1 AND p.whole = 1
	GROUP BY ba.ordinal
	ORDER BY ba.ordinal`
