package side

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"golang.org/x/sync/errgroup"

	"pakdb/internal/process"
	"pakdb/schema"
)

// loader reads the rows of both builds.
type loader struct {
	db    *sql.DB
	o     Options
	apart *Apart
}

// both does the same for both sides at once.
func both(ctx context.Context, old, new *Side, do func(context.Context, *Side) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(process.RescueFunc(func() error { return do(ctx, old) }))
	g.Go(process.RescueFunc(func() error { return do(ctx, new) }))
	return g.Wait()
}

// take marks archives as loaded and returns their ordinals.
func (b *Side) take(wanted func(*Archive) bool) []int64 {
	var ordinals []int64
	for i := range b.Archives {
		if a := &b.Archives[i]; !a.Loaded && wanted(a) {
			a.Loaded = true
			ordinals = append(ordinals, a.Ordinal)
		}
	}
	return ordinals
}

func (l *loader) read(ctx context.Context, b *Side, ordinals []int64) error {
	if len(ordinals) == 0 {
		return nil
	}
	entries := int64(0)
	for i := range b.Archives {
		if b.Archives[i].Loaded && !b.Archives[i].Akin {
			entries += b.Archives[i].Entries
		}
	}
	b.Rows = slices.Grow(b.Rows, int(max(0, min(entries-int64(len(b.Rows)), 1<<22))))
	b.reads = append(b.reads, read{len(b.Rows), Array(ordinals)})
	add := l.appendTo(b)
	defer func() { b.total = max(b.total, len(b.Rows)) }()
	return schema.EachStored(ctx, l.db, b.Label, ordinals, func(s *schema.Stored) error {
		add(s)
		return nil
	})
}

// readRows appends rows by a statement.
func (l *loader) readRows(ctx context.Context, b *Side, from string, args ...driver.Value) error {
	add := l.appendTo(b)
	defer func() { b.total = max(b.total, len(b.Rows)) }()
	return schema.EachRow(ctx, l.db, "SELECT "+rowColumns+from, args, func(v []driver.Value) { add(storedRow(v)) })
}

// storedRow returns a row of rowColumns.
func storedRow(v []driver.Value) *schema.Stored {
	n := func(i int) int64 { return Integer(v[i]) }
	return &schema.Stored{Mount: n(0), Path: n(1), Content: n(2), Stored: n(3), Size: n(4), Flags: n(5), Method: n(6), Type: n(7), Mtime: n(8), Row: n(9)}
}

// statesRows reports whether the build makes something of some entries.
func (b *Side) statesRows() bool { return len(b.names) > 0 || len(b.hidden) > 0 }

// appendTo returns what appends a row. The ordinals of archives are their places in
// Side.Archives, which lists all of them.
func (l *loader) appendTo(b *Side) func(*schema.Stored) {
	more := b.statesRows()
	last, place := int64(-1), int32(0)
	return func(s *schema.Stored) {
		if s.Mount != last {
			last, place = s.Mount, b.at[s.Mount]
		}
		r := rowOf(s, place)
		r.Seq = int32(len(b.Rows))
		if l.o.Times {
			b.Times = append(b.Times, s.Mtime)
		}
		if b.keepsRows {
			for len(b.Places) < len(b.Rows) {
				b.Places = append(b.Places, 0)
			}
			b.Places = append(b.Places, s.Row)
		}
		if more {
			b.setState(&r, entryAt{last, s.Row})
		}
		b.Rows = append(b.Rows, r)
	}
}

// rowOf returns an entry of an archive, by its place in Side.Archives.
func rowOf(s *schema.Stored, archive int32) Row {
	return Row{Key: s.Path, Path: s.Path, Content: s.Content, Stored: s.Stored, Size: s.Size,
		storage: s.Flags | s.Method<<8 | s.Type<<32, Archive: archive, Copies: 1}
}

// setState notes whether the game sees the entry, how many entries it merges, and the
// path that another archive has for it.
func (b *Side) setState(r *Row, at entryAt) {
	if b.hidden[at] {
		r.Copies = 0
	} else {
		r.Copies += b.hides[at]
	}
	if n, ok := b.names[at]; ok {
		r.Key, r.Path = n.path, n.path
		b.under[r.Seq] = n.mount
	}
}

func (b *Side) hasNameless() bool {
	return slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Path == 0 })
}

