package side

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"pakdb/internal/radix"
	"pakdb/schema"
)

// Integer returns an integer of a row, 0 for NULL.
func Integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

// Text returns a text of a row, "" for NULL.
func Text(v driver.Value) string {
	s, _ := v.(string)
	return s
}

// batchIDs is how many ids one look-up asks for.
const batchIDs = 8192

// Batches calls do with ids, cut to lists that one look-up can ask for. It ends
// with the first error.
func Batches(ids []int64, do func([]int64) error) error {
	for chunk := range slices.Chunk(ids, batchIDs) {
		if err := do(chunk); err != nil {
			return err
		}
	}
	return nil
}

// Array returns a JSON array, the way a query takes many integers at once.
func Array(ids []int64) string {
	b := make([]byte, 0, 2+len(ids)*8)
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}

// LookUp calls row for the rows of ids, which must be sorted, in their order. The
// query is "SELECT columns" FROM a table, of which columns begins with the column
// of the ids. Ids that lie close together are read as a range: that passes rows by
// that nobody wants, but costs a third a row.
func LookUp(ctx context.Context, db *sql.DB, columns, table, column string, ids []int64, row func(id int64, v []driver.Value)) error {
	for len(ids) > 0 {
		n, close := run(ids)
		some := ids[:n]
		ids = ids[n:]
		var err error
		if close {
			i := 0
			err = schema.EachRow(ctx, db, columns+table+" WHERE "+column+" BETWEEN ?1 AND ?2 ORDER BY "+column,
				[]driver.Value{some[0], some[n-1]}, func(v []driver.Value) {
					id := Integer(v[0])
					for i < len(some) && some[i] < id {
						i++
					}
					if i < len(some) && some[i] == id {
						row(id, v)
					}
				})
		} else {
			err = schema.EachRow(ctx, db, columns+"json_each(?1) j CROSS JOIN "+table+" ON "+column+" = j.value", []driver.Value{Array(some)},
				func(v []driver.Value) { row(Integer(v[0]), v) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run returns how many of the first ids are looked up together, and whether they lie
// close together: contents that one build brought do, those before them do not.
func run(ids []int64) (n int, close bool) {
	const block = 512
	isClose := func(ids []int64) bool { return ids[len(ids)-1]-ids[0] < 3*int64(len(ids)) }
	n = min(block, len(ids))
	close = isClose(ids[:n])
	for n < len(ids) && n < batchIDs {
		to := min(n+block, len(ids))
		if isClose(ids[n:to]) != close || close && !isClose(ids[:to]) {
			break
		}
		n = to
	}
	return n, close
}

// Set sorts ids in place and returns them without repeats and without what is not
// above 0.
func Set(ids []int64) []int64 {
	radix.Sort(ids, func(id *int64) int64 { return *id }, nil)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id int64) bool { return id <= 0 })
}

// Places finds the places of ids in a sorted list of them.
type Places struct {
	ids   []int64
	table []int32 // place by id less the first one, -1 for none; nil: ids lie too far apart
}

// PlacesOf returns the places of ids, which are sorted. It makes a table where that takes no
// more memory than what a name takes elsewhere.
func PlacesOf(ids []int64) Places {
	p := Places{ids: ids}
	if len(ids) == 0 || ids[len(ids)-1]-ids[0] >= 8*int64(len(ids)) {
		return p
	}
	p.table = make([]int32, ids[len(ids)-1]-ids[0]+1)
	for i := range p.table {
		p.table[i] = -1
	}
	for i, id := range ids {
		p.table[id-ids[0]] = int32(i)
	}
	return p
}

// Find returns the place of an id.
func (p *Places) Find(id int64) (int, bool) {
	if p.table == nil {
		return slices.BinarySearch(p.ids, id)
	}
	at := id - p.ids[0]
	if at < 0 || at >= int64(len(p.table)) || p.table[at] < 0 {
		return 0, false
	}
	return int(p.table[at]), true
}

// Exists reports whether a query of no arguments yields a row.
func Exists(ctx context.Context, db *sql.DB, query string) (has bool, err error) {
	err = db.QueryRowContext(ctx, "SELECT EXISTS ("+query+")").Scan(&has)
	return has, err
}

// BuildID returns the build_id of a complete build. The error is schema.ErrNoBuild
// if there is none of that label.
func BuildID(ctx context.Context, db *sql.DB, label string) (id int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT build_id FROM x_build WHERE label = ? AND complete = 1", label).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("%w: %q", schema.ErrNoBuild, label)
	}
	return id, err
}
