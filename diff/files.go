package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strconv"
	"strings"

	"pakdb/diff/internal/side"
	"pakdb/schema"
)

// BuildFile is an archive's file, as it was when it was scanned.
type BuildFile struct {
	Name      string // in the build
	Location  string // absolute path
	Format    string
	Size      int64
	ModTime   int64  // Unix nanoseconds
	Digest    string // BLAKE3 of the file in hex; "" where nobody read all of it
	Quick     string // [stored.Sample] of the file in hex
	Data      int64  // bytes of the files beside it that hold its entries, such as the .ucas of a .utoc
	DataFiles int    // how many these are

	ArchiveID int64 // archive_id in the catalog
	Ordinal   int64 // of the archive in the build
	Entries   int64
}

// filesSQL lists the files of build ?1.
const filesSQL = `SELECT ba.ordinal, a.archive_id, a.entry_count, ba.name, ba.location, a.format, a.size, a.mtime, lower(hex(a.digest)), a.scan, lower(hex(a.quick))
	FROM x_build_archive ba
	JOIN x_archive a ON a.archive_id = ba.archive_id
	WHERE ba.build_id = ?1
	ORDER BY ba.ordinal`

// Files returns the files of a complete build, in the build's order. The error is
// schema.ErrNoBuild if there is none of that label.
func Files(ctx context.Context, db *sql.DB, label string) (files []BuildFile, err error) {
	id, err := side.BuildID(ctx, db, label)
	if err != nil {
		return nil, err
	}
	err = schema.EachRow(ctx, db, filesSQL, []driver.Value{id}, func(v []driver.Value) {
		f := BuildFile{Ordinal: side.Integer(v[0]), ArchiveID: side.Integer(v[1]), Entries: side.Integer(v[2]), Name: side.Text(v[3]),
			Location: side.Text(v[4]), Format: side.Text(v[5]), Size: side.Integer(v[6]), ModTime: side.Integer(v[7]),
			Digest: side.Text(v[8]), Quick: side.Text(v[10])}
		f.Data, f.DataFiles = partsOf(side.Text(v[9]))
		files = append(files, f)
	})
	return files, err
}

// partsOf reads, from a scan key, how many bytes the files beside an archive had,
// and how many files these were: "... part0:1145648 part1:4096".
func partsOf(scan string) (size int64, files int) {
	for _, word := range strings.Fields(scan) {
		part, n, ok := strings.Cut(word, ":")
		if bytes, err := strconv.ParseInt(n, 10, 64); ok && err == nil && strings.HasPrefix(part, "part") {
			size, files = size+bytes, files+1
		}
	}
	return size, files
}
