package rows

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"unicode/utf8"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
)

// Want says what of entries is read. The rest of them is not set.
type Want struct {
	Paths bool // and all else but contents
	Files bool // what the build makes of them
}

// Read calls each for the entries of a build, as the views entries and files have them,
// archive by archive in stored order. An error of each ends it. A build that is not there
// has none.
func Read(ctx context.Context, db *sql.DB, build string, want Want, each func(*Entry) error) error {
	return reading(ctx, db, func(r *reader) error {
		r.Want, r.each, r.columns = want, each, rowColumns
		if err := r.begin(build); err != nil {
			return err
		}
		for i := range r.archives {
			if err := r.archive(&r.archives[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// reading calls do, which reads one state of the catalog.
func reading(ctx context.Context, db *sql.DB, do func(*reader) error) (err error) {
	s := conn.NewStatements(db)
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.Together(ctx, func() error { return do(&reader{ctx: ctx, s: s}) })
	if errors.Is(err, btree.ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrUnusual, err)
	}
	return err
}

// reader reads a build.
type reader struct {
	Want
	ctx      context.Context
	s        *conn.Statements
	each     func(*Entry) error
	columns  []string // of entry_row
	id       int64
	archives []Archive
	byMount  map[int64]*Archive // by ordinal

	rows, shifts *btree.Tree
	texts        *texts
	seen         seen
}

// mounted lists the archives of a build.
const mounted = `SELECT b.build_id, a.archive_id, ba.ordinal, ba.mount_order, a.lineage_id, a.edition, a.row_bits, a.row_base,
	ba.name, coalesce(ba.stem, ba.name), a.mount_point, a.game_root
	FROM x_build b
	JOIN x_build_archive ba ON ba.build_id = b.build_id
	JOIN x_archive a ON a.archive_id = ba.archive_id
	WHERE b.complete = 1 AND b.label = ?1
	ORDER BY ba.ordinal`

// begin reads what there is to know before the first entry.
func (r *reader) begin(build string) error {
	names := map[string]bool{}
	var failed error
	err := r.s.EachRow(r.ctx, mounted, []driver.Value{build}, func(v []driver.Value) {
		n := func(i int) int64 { n, _ := v[i].(int64); return n }
		t := func(i int) []byte {
			t, _ := v[i].(string)
			if !utf8.ValidString(t) {
				failed = unusual("an archive has texts that are not UTF-8")
			}
			return append([]byte{}, t...)
		}
		a := Archive{id: n(1), ordinal: n(2), MountOrder: n(3), lineage: n(4), edition: n(5), bits: uint(n(6)), base: n(7),
			Name: t(8), Mount: t(9), MountPoint: t(10), root: t(11)}
		if a.bits > 62 || names[string(a.Name)] {
			failed = unusual("archive %s: %d bits, or twice in the build", a.Name, n(6))
		}
		names[string(a.Name)] = true
		r.id = n(0)
		r.archives = append(r.archives, a)
	})
	if err = errors.Join(err, failed); err != nil || len(r.archives) == 0 {
		return err
	}
	r.byMount = map[int64]*Archive{}
	for i := range r.archives {
		r.byMount[r.archives[i].ordinal] = &r.archives[i]
	}
	if err := r.open(); err != nil {
		return err
	}
	if r.Files {
		return r.seen.read(r)
	}
	return nil
}

// open finds the tables.
func (r *reader) open() error {
	pages, err := btree.Open(r.ctx, r.s)
	if err != nil {
		return err
	}
	if r.rows, err = pages.Table("x_entry_row", r.columns...); err != nil {
		return err
	}
	if r.shifts, err = pages.Table("x_archive_shift", "row", "ordinals", "offsets", "width", "parts"); err != nil {
		return err
	}
	if r.texts, err = newTexts(pages); err != nil {
		return err
	}
	return nil
}

// at is an entry by the ordinal of its archive and its row.
type at struct{ mount, row int64 }

// named is a path that another archive gives an entry.
type named struct {
	at
	path, by int64
}

// seen is what a game sees of a build.
type seen struct {
	hidden []at // in order, as those below
	hides  []at // once for each entry that it hides
	names  []named
}

func (s *seen) read(r *reader) error {
	n := func(v driver.Value) int64 { n, _ := v.(int64); return n }
	return errors.Join(
		r.s.EachRow(r.ctx, "SELECT mount, row FROM x_build_shadow WHERE build_id = ?1 ORDER BY mount, row", []driver.Value{r.id}, func(v []driver.Value) {
			s.hidden = append(s.hidden, at{n(v[0]), n(v[1])})
		}),
		r.s.EachRow(r.ctx, "SELECT by_mount, by_row FROM x_build_shadow WHERE build_id = ?1 ORDER BY by_mount, by_row", []driver.Value{r.id}, func(v []driver.Value) {
			s.hides = append(s.hides, at{n(v[0]), n(v[1])})
		}),
		r.s.EachRow(r.ctx, "SELECT mount, row, path_id, by_mount FROM x_build_name WHERE build_id = ?1 ORDER BY mount, row", []driver.Value{r.id}, func(v []driver.Value) {
			s.names = append(s.names, named{at{n(v[0]), n(v[1])}, n(v[2]), n(v[3])})
		}),
	)
}
