package write

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// Before is the edition that an archive continues, for the scan that wants to know which
// entries it need not read. After [Before.Load] it is safe for concurrent use.
type Before struct {
	lineage Lineage
	headers []Key // rows whose contents hold the exports of another one, and what they know it by
}

// LineageOf returns what an archive continues, a lineage of its own for nil.
func LineageOf(b *Before, archive int64) Lineage {
	if b == nil {
		return Lineage{ID: archive}
	}
	return b.lineage
}

// hasProblemsSQL asks for problems of the newest edition of a lineage.
const hasProblemsSQL = `SELECT EXISTS (SELECT 1 FROM x_problem WHERE archive_id =
	(SELECT archive_id FROM x_archive WHERE lineage_id = ? ORDER BY edition DESC LIMIT 1))`

// Load reads the rows of the edition. It reports whether they show which entries need not be read:
// entries of an archive with problems are read again, so that these are reported again.
func (b *Before) Load(ctx context.Context, db *sql.DB) (bool, error) {
	if b == nil {
		return false, nil
	}
	var problems bool
	if err := db.QueryRowContext(ctx, hasProblemsSQL, b.lineage.ID).Scan(&problems); err != nil || problems {
		return false, conn.Classify(err)
	}
	old, err := loadOldRows(ctx, db, b.lineage.ID)
	if err != nil {
		return false, conn.Classify(err)
	}
	err = conn.EachRow(ctx, db, "SELECT row, header FROM x_value_entry WHERE lineage_id = ? AND header <> 0 ORDER BY row", []driver.Value{b.lineage.ID},
		func(v []driver.Value) { b.headers = append(b.headers, Key{Key: v[0].(int64), ID: v[1].(int64)}) })
	if err != nil {
		return false, conn.Classify(err)
	}
	b.lineage.old = old
	return true, nil
}

// Find returns the row of an entry that the edition has as it is; the Row of the result
// is 0 for none. The entry states a checksum of its stored bytes, which the caller compares with them.
// place is that of the entry before it, where it is looked for first.
func (b *Before) Find(e *record.Entry, place int) record.Same {
	if len(e.Sum) < len(record.Half{}) {
		return record.Same{}
	}
	return b.same(e, record.Same{Name: record.HashOf(e.Name), Place: place})
}

// nearBody is how many rows after a package that of its exports is looked for.
const nearBody = 8

// FindBody is [Before.Find] for the exports of a package that lies in an entry of its own,
// which the edition has as it is too. What is known of them depends on both.
func (b *Before) FindBody(e *record.Entry, header record.Same) record.Same {
	same := b.Find(e, header.Place)
	if same.Row != 0 || len(e.Sum) < len(record.Half{}) || e.ExportsOf != nil {
		return same
	}
	body := *e
	first, _ := slices.BinarySearchFunc(b.headers, Key{Key: header.Row}, compareKeys)
	for _, of := range b.headers[first:min(first+nearBody, len(b.headers))] {
		body.ExportsOf = &record.Package{Header: of.ID}
		if same = b.same(&body, same); same.Row == of.Key {
			return same
		}
	}
	return record.Same{}
}

// nearPlace is how many rows are looked at before all are searched: a search misses the cache
// ten times.
const nearPlace = 4

// same returns the row of an entry whose name has the hash of known, and that is expected after its place.
func (b *Before) same(e *record.Entry, known record.Same) record.Same {
	known.Row, known.Print = 0, printOf(e, known.Name)
	old := b.lineage.old
	at := -1
	for i := known.Place; i < min(known.Place+nearPlace, len(old.rows)) && at < 0; i++ {
		if r := &old.rows[i]; r.print == known.Print && r.live {
			at = i
		}
	}
	if at < 0 {
		at = old.find(known.Print, 0)
	}
	if at >= 0 && old.rows[at].content != 0 {
		known.Row, known.Content, known.Place = old.rows[at].row, int64(old.rows[at].content), at
	}
	return known
}

// flagDeleted marks a delete record, which has no content.
const flagDeleted = 2

