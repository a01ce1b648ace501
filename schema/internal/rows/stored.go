package rows

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/record"
)

// Stored is an entry as it is stored, by the ids of tables; 0 is NULL. It belongs to the
// reader until the next one.
type Stored struct {
	Mount         int64 // ordinal of its archive in the build
	Row           int64 // of its lineage
	Path, Content int64
	Method, Type  int64
	Offset        int64 // not set by [Between]
	Stored, Size  int64
	Flags, Mtime  int64
	Sum           []byte // checksum that the archive states
	texts         *Texts
}

// Ext returns the id of the extension of the path.
func (s *Stored) Ext() (int64, error) { return s.texts.Ext(s.Path) }

// set takes over a row of entry_row.
func (s *Stored) set(v []btree.Value) error {
	if err := check(v); err != nil {
		return err
	}
	s.Row, s.Path, s.Content, s.Method, s.Type = v[colRow].Int, v[colPath].Int, v[colContent].Int, v[colMethod].Int, v[colType].Int
	s.Stored, s.Size, s.Flags, s.Mtime = v[colStored].Int, v[colSize].Int, v[colFlags].Int, v[colMtime].Int
	s.Sum = v[colSum].Bytes
	return nil
}

// EachStored calls each for the entries of some archives of a build, by their ordinals, in
// stored order. Archives that the build does not have are damage.
func EachStored(ctx context.Context, db *sql.DB, build string, archives []int64, each func(*Stored) error) error {
	return reading(ctx, db, func(r *reader) error {
		if err := r.begin(build); err != nil {
			return err
		}
		scanner := &Scanner{r: r}
		for _, ordinal := range archives {
			at := slices.IndexFunc(r.archives, func(a Archive) bool { return a.ordinal == ordinal })
			if at < 0 {
				return damaged("build %s has no archive %d", build, ordinal)
			}
			scanner.next = append(scanner.next, []*Archive{&r.archives[at]})
		}
		for {
			e, err := scanner.Next()
			if err != nil || e == nil {
				return err
			}
			if err := each(&e.Stored); err != nil {
				return err
			}
		}
	})
}

// What the editions after ?2 of lineage ?1, up to ?3, ended and brought: the partial
// indexes alone have it.
const (
	endedRows   = "SELECT row FROM x_entry_row INDEXED BY entry_until WHERE lineage_id = ?1 AND until > ?2 AND until <= ?3 AND until > 0"
	broughtRows = "SELECT row FROM x_entry_row INDEXED BY entry_since WHERE lineage_id = ?1 AND since > ?2 AND since <= ?3 AND since > 0"
)

// EachBetween calls each for the rows of a lineage that hold for one alone of two editions,
// of which the first is the earlier one, in stored order; later says that it is the other.
type EachBetween func(lineage, first, last int64, each func(s *Stored, later bool) error) error

// Between calls do with an EachBetween. Of thousands of archives each may have its lineage, and
// to find the tables takes longer than to read a few rows.
func Between(ctx context.Context, db *sql.DB, do func(EachBetween) error) error {
	return reading(ctx, db, func(r *reader) error {
		if err := r.open(); err != nil {
			return err
		}
		return do(r.eachBetween)
	})
}

func (r *reader) eachBetween(lineage, first, last int64, each func(s *Stored, later bool) error) error {
	var changed []int64
	for _, query := range []string{endedRows, broughtRows} {
		err := r.s.EachRow(r.ctx, query, []driver.Value{lineage, first, last}, func(v []driver.Value) {
			row, _ := v[0].(int64)
			changed = append(changed, row)
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(changed)
	c, s := r.rows.Cursor(), &Stored{texts: r.texts}
	for _, row := range slices.Compact(changed) {
		if err := c.From(lineage, row); err != nil {
			return err
		}
		v, err := c.Next()
		if err != nil {
			return err
		}
		if v == nil || v[colLineage].Int != lineage || v[colRow].Int != row {
			return damaged("an index has row %d of lineage %d, and the table has not", row, lineage)
		}
		if in := holds(v, last); in != holds(v, first) {
			if err := s.set(v); err != nil {
				return err
			}
			if err := each(s, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// File is an entry that is a file of the game.
type File struct {
	Archive, Row, Flags int64
	File                []byte // see [record.Archive.AppendFile]
}

// EachFile calls each for the files of archives, whichever builds have these, in the order of
// their rows.
func EachFile(ctx context.Context, db *sql.DB, archives []int64, each func(*File) error) error {
	if len(archives) == 0 {
		return nil
	}
	return reading(ctx, db, func(r *reader) error {
		for _, id := range archives {
			if err := r.files(id, each); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *reader) files(archive int64, each func(*File) error) error {
	scanner, err := r.scan(archive)
	if err != nil {
		return err
	}
	a := record.Archive{MountPoint: scanner.next[0][0].mountPoint}
	f := &File{Archive: archive}
	for {
		row, err := scanner.Next()
		if err != nil || row == nil {
			return err
		}
		path, err := r.texts.Whole(row.Path)
		if err != nil {
			return err
		}
		f.Row, f.Flags = row.Row, row.Flags
		if f.File = a.AppendFile(f.File[:0], &record.Entry{Name: path, Flags: f.Flags, IDBits: row.Bits, ID: row.AssetID()}); len(f.File) == 0 {
			continue
		}
		if err := each(f); err != nil {
			return err
		}
	}
}
