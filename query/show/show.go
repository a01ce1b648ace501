// Package show finds contents and what they refer to in builds of a catalog, and compares
// the insides of contents of two builds. It also walks the references between the entries
// of a build: what an entry needs, and what needs it. The view "dependencies" shows the same
// graph; here a step costs what its edges cost, whatever the size of the build.
//
// Reading order:
//
//   - show.go, build.go: what a content says; contents of a build, and of all builds
//   - code.go: what packages add to the tree of their meaning
//   - graph_functions.go: SQL functions
//   - graph.go, graph_*.go: references
//   - comparer.go: insides of files of two builds compared
package show

import (
	"context"
	"fmt"
	"io"

	"pakdb/codecs"
)

// Dictionary returns the meaning of ids in contents, as Resolve of the
// kind takes it; nil if there is nothing.
type Dictionary func(ctx context.Context, kind *codecs.Dictionary) (any, error)

// Inspect returns what the content of e says, with what its family of formats finds in
// the dictionary. An error of class [codecs.ErrUnknown] means that no inspector takes
// it.
func Inspect(ctx context.Context, r *codecs.Registry, e *codecs.Entry, content io.ReaderAt, names Dictionary) (*codecs.Facts, error) {
	head := make([]byte, min(e.Size, codecs.HeadSize))
	if n, err := content.ReadAt(head, 0); n < len(head) {
		return nil, err
	}
	in := r.Inspector(e, head)
	if in == nil {
		return nil, unknownError{}
	}
	facts, err := in.Inspect(ctx, content, e.Size, e)
	if err != nil || in.Dictionary == nil {
		return facts, err
	}
	known, err := names(ctx, in.Dictionary)
	if err != nil || known == nil {
		return facts, err
	}
	return in.Dictionary.Resolve(facts, known), nil
}

// unknownError says that no inspector takes a content.
type unknownError struct{}

func (unknownError) Error() string {
	return codecs.ErrUnknown.Error() + ": nothing here knows what it means"
}

func (unknownError) Unwrap() error { return codecs.ErrUnknown }

// Hint returns what to do about it.
func (unknownError) Hint() string {
	return `"pakdb formats" lists the inspectors; "pakdb cat" writes the content`
}

// Explain returns the tree of a content of that name, whose facts, or the error in their
// place, are given. files may be nil.
func Explain(ctx context.Context, name string, facts *codecs.Facts, files codecs.Files, err error) (*codecs.Node, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root, err := codecs.Meaning(ctx, facts, files)
	if err != nil {
		return nil, err
	}
	root.Name = name
	return root, nil
}

// Largest bounds contents that are shown, which are held in memory.
const Largest = 1 << 30
