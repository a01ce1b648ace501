// Package show finds contents and what they refer to, in archives and in builds of a
// catalog, and compares the insides of contents of two builds. It also walks the references between the entries of a build:
// what an entry needs, and what needs it. The view "dependencies" shows the same graph;
// here a step costs what its edges cost, whatever the size of the build.
//
// Reading order:
//
//   - show.go, build.go: contents of archives, of a build, and of all builds
//   - code.go: what packages add to the tree of their meaning
//   - graph_functions.go: SQL functions
//   - graph.go, graph_*.go: references
//   - comparer.go: insides of files of two builds compared
package show

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

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

// largest bounds contents that are shown, which are held in memory.
const largest = 1 << 30

// Archive is the entries of an archive, for one of them and for what it refers to. It
// is a [codecs.Files]. It is not safe for concurrent use.
type Archive struct {
	archive  codecs.Archive
	registry *codecs.Registry
	names    Dictionary
	entries  map[string]*codecs.Entry    // by path, in lower case; nil: not listed yet
	ids      map[codecs.ID]*codecs.Entry // that entries have themselves
}

// InArchive returns the entries of an archive, which stays open as long as they are
// used.
func InArchive(ar codecs.Archive, r *codecs.Registry, names Dictionary) *Archive {
	return &Archive{archive: ar, registry: r, names: names}
}

// Entry returns what the content of an entry says.
func (a *Archive) Entry(ctx context.Context, e *codecs.Entry) (*codecs.Facts, error) {
	if e.Size > largest {
		return nil, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", e.Size, int64(largest))
	}
	r, err := a.archive.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(codecs.ContextReader(ctx, r))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) != e.Size {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "decodes to %d bytes, %d are declared", len(content), e.Size)
	}
	return Inspect(ctx, a.registry, e, bytes.NewReader(content), a.names)
}

// Facts returns what the entry of that path says, whatever its case.
func (a *Archive) Facts(ctx context.Context, path string) (*codecs.Facts, error) {
	a.list()
	e := a.entries[strings.ToLower(path)]
	if e == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return a.Entry(ctx, e)
}

// Name returns the name of the entry that has an id itself.
func (a *Archive) Name(_ codecs.Space, id codecs.ID) string {
	a.list()
	if e := a.ids[id]; e != nil {
		return e.Name
	}
	return ""
}

// list reads the tables. Of several entries of a name the first counts; what is wrong
// with others is no concern of one content.
func (a *Archive) list() {
	if a.entries != nil {
		return
	}
	a.entries, a.ids = map[string]*codecs.Entry{}, map[codecs.ID]*codecs.Entry{}
	for e, err := range a.archive.Entries() {
		if err != nil || e.Flags&codecs.Deleted != 0 {
			continue
		}
		if key := strings.ToLower(e.Name); a.entries[key] == nil {
			a.entries[key] = e
		}
		if !e.ID.IsZero() && a.ids[e.ID] == nil {
			a.ids[e.ID] = e
		}
	}
}

var _ codecs.Files = (*Archive)(nil)