// printOf returns the start of a hash over what the archive says about an entry but its
// place. The bytes are known by a digest that the archive states, or else by that of
// the content. name is the hash of the entry's name.
func printOf(e *record.Entry, name record.Half) int64 {
	b := make([]byte, 0, 256)
	b = append(b, name[:]...)
	b = append(append(b, e.Method...), 0)
	b = append(append(b, e.Type...), 0)
	for _, n := range [...]int64{e.Stored, e.Size, e.Flags, e.ModTime, int64(e.ID[0]), int64(e.ID[1]), e.IDBits, int64(e.PathHash),
		Flag(e.HasTime) | Flag(e.HasPathHash)<<1 | Flag(e.HasPadded)<<2 | Flag(e.Offset >= 0)<<3} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	if e.HasPadded { // otherwise a scan that reads leaves other bytes there than one that does not
		b = append(b, e.Padded[:]...)
	}
	b = append(append(b, byte(len(e.Sum))), e.Sum...)
	if len(e.Sum) < len(record.Half{}) && (e.HasContent || e.Stated) {
		b = append(b, e.Content[:len(record.Half{})]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.ContentSize))
	}
	// Exports mean something else with other tables beside them. What a package is called
	// follows from the name of the entry, which a scan that does not read it knows as well.
	if p := e.ExportsOf; p != nil && p.Header != 0 {
		b = binary.LittleEndian.AppendUint64(b, uint64(p.Header))
	}
	d := blake3.Sum256(b)
	return int64(binary.LittleEndian.Uint64(d[:]))
}

// isKnown reports whether the print determines the bytes of the entry.
func isKnown(e *Row) bool {
	return e.HasContent || e.Stated || len(e.Sum) >= len(record.Half{}) || e.Flags&flagDeleted != 0
}

// rowColumns are the columns of entry_row that an edition is compared with, and where.
var rowColumns = []string{"row", "print", "until", "content_id", "lineage_id"}

const (
	colRow = iota
	colPrint
	colUntil
	colContent
	colLineage
)

// scanPages is [eachRow] for what is committed.
func scanPages(ctx context.Context, db *sql.DB, table string, columns []string, from int64, each func(v []btree.Value, rowid int64) bool) (err error) {
	s := conn.NewStatements(db)
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Together(ctx, func() error { return eachRow(ctx, s, table, columns, from, each) })
}

// eachRow calls each for the rows of a table, in the order of their keys and from the one on whose
// first number is from, until it returns false. They are read by their pages: a statement takes
// three times as long for each. rowid is for tables whose key is one number.
func eachRow(ctx context.Context, s *conn.Statements, table string, columns []string, from int64, each func(v []btree.Value, rowid int64) bool) error {
	pages, err := btree.Open(ctx, s)
	if err != nil {
		return err
	}
	tree, err := pages.Table(table, columns...)
	if err != nil {
		return err
	}
	c := tree.Cursor()
	if err := c.From(from, math.MinInt64); err != nil {
		return err
	}
	for { // each page is read within ctx
		v, err := c.Next()
		if err != nil || v == nil || !each(v, c.Key()) {
			return err
		}
	}
}

// oldRows are the rows of a lineage that earlier editions have, in their order.
type oldRows struct {
	rows    []oldRow
	byPrint []Key // of those that hold in the edition before, by their prints: the places in rows
}

type oldRow struct {
	row, print int64
	content    uint32 // 0: not known, or too large
	live       bool   // it holds in the edition before
	unread     bool   // its content is not known, or not read
}

func loadOldRows(ctx context.Context, db *sql.DB, lineage int64) (*oldRows, error) {
	old := &oldRows{}
	err := scanPages(ctx, db, "x_entry_row", rowColumns, lineage, func(v []btree.Value, _ int64) bool {
		if v[colLineage].Int != lineage {
			return false
		}
		content := v[colContent].Int // 0 for NULL
		r := oldRow{row: v[colRow].Int, print: v[colPrint].Int, live: v[colUntil].Int == 0, unread: content == 0}
		if 0 < content && content <= math.MaxUint32 {
			r.content = uint32(content)
		}
		if r.live {
			old.byPrint = append(old.byPrint, Key{Key: r.print, ID: int64(len(old.rows))})
		}
		old.rows = append(old.rows, r)
		return true
	})
	sortKeys(old.byPrint)
	return old, err
}

// find returns the place of the first row from one on that has a print and holds, -1 for none.
func (old *oldRows) find(print int64, from int) int {
	i, _ := slices.BinarySearchFunc(old.byPrint, Key{Key: print, ID: int64(from)}, compareKeys)
	if i == len(old.byPrint) || old.byPrint[i].Key != print {
		return -1
	}
	return int(old.byPrint[i].ID)
}
