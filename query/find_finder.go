package query

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"

	"pakdb/internal/search"
)

// ErrNoIndex means that a catalog has no index of texts and paths.
var ErrNoIndex = errors.New("the catalog has no search index")

// Finder looks for texts and paths in a catalog. It is for one goroutine at a time.
type Finder struct {
	db      *sql.DB
	indexed bool
	columns []use
	places  map[hitPlace][]builds
}

// OpenSearch returns a Finder over a catalog, which stays the caller's.
func OpenSearch(ctx context.Context, db *sql.DB) (*Finder, error) {
	f := &Finder{db: db, columns: uses(), places: map[hitPlace][]builds{}}
	err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_search_state)").Scan(&f.indexed)
	return f, err
}

// Indexed reports whether the catalog has the index.
func (f *Finder) Indexed() bool { return f.indexed }

// window is how many texts, and how many paths, are ranked among each other: those that
// match beyond them follow, ranked likewise.
const window = 256

// Hits yields where in all builds a text is found, the best first. [ParseSearch] says what the
// text may be. It fails with [ErrNoIndex] where there is no index.
func (f *Finder) Hits(ctx context.Context, text string) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		if !f.indexed {
			yield(Hit{}, ErrNoIndex)
			return
		}
		q := ParseSearch(text)
		nextName, stopNames := iter.Pull2(f.names(ctx, q))
		defer stopNames()
		nextPath, stopPaths := iter.Pull2(f.paths(ctx, q))
		defer stopPaths()
		for rank := 0; ; {
			matches, err := take(nil, nextName)
			if err == nil {
				matches, err = take(matches, nextPath)
			}
			if err != nil {
				yield(Hit{}, err)
				return
			}
			if len(matches) == 0 {
				return
			}
			slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(a.score, b.score) })
			for _, m := range matches {
				rank++
				for h, err := range f.hits(ctx, q, m) {
					h.Rank = rank
					if !yield(h, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// take appends matches of a window.
func take(to []match, next func() (match, error, bool)) ([]match, error) {
	for range window {
		m, err, ok := next()
		if !ok || err != nil {
			return to, err
		}
		to = append(to, m)
	}
	return to, nil
}

// SearchKinds returns what a text may be where it is found, as [Hit.Kind] says.
func SearchKinds() []string {
	all := []string{"path", "folder"}
	for _, u := range search.Uses {
		all = append(all, u.Kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
