package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"strconv"

	"pakdb/schema"
)

// integer returns 0 for NULL.
func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

func str(v driver.Value) string {
	s, _ := v.(string)
	return s
}

// batchIDs is how many ids one look-up asks for.
const batchIDs = 8192

// batches cuts sorted ids.
func batches(ids []int64, do func([]int64) error) error {
	for chunk := range slices.Chunk(ids, batchIDs) {
		if err := do(chunk); err != nil {
			return err
		}
	}
	return nil
}

// jsonInts writes a JSON array, the way a query takes many integers at once.
func jsonInts[T int | int64](ids []T) string {
	b := make([]byte, 0, 2+len(ids)*8)
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(append(b, ']'))
}

// lookUp runs one of the look-ups of many ids, which must be sorted: ids that
// lie close together are read as a range, which passes rows by that nobody
// wants but costs a third a row.
func lookUp(ctx context.Context, db *sql.DB, columns, table, column string, ids []int64, row func(id int64, v []driver.Value)) error {
	return batches(ids, func(ids []int64) error {
		first, last := ids[0], ids[len(ids)-1]
		if last-first < 3*int64(len(ids)) {
			i := 0
			return schema.EachRow(ctx, db, columns+table+" WHERE "+column+" BETWEEN ?1 AND ?2 ORDER BY "+column,
				[]driver.Value{first, last}, func(v []driver.Value) {
					id := integer(v[0])
					for i < len(ids) && ids[i] < id {
						i++
					}
					if i < len(ids) && ids[i] == id {
						row(id, v)
					}
				})
		}
		return schema.EachRow(ctx, db, columns+someIDs+table+" ON "+column+" = j.value", []driver.Value{jsonInts(ids)},
			func(v []driver.Value) { row(integer(v[0]), v) })
	})
}

// sortedSet sorts ids and drops repeats and what is not above 0.
func sortedSet(ids []int64) []int64 {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id int64) bool { return id <= 0 })
}
