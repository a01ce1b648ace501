package schema

import (
	"context"
	"database/sql"

	"pakdb/schema/internal/rows"
)

// Stored is an entry as it is stored, by the ids of tables; 0 is NULL.
type Stored = rows.Stored

// EachStored calls each for the entries of some archives of a build, by their ordinals, in stored
// order. It reads them without SQL, at a tenth of the views' cost. The error wraps [ErrDamaged]
// where the tables are not as a scan writes them.
func EachStored(ctx context.Context, db *sql.DB, build string, archives []int64, each func(*Stored) error) error {
	return rows.EachStored(ctx, db, build, archives, each)
}

// EachBetween calls each for the rows of a lineage that only one of two editions has, in stored
// order; later says that it is the last one.
type EachBetween = rows.EachBetween

// Between calls do with an [EachBetween]. The error wraps [ErrDamaged] as that of [EachStored]
// does.
func Between(ctx context.Context, db *sql.DB, do func(EachBetween) error) error {
	return rows.Between(ctx, db, do)
}

// Locate calls do with a function that returns the offset of an entry by its archive and row, -1
// for none. do must be short.
func Locate(ctx context.Context, db *sql.DB, do func(at func(archive, row int64) (int64, error)) error) error {
	return rows.Locate(ctx, db, do)
}
