package operand

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/codecs"
	"pakdb/internal/atomicfile"
	"pakdb/query"
)

// OpenKept returns an entry of a build as an archive of its own, whose content comes from
// where contents are kept. why is the error for the archive: OpenKept returns it if that
// is not gone or changed, or if the content is not kept either.
func OpenKept(ctx context.Context, a *cli.App, n *locate.Name, why error) (_ *Archive, err error) {
	if n.Build == "" || !errors.Is(why, fs.ErrNotExist) && !errors.Is(why, locate.ErrChanged) {
		return nil, why
	}
	d, err := contentIn(ctx, a, n)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	if d == nil {
		return nil, why
	}
	f, size, err := spoolKept(ctx, a, [32]byte(d))
	if err != nil {
		if !errors.Is(err, query.ErrNoContent) && !errors.Is(err, fs.ErrNotExist) {
			why = errors.Join(why, err)
		}
		return nil, why
	}
	formats := a.Registry().Formats
	loose := formats[slices.IndexFunc(formats, IsLoose)]
	opened, err := loose.Open(ctx, codecs.Source{ReaderAt: f, Name: n.Entry, Size: size}, a.OpenOptions())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Archive{Archive: opened, Format: loose, Path: n.Label(n.Files[0]), Build: n.Build, Size: size, File: f.File, Kept: true, release: f.Close}, nil
}

// contentIn returns the BLAKE3 of the content of an entry; nil if the catalog has none.
func contentIn(ctx context.Context, a *cli.App, n *locate.Name) ([]byte, error) {
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	var text string
	err = db.QueryRowContext(ctx, `SELECT content FROM entries WHERE build = ? AND archive = ? AND path = ? AND content IS NOT NULL
		ORDER BY ordinal LIMIT 1`, n.Build, n.Files[0].Name, n.Entry).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := hex.DecodeString(text)
	if err != nil || len(d) != 32 {
		return nil, err // half of a hash, by a container's own table
	}
	return d, nil
}

// spoolKept writes a content to a temporary file.
func spoolKept(ctx context.Context, a *cli.App, d [32]byte) (_ *atomicfile.Scratch, size int64, err error) {
	contents := cli.Contents(a, a.Catalog)
	defer func() { err = errors.Join(err, contents.Close()) }()
	r, size, err := contents.Open(ctx, d)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f, err := atomicfile.NewScratch("")
	if err != nil {
		return nil, 0, err
	}
	contentErr, writeErr := Copy(ctx, f, io.LimitReader(r, size+1), size)
	if err := errors.Join(contentErr, writeErr); err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, size, nil
}
