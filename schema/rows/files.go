package rows

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"math"
	"strings"

	"pakdb/schema/internal/record"
)

// File is an entry that is a file of the game.
type File struct {
	Archive, Row, Flags int64
	File                string // see [record.Archive.FileOf]
}

// EachFile calls each for the files of archives, whichever builds have these, in the order of
// their rows.
func EachFile(ctx context.Context, db *sql.DB, archives []int64, each func(*File) error) error {
	if len(archives) == 0 {
		return nil
	}
	return reading(ctx, db, func(r *reader) error {
		if err := r.open(); err != nil {
			return err
		}
		for _, id := range archives {
			if err := r.files(id, each); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *reader) files(archive int64, each func(*File) error) error {
	var lineage, edition int64
	var a record.Archive
	err := r.s.EachRow(r.ctx, "SELECT lineage_id, edition, mount_point FROM x_archive WHERE archive_id = ?1", []driver.Value{archive}, func(v []driver.Value) {
		lineage, _ = v[0].(int64)
		edition, _ = v[1].(int64)
		text, _ := v[2].(string)
		a.MountPoint = strings.Clone(text)
	})
	if err != nil {
		return err
	}
	c := r.rows.Cursor()
	if err := c.From(lineage, math.MinInt64); err != nil {
		return err
	}
	f := &File{Archive: archive}
	var path []byte
	for n := 1; ; n++ {
		if n%4096 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		v, err := c.Next()
		if err != nil || v == nil || v[colLineage].Int != lineage {
			return err
		}
		if !holds(v, edition) {
			continue
		}
		path = path[:0]
		if id := v[colPath].Int; id != 0 {
			folder, name, _, err := r.texts.Path(id)
			if err != nil {
				return err
			}
			path = append(append(path, folder.Prefix...), name...)
		}
		f.Row, f.Flags = v[colRow].Int, v[colFlags].Int
		f.File = a.FileOf(&record.Entry{Name: string(path), Flags: f.Flags, IDBits: v[colBits].Int, ID: [2]uint64{uint64(v[colHi].Int), uint64(v[colLo].Int)}})
		if f.File == "" {
			continue
		}
		if err := each(f); err != nil {
			return err
		}
	}
}
