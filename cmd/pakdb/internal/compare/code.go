package compare

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/media"
	"pakdb/internal/asset"
	"pakdb/query"
	"pakdb/query/show"
)

// buildFiles are the files of builds, as the game sees them.
type buildFiles struct {
	a        *cli.App
	db       *sql.DB
	contents *query.Contents
	open     map[string]*show.Build // by label
}

func (f *buildFiles) of(ctx context.Context, build string) (b *show.Build, err error) {
	if f.open[build] == nil {
		if f.open[build], err = show.InBuild(ctx, f.db, build, f.contents, f.a.Registry()); err != nil {
			return nil, err
		}
	}
	return f.open[build], nil
}

// code returns the text of functions of a package. Of contents that are not at hand there
// is none.
func (f *buildFiles) code(ctx context.Context, build, path string) (map[string]string, error) {
	b, err := f.of(ctx, build)
	if err != nil {
		return nil, err
	}
	return b.Texts(ctx, path)
}

// media returns the package that a file of a build is part of.
func (f *buildFiles) media(ctx context.Context, build, path string) (p *media.Package, err error) {
	b, err := f.of(ctx, build)
	if err != nil {
		return nil, err
	}
	headers := []string{path}
	if stem, _, part := asset.Split(path); part == asset.Body || part == asset.Bulk {
		headers = asset.Headers(stem)
	}
	for _, header := range headers {
		if p, err = b.Media(ctx, header); !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	return nil, err
}
