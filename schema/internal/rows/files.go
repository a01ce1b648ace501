package rows

import (
	"context"
	"database/sql"

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
	a := record.Archive{MountPoint: scanner.next[0].mountPoint}
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
		if f.File = a.FileOf(&record.Entry{Name: path, Flags: f.Flags, IDBits: row.Bits, ID: row.AssetID()}); f.File == "" {
			continue
		}
		if err := each(f); err != nil {
			return err
		}
	}
}
