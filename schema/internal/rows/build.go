package rows

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// damaged returns an error about tables that are not as a scan writes them.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", conn.ErrDamaged, fmt.Sprintf(format, args...))
}

// Archive is an archive as a build has it.
type Archive struct {
	Name   string
	Root   string // in front of its paths in the game's file system
	Build  int    // the place of the build among those that are read
	Number int64  // among the archives of all of them, from 1

	id, ordinal, lineage, edition int64
	mountPoint                    string
}

// reading calls do, which reads one state of the catalog.
func reading(ctx context.Context, db *sql.DB, do func(*reader) error) (err error) {
	s := conn.NewStatements(db)
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Together(ctx, func() error { return do(&reader{ctx: ctx, s: s}) })
}

// reader reads the tables of entries.
type reader struct {
	ctx      context.Context
	s        *conn.Statements
	archives []Archive // of builds, in their order

	rows, places *btree.Tree
	texts        *Texts
}

// archive returns an archive, whichever builds have it.
func (r *reader) archive(id int64) (*Archive, error) {
	const query = "SELECT archive_id, 0, lineage_id, edition, '', game_root, mount_point FROM main.x_archive WHERE archive_id = ?1"
	all, err := r.list(query, id)
	if err == nil && len(all) == 0 {
		err = damaged("no archive %d", id)
	}
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// mounted lists the archives of a build.
const mounted = `SELECT a.archive_id, ba.ordinal, a.lineage_id, a.edition, ba.name, a.game_root, a.mount_point
	FROM x_build b
	JOIN x_build_archive ba ON ba.build_id = b.build_id
	JOIN x_archive a ON a.archive_id = ba.archive_id
	WHERE b.complete = 1 AND b.label = ?1
	ORDER BY ba.ordinal`

// list returns the archives that a query lists.
func (r *reader) list(query string, arg driver.Value) (all []Archive, err error) {
	err = r.s.EachRow(r.ctx, query, []driver.Value{arg}, func(v []driver.Value) {
		n := func(i int) int64 { n, _ := v[i].(int64); return n }
		text := func(i int) string { s, _ := v[i].(string); return s }
		all = append(all, Archive{Name: text(4), Root: text(5), id: n(0), ordinal: n(1), lineage: n(2), edition: n(3), mountPoint: text(6)})
	})
	return all, err
}

// begin reads what there is to know before the first entry of builds.
func (r *reader) begin(builds ...string) error {
	for n, build := range builds {
		all, err := r.list(mounted, build)
		if err != nil {
			return err
		}
		for _, a := range all {
			a.Build, a.Number = n, int64(len(r.archives))+1
			r.archives = append(r.archives, a)
		}
	}
	if len(r.archives) == 0 {
		return nil
	}
	return r.open()
}

// open finds the tables.
func (r *reader) open() error {
	pages, err := btree.Open(r.ctx, r.s)
	if err != nil {
		return err
	}
	if r.rows, err = pages.Table("x_entry_row", columns...); err != nil {
		return err
	}
	if r.places, err = pages.Table("x_archive_place", "row", "ordinal", "step", "offsets"); err != nil {
		return err
	}
	r.texts, err = newTexts(pages)
	return err
}

// columns are those of entry_row that are read, and where.
var columns = []string{"row", "path_id", "content_id", "stored", "size", "method_id", "flags", "mtime", "type_id",
	"id_hi", "id_lo", "id_bits", "path_hash", "since", "until", "lineage_id", "print", "sum", "padded"}

const (
	colRow = iota
	colPath
	colContent
	colStored
	colSize
	colMethod
	colFlags
	colMtime
	colType
	colHi
	colLo
	colBits
	colHash
	colSince
	colUntil
	colLineage
	colPrint
	colSum
	colPadded
)

// check reports what a row has that no scan writes.
func check(v []btree.Value) error {
	for i := range colSum {
		needed := i == colRow || i == colStored || i == colSize || i == colMethod || i == colFlags
		if kind := v[i].Kind; kind != btree.Int && (needed || kind != btree.Null) {
			return damaged("x_entry_row.%s is no number", columns[i])
		}
	}
	if padded := &v[colPadded]; padded.Kind != btree.Null && len(padded.Bytes) != len(record.Digest{}) {
		return damaged("x_entry_row.padded: %d bytes", len(padded.Bytes))
	}
	return nil
}

// holds reports whether an edition has a row.
func holds(v []btree.Value, edition int64) bool {
	return v[colSince].Int <= edition && (v[colUntil].Int == 0 || v[colUntil].Int > edition)
}
