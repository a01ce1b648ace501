package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// Damage is a problem of an archive as a whole.
type Damage struct {
	Archive string // relative to the folder that was scanned
	Problem
	Count int64 // such problems of the archive, of which this is the first
}

const damageSQL = `SELECT ba.name, p.field, p.offset, p.cause, count(*), min(p.seq)
	FROM x_build b
	JOIN x_build_archive ba ON ba.build_id = b.build_id
	JOIN x_problem p ON p.archive_id = ba.archive_id
	WHERE b.label = ? AND b.complete = 1 AND p.whole = 1
	GROUP BY ba.ordinal
	ORDER BY ba.ordinal`

// FindDamage returns the damaged archives of a complete build, in its order, each
// with its first problem. A build that does not exist has none.
func FindDamage(ctx context.Context, db *sql.DB, build string) (found []Damage, err error) {
	err = EachRow(ctx, db, damageSQL, []driver.Value{build}, func(v []driver.Value) {
		d := Damage{Problem: Problem{Ordinal: -1, Offset: -1, Whole: true}}
		d.Archive, _ = v[0].(string)
		d.Field, _ = v[1].(string)
		if off, ok := v[2].(int64); ok {
			d.Offset = off
		}
		d.Cause, _ = v[3].(string)
		d.Count, _ = v[4].(int64)
		found = append(found, d)
	})
	return found, err
}
