package indexer

import (
	"context"
	"io"
	"iter"
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
	once     sync.Once
	mu       sync.Mutex
	ids      idLists
	searches map[string]*search // by spec; nil: cannot be done ahead
}

// listAhead lists the ids of all files of the scan, when the first archive of a
// format that has some in its tables is opened and not known from before.
func (s *scan) listAhead(ctx context.Context, f *codecs.Format) {
	if len(f.EntrySpaces) == 0 {
		return
	}
	s.ahead.once.Do(func() {
		ids := idLists{}
		for _, file := range s.files {
			s.listFile(ctx, file, ids)
		}
		s.ahead.mu.Lock()
		defer s.ahead.mu.Unlock()
		s.ahead.ids = ids
	})
}

// idLists are the ids of each space.
type idLists map[codecs.Space]map[int64]bool

// listFile adds the ids of one file. What is wrong with it is found again when
// its turn comes.
func (s *scan) listFile(ctx context.Context, file file, ids idLists) {
	o := &opened{file: file}
	defer o.close()
	if s.openSource(o) != nil {
		return
	}
	var err error
	if o.format, err = s.detect(o.src); err != nil || len(o.format.EntrySpaces) == 0 {
		return
	}
	for _, space := range o.format.EntrySpaces {
		if ids[space] == nil {
			ids[space] = map[int64]bool{}
		}
	}
	if o.archive, err = s.openArchive(ctx, o); err == nil {
		_ = s.listEntries(ctx, o, ids)
	}
}

func (s *scan) listEntries(ctx context.Context, o *opened, ids idLists) (err error) {
	defer guard(&err, o.src.Name)
	for e := range o.archive.Entries() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e == nil {
			continue
		}
		for _, symbol := range s.entrySymbols(e) {
			if list := ids[symbol.Space]; list != nil {
				list[int64(symbol.ID.Lo)] = true
			}
		}
	}
	return nil
}

// searchAhead searches a content as its facts ask for, if all the ids are known.
func (s *scan) searchAhead(ctx context.Context, e *codecs.Entry, content io.ReaderAt, size int64, facts *schema.Facts) error {
	if facts.Scan == "" {
		return nil
	}
	how, err := s.aheadSearch(ctx, facts.Scan)
	if how == nil || err != nil {
		return err
	}
	facts.Known = how.known
	facts.Scanned, err = how.find(e, io.NewSectionReader(content, 0, size))
	return err
}

// aheadSearch returns nil for a search that has to wait for the end.
func (s *scan) aheadSearch(ctx context.Context, text string) (*search, error) {
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	if how, known := s.ahead.searches[text]; known {
		return how, nil
	}
	spec, err := parseSpec(text)
	if err != nil {
		return nil, err
	}
	var how *search
	if !slices.ContainsFunc(spec.Spaces, func(space codecs.Space) bool { return s.ahead.ids[space] == nil }) {
		how, err = newSearch(spec, func(space codecs.Space) iter.Seq2[int64, error] { return s.aheadIDs(ctx, space) })
	}
	if err == nil {
		s.ahead.searches[text] = how
	}
	return how, err
}

// aheadIDs yields what SpaceIDs will when the scan is over: the ids that were
// listed, and those that the catalog has.
func (s *scan) aheadIDs(ctx context.Context, space codecs.Space) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		ids := s.ahead.ids[space]
		for id, err := range s.build.SpaceIDs(ctx, string(space)) {
			if err != nil {
				yield(0, err)
				return
			}
			ids[id] = true
		}
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			if !yield(id, nil) {
				return
			}
		}
	}
}
