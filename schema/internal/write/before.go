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
	slots   []uint32 // a hash table of the live rows by their prints: their places, and 1 more; 0: free
	headers []Key    // rows whose contents hold the exports of another one, and what they know it by
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
	rows, err := oldRows(ctx, db, b.lineage.ID)
	if err != nil || len(rows) > math.MaxInt32 {
		return false, conn.Classify(err)
	}
	err = conn.EachRow(ctx, db, "SELECT row, header FROM x_value_entry WHERE lineage_id = ? AND header <> 0 ORDER BY row", []driver.Value{b.lineage.ID},
		func(v []driver.Value) { b.headers = append(b.headers, Key{Key: v[0].(int64), ID: v[1].(int64)}) })
	if err != nil {
		return false, conn.Classify(err)
	}
	b.lineage.Rows = rows
	b.index()
	return true, nil
}

// index makes the hash table. Prints are hashes, so that their bits need no mixing.
func (b *Before) index() {
	rows, live := b.lineage.Rows, 0
	for i := range rows {
		if rows[i].Live {
			live++
		}
	}
	size := 8
	for size < 2*live {
		size *= 2
	}
	b.slots = make([]uint32, size)
	for i := range rows {
		if !rows[i].Live || rows[i].ContentID == 0 {
			continue
		}
		if _, slot, found := b.find(rows[i].Print); !found { // of equal ones the first: they say the same
			b.slots[slot] = uint32(i + 1)
		}
	}
}

// find returns the place of the row with a print, or else the slot that it would be in.
func (b *Before) find(print int64) (at, slot int, found bool) {
	mask := uint64(len(b.slots) - 1)
	for i := uint64(print) & mask; ; i = (i + 1) & mask {
		n := b.slots[i]
		if n == 0 {
			return 0, int(i), false
		}
		if b.lineage.Rows[n-1].Print == print {
			return int(n - 1), int(i), true
		}
	}
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

// nearPlace is how many rows are looked at before the hash table, where each look is a
// miss of the cache.
const nearPlace = 4

// same returns the row of an entry whose name has the hash of known, and that is expected after its place.
func (b *Before) same(e *record.Entry, known record.Same) record.Same {
	known.Row, known.Print = 0, printOf(e, known.Name)
	rows := b.lineage.Rows
	for i := known.Place; i < min(known.Place+nearPlace, len(rows)); i++ {
		if r := &rows[i]; r.Print == known.Print && r.Live && r.ContentID != 0 {
			known.Row, known.Content, known.Place = r.Row, int64(r.ContentID), i
			return known
		}
	}
	if at, _, found := b.find(known.Print); found {
		known.Row, known.Content, known.Place = rows[at].Row, int64(rows[at].ContentID), at
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

// scanPages calls each for the rows of a table whose key is two numbers, in their order and from
// the one on whose first number is from, until it returns false. They are read by their pages: a
// statement takes three times as long for each.
func scanPages(ctx context.Context, db *sql.DB, table string, columns []string, from int64, each func([]btree.Value) bool) (err error) {
	s := conn.NewStatements(db)
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Together(ctx, func() error {
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
		for n := 1; ; n++ {
			v, err := c.Next()
			if err != nil || v == nil || !each(v) {
				return err
			}
			if n%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
	})
}

// oldRows returns the rows of a lineage in their order; never nil without an error.
func oldRows(ctx context.Context, db *sql.DB, lineage int64) ([]OldRow, error) {
	rows := []OldRow{}
	err := scanPages(ctx, db, "x_entry_row", rowColumns, lineage, func(v []btree.Value) bool {
		if v[colLineage].Int != lineage {
			return false
		}
		content := v[colContent].Int // 0 for NULL
		r := OldRow{Row: v[colRow].Int, Print: v[colPrint].Int, Live: v[colUntil].Int == 0, Unread: content == 0}
		if 0 < content && content <= math.MaxUint32 {
			r.ContentID = uint32(content)
		}
		rows = append(rows, r)
		return true
	})
	return rows, err
}
