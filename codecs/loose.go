package codecs

import (
	"context"
	_ "embed"
	"io"
	"iter"
)

//go:embed LOOSE.md
var spec string

// Loose is the fallback: it matches every file, weakly.
func Loose() *Format {
	return &Format{
		Name:     "loose",
		Doc:      "any other file, as an archive of one entry",
		Spec:     spec,
		Revision: 1,

		NamedByFile: true,
		Mounting:    &Mounting{Loose: true},
		Probe:       func(Source) (Match, error) { return WeakMatch, nil },
		Open: func(ctx context.Context, src Source, _ *Options) (Archive, error) {
			return archive{src}, ctx.Err()
		},
	}
}

type archive struct{ src Source }

func (a archive) Info() Info {
	return Info{Format: "loose", EntryCount: 1}
}

func (a archive) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		yield(&Entry{Name: a.src.Name, Stored: a.src.Size, Size: a.src.Size}, nil)
	}
}

func (a archive) Open(ctx context.Context, e *Entry) (io.ReadCloser, error) {
	r, err := a.OpenRaw(e)
	if err != nil {
		return nil, err
	}
	return NewStoredReader(ctx, r, func(off int64, err error) error {
		return &FormatError{Format: "loose", File: a.src.Name, Off: off, Err: err}
	}), nil
}

func (a archive) OpenRaw(*Entry) (*io.SectionReader, error) {
	return io.NewSectionReader(a.src, 0, a.src.Size), nil
}

func (a archive) Close() error { return nil }
