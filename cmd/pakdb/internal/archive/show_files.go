package archive

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"pakdb/codecs"
	"pakdb/query/show"
)

// archiveFiles is the entries of an archive, for one of them and for what it refers to. It
// is a [codecs.Files]. It is not safe for concurrent use.
type archiveFiles struct {
	archive  codecs.Archive
	registry *codecs.Registry
	names    show.Dictionary
	entries  map[string]*codecs.Entry    // by path, in lower case; nil: not listed yet
	ids      map[codecs.ID]*codecs.Entry // that entries have themselves
}

// entry returns what the content of an entry says.
func (a *archiveFiles) entry(ctx context.Context, e *codecs.Entry) (*codecs.Facts, error) {
	if e.Size > show.Largest {
		return nil, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", e.Size, int64(show.Largest))
	}
	content, err := readEntry(ctx, a.archive, e)
	if err != nil {
		return nil, err
	}
	if int64(len(content)) != e.Size {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "decodes to %d bytes, %d are declared", len(content), e.Size)
	}
	return show.Inspect(ctx, a.registry, e, bytes.NewReader(content), a.names)
}

// Facts returns what the entry of that path says, whatever its case.
func (a *archiveFiles) Facts(ctx context.Context, path string) (*codecs.Facts, error) {
	a.list()
	e := a.entries[strings.ToLower(path)]
	if e == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return a.entry(ctx, e)
}

// Name returns the name of the entry that has an id itself.
func (a *archiveFiles) Name(_ codecs.Space, id codecs.ID) string {
	a.list()
	if e := a.ids[id]; e != nil {
		return e.Name
	}
	return ""
}

// list reads the tables. Of several entries of a name the first counts; what is wrong
// with others is no concern of one content.
func (a *archiveFiles) list() {
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
