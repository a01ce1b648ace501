package compare

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/codecs/media"
	"pakdb/diff"
	"pakdb/diff/mediadiff"
	"pakdb/diff/semantic"
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

// looker compares pixels and samples.
type looker struct {
	builds   *buildFiles
	old, new string                // labels
	pictures []*mediadiff.Pictures // of the change that was looked at last
}

// look adds what differs of the textures and sounds of a change. Contents that are no
// packages, or are not at hand, have none.
func (l *looker) look(ctx context.Context, c *diff.Change, in *semantic.Difference) error {
	if l == nil {
		return nil
	}
	l.pictures = nil
	if in == nil || c.Old == nil || c.New == nil {
		return nil
	}
	before, err := l.builds.media(ctx, l.old, c.Old.Path)
	if err != nil {
		return absent(err)
	}
	after, err := l.builds.media(ctx, l.new, c.New.Path)
	if err != nil {
		return absent(err)
	}
	for _, m := range mediadiff.Compare(before, after) {
		in.Fields = append(in.Fields, semantic.Field{Name: m.Object + "." + m.Field, Old: &m.Old, New: &m.New, Cosmetic: m.Same})
		if m.Pictures != nil {
			l.pictures = append(l.pictures, m.Pictures)
		}
	}
	return nil
}

// absent drops errors of contents that are no packages, or are not at hand.
func absent(err error) error {
	if errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, codecs.ErrUnknown) {
		return nil
	}
	return err
}
