package show

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"pakdb/codecs"
	"pakdb/codecs/unreal/media"
	"pakdb/diff/semantic"
	"pakdb/internal/asset"
	"pakdb/query"
)

// Files are the files of builds of a catalog, as the game sees them. It is not safe for
// concurrent use.
type Files struct {
	db       *sql.DB
	contents *query.Contents
	registry *codecs.Registry
	open     map[string]*Build // by label
}

// NewFiles returns the files of all builds of a catalog. What is given stays the caller's.
func NewFiles(db *sql.DB, contents *query.Contents, r *codecs.Registry) *Files {
	return &Files{db: db, contents: contents, registry: r, open: map[string]*Build{}}
}

// Of returns the files of a build.
func (f *Files) Of(ctx context.Context, build string) (b *Build, err error) {
	if f.open[build] == nil {
		if f.open[build], err = InBuild(ctx, f.db, build, f.contents, f.registry); err != nil {
			return nil, err
		}
	}
	return f.open[build], nil
}

// Code returns the text of functions of a package, by their paths. Of contents that are not
// at hand, or damaged, there is none. It is a semantic.Code.
func (f *Files) Code(ctx context.Context, build, path string) (map[string]string, error) {
	b, err := f.Of(ctx, build)
	if err != nil {
		return nil, err
	}
	texts, err := b.Texts(ctx, path)
	if IsDamage(err) { // a problem of the content, which the catalog has
		return nil, nil
	}
	return texts, err
}

// Media returns the package that a file of a build is part of, such that its textures and
// sounds can be read.
func (f *Files) Media(ctx context.Context, build, path string) (p *media.Package, err error) {
	b, err := f.Of(ctx, build)
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

// Blame returns the values of a file of a build, each with the build that gave it its present
// value, as [semantic.Blame] does.
func (f *Files) Blame(ctx context.Context, build, path string) ([]semantic.Origin, error) {
	return semantic.Blame(ctx, f.db, f.texts(), build, path)
}

// BlameOf returns what one value was since which builds, as [semantic.BlameOf] does.
func (f *Files) BlameOf(ctx context.Context, build, path, name string) ([]semantic.Origin, error) {
	return semantic.BlameOf(ctx, f.db, f.texts(), build, path, name)
}

// texts are the contents, a nil interface where there are none.
func (f *Files) texts() semantic.Contents {
	if f.contents == nil {
		return nil
	}
	return f.contents
}
