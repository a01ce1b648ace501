package rows

import (
	"context"
	"database/sql"

	"pakdb/schema/internal/btree"
)

// Stored is an entry as it is stored, by the ids of tables; 0 is NULL. It belongs to the
// reader until the next one.
type Stored struct {
	Mount                       int64 // ordinal of its archive in the build
	Path, Ext, Content, Method  int64
	Offset, Stored, Size, Flags int64
	Sum                         []byte // checksum that the archive states
}

// EachStored calls each for the entries of some archives of a build, by their ordinals, in
// stored order. Archives that the build does not have are [ErrUnusual].
func EachStored(ctx context.Context, db *sql.DB, build string, archives []int64, each func(*Stored) error) error {
	return reading(ctx, db, func(r *reader) error {
		r.Paths, r.columns = true, append(rowColumns[:len(rowColumns):len(rowColumns)], "sum")
		if err := r.begin(build); err != nil {
			return err
		}
		for _, mount := range archives {
			a := r.byMount[mount]
			if a == nil {
				return unusual("build %s has no archive %d", build, mount)
			}
			if err := r.stored(a, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// stored reads the entries of an archive.
func (r *reader) stored(a *Archive, each func(*Stored) error) error {
	e, s := &Entry{Archive: a}, &Stored{Mount: a.ordinal}
	return r.eachRow(a, func(v []btree.Value, shift *shifts) error {
		if err := checkNumbers(v); err != nil {
			return err
		}
		e.row, e.Offset = v[colRow].Int, v[colOffset].Int
		if err := shift.apply(e); err != nil {
			return err
		}
		s.Path, s.Content, s.Method = v[colPath].Int, v[colContent].Int, v[colMethod].Int
		s.Offset, s.Stored, s.Size, s.Flags, s.Sum = e.Offset, v[colStored].Int, v[colSize].Int, v[colFlags].Int, v[colSum].Bytes
		s.Ext = 0
		if s.Path != 0 {
			p, err := r.texts.paths.Find(s.Path)
			if err != nil {
				return err
			}
			if p == nil {
				return unusual("no path %d", s.Path)
			}
			s.Ext = p[2].Int
		}
		return each(s)
	})
}
