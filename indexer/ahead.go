package indexer

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"pakdb/codecs"
	"pakdb/schema"
)

// ahead knows the ids of a build before its contents are decoded, in the spaces
// that archives fill from their tables. Contents are then searched on their way
// through the scan, and not read a second time. Should it be wrong, because a
// file changed meanwhile or could not be listed, the searches are done again in
// the end: what they looked for is stored with what they found.
type ahead struct {
	open  *opener
	files []file // of the scan

	once     sync.Once
	mu       sync.Mutex
	ids      idLists
	searches map[string]*search // by spec; nil: cannot be done ahead
}

// list lists the ids of all files of the scan, when the first archive of a
// format that has some in its tables is opened and not known from before.
func (a *ahead) list(ctx context.Context, f *codecs.Format) {
	if len(f.EntrySpaces) == 0 {
		return
	}
	a.once.Do(func() {
		ids := idLists{}
		for _, file := range a.files {
			a.listFile(ctx, file, ids)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.ids = ids
	})
}

// idLists are the ids of each space.
type idLists map[codecs.Space]map[int64]bool

// listFile adds the ids of one file. What is wrong with it is found again when
// its turn comes.
func (a *ahead) listFile(ctx context.Context, file file, ids idLists) {
	o := &opened{file: file}
	defer o.close()
	if a.open.openSource(o) != nil {
		return
	}
	var err error
	if o.format, err = a.open.detect(o.src); err != nil || len(o.format.EntrySpaces) == 0 {
		return
	}
	for _, space := range o.format.EntrySpaces {
		if ids[space] == nil {
			ids[space] = map[int64]bool{}
		}
	}
	if o.archive, err = a.open.openArchive(ctx, o); err == nil {
		_ = a.listEntries(ctx, o, ids)
	}
}

func (a *ahead) listEntries(ctx context.Context, o *opened, ids idLists) (err error) {
	defer guard(&err, o.src.Name)
	for e := range o.archive.Entries() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e == nil {
			continue
		}
		for _, symbol := range entrySymbols(a.open.options.Registry, e) {
			if list := ids[symbol.Space]; list != nil {
				list[int64(symbol.ID.Lo)] = true
			}
		}
	}
	return nil
}

// search searches a content as its facts ask for, if all the ids are known.
func (a *ahead) search(ctx context.Context, e *codecs.Entry, content io.ReaderAt, size int64, facts *schema.Facts) error {
	if facts.Scan == "" {
		return nil
	}
	how, err := a.searchOf(ctx, facts.Scan)
	if how == nil || err != nil {
		return err
	}
	facts.Known = how.known
	facts.Scanned, err = how.find(e, io.NewSectionReader(content, 0, size))
	return err
}

// searchOf returns nil for a search that has to wait for the end.
func (a *ahead) searchOf(ctx context.Context, text string) (*search, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if how, known := a.searches[text]; known {
		return how, nil
	}
	spec, err := parseSpec(text)
	if err != nil {
		return nil, err
	}
	var how *search
	if !slices.ContainsFunc(spec.Spaces, func(space codecs.Space) bool { return a.ids[space] == nil }) {
		how, err = newSearch(spec, func(space codecs.Space) ([]int64, error) { return a.idsOf(ctx, space) })
	}
	if err == nil {
		a.searches[text] = how
	}
	return how, err
}

// idsOf returns what SpaceIDs will when the scan is over: the ids that were
// listed, and those that the catalog has.
func (a *ahead) idsOf(ctx context.Context, space codecs.Space) ([]int64, error) {
	stored, err := a.open.build.SpaceIDs(ctx, string(space))
	if err != nil {
		return nil, a.open.failures.keep(err)
	}
	ids := a.ids[space]
	for _, id := range stored {
		ids[id] = true
	}
	return slices.Sorted(maps.Keys(ids)), nil
}