// noteAlone notes the rows from a place on, which were read of an archive, as ones that
// do not hold for the other edition.
func (b *Side) noteAlone(a *Archive, from int) {
	if b.alone == nil {
		b.alone = make(map[lineageRow]bool, len(b.Rows))
	}
	for i := range b.Rows[from:] {
		b.alone[lineageRow{a.Lineage, b.Places[b.Rows[from+i].Seq]}] = true
	}
}

// rowsFrom returns the rows from a place on, which were read of one archive.
func (b *Side) rowsFrom(from int) map[int64]bool {
	read := make(map[int64]bool, len(b.Rows)-from)
	for i := range b.Rows[from:] {
		read[b.Places[b.Rows[from+i].Seq]] = true
	}
	return read
}

// akinRows returns the rows of archives that are akin, by the ordinals of the archives.
func (b *Side) akinRows() map[entryAt]bool {
	read := map[entryAt]bool{}
	for i := range b.Rows {
		r := &b.Rows[i]
		if a := &b.Archives[r.Archive]; a.Akin {
			read[entryAt{a.Ordinal, b.Places[r.Seq]}] = true
		}
	}
	return read
}

// read is what one query added to rows: those from a place on, of archives whose
// ordinals are a JSON array.
type read struct {
	from     int
	ordinals string
}

// buildArchives lists what a build mounts.
const buildArchives = `SELECT a.archive_id, ba.ordinal, ba.place, a.entry_count, ba.name, a.format, a.mount_point, ba.last_wins, a.lineage_id, a.edition
	FROM x_build_archive ba
	JOIN x_archive a ON a.archive_id = ba.archive_id
	WHERE ba.build_id = ?1
	ORDER BY ba.ordinal`

// rowColumns are read of entries that are asked for one by one.
const rowColumns = `ba.ordinal, e.path_id, e.content_id, e.stored, e.size, e.flags, e.method_id, e.type_id, e.mtime, e.row`

// chunkNames lists the chunks of a build that another archive gives a path: the
// archive, the entry, the path, and the archive that gives it, by ordinal.
const chunkNames = `SELECT mount, row, path_id, by_mount
	FROM x_build_name
	WHERE build_id = ?1`

// buildShadows lists what a game does not see of a build, and what hides it.
const buildShadows = "SELECT mount, row, by_mount, by_row FROM x_build_shadow WHERE build_id = ?1"

// buildRows lists the entries of the archives ?2, a JSON array of ordinals, of
// build ?1. Its order is that of the primary keys: to sort a million rows would
// take as long as to read them.
const buildRows = `
	FROM x_build_archive ba
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	WHERE ba.build_id = ?1 AND ba.ordinal IN (SELECT value FROM json_each(?2))
	ORDER BY ba.ordinal, e.row`

// someRows lists the entries ?3, a JSON array of ordinals, of archive ?2.
const someRows = `
	FROM json_each(?3) j
	CROSS JOIN x_build_archive ba ON ba.build_id = ?1 AND ba.ordinal = ?2
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id AND e.row = j.value
	ORDER BY j.key`

// nameless lists substitutes for the names of entries without one, in the order
// of buildRows.
const nameless = `SELECT e.id_bits, e.id_hi, e.id_lo, e.path_hash` + `
	FROM x_build_archive ba
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	WHERE ba.build_id = ?1 AND ba.ordinal IN (SELECT value FROM json_each(?2)) AND e.path_id IS NULL
	ORDER BY ba.ordinal, e.row`

// entryIDs lists the ids and hashes of paths ?2 in the archives of a build.
const entryIDs = `SELECT e.path_id, ba.ordinal, e.id_bits, e.id_hi, e.id_lo, e.path_hash
	FROM json_each(?2) j
	CROSS JOIN x_entry e ON e.path_id = j.value
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	WHERE e.id_lo IS NOT NULL OR e.path_hash IS NOT NULL`

// rowIDs lists the same of all entries, in the order of buildRows; hasIDs says
// whether that is worth it.
const (
	rowIDs = `SELECT e.id_bits, e.id_hi, e.id_lo, e.path_hash` + buildRows
	hasIDs = `SELECT EXISTS (SELECT 1
	FROM json_each(?2) j
	CROSS JOIN x_build_archive ba ON ba.build_id = ?1 AND ba.ordinal = j.value
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	WHERE e.id_lo IS NOT NULL OR e.path_hash IS NOT NULL)`
)
