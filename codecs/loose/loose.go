// Package loose treats any other file as an archive of one entry: the file itself,
// named by its base name. A folder of loose files is thereby indexed, compared and
// patched like any archive.
package loose

import (
	"context"
	_ "embed"
	"io"
	"iter"

	"pakdb/codecs"
)

//go:embed FORMAT.md
var spec string

// Format is the fallback: it matches every file, weakly.
func Format() *codecs.Format {
	return &codecs.Format{
		Name:     "loose",
		Doc:      "any other file, as an archive of one entry",
		Spec:     spec,
		Revision: 1,

		NamedByFile: true,
		Mounting:    &codecs.Mounting{Loose: true},
		Probe:       func(codecs.Source) (codecs.Match, error) { return codecs.WeakMatch, nil },
		Open: func(ctx context.Context, src codecs.Source, _ *codecs.Options) (codecs.Archive, error) {
			return archive{src}, ctx.Err()
		},
	}
}

type archive struct{ src codecs.Source }

func (a archive) Info() codecs.Info {
	return codecs.Info{Format: "loose", EntryCount: 1}
}

func (a archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		yield(&codecs.Entry{Name: a.src.Name, Stored: a.src.Size, Size: a.src.Size}, nil)
	}
}

func (a archive) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	r, err := a.OpenRaw(e)
	if err != nil {
		return nil, err
	}
	return codecs.NewStoredReader(ctx, r, func(off int64, err error) error {
		return &codecs.FormatError{Format: "loose", File: a.src.Name, Off: off, Err: err}
	}), nil
}

func (a archive) OpenRaw(*codecs.Entry) (*io.SectionReader, error) {
	return io.NewSectionReader(a.src, 0, a.src.Size), nil
}

func (a archive) Close() error { return nil }
