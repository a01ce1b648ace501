package compare

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/semantic"
	"pakdb/query"
	"pakdb/query/show"
)

// codeIn returns what reads the code of packages of builds. Of contents that are not at
// hand there is none.
func codeIn(a *cli.App, db *sql.DB, contents *query.Contents) semantic.Code {
	builds := map[string]*show.Build{}
	return func(ctx context.Context, build, path string) (_ map[string]string, err error) {
		if builds[build] == nil {
			if builds[build], err = show.InBuild(ctx, db, build, contents, a.Registry()); err != nil {
				return nil, err
			}
		}
		code, err := builds[build].Code(ctx, path)
		if errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, codecs.ErrUnknown) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return code.Texts(), nil
	}
}
