package compare

import (
	"context"
	"database/sql"

	"pakdb/cmd/pakdb/internal/cli"
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
		return builds[build].Texts(ctx, path)
	}
}
