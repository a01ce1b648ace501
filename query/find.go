package query

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"pakdb/internal/asset"
	"pakdb/internal/search"
	"pakdb/schema"
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

// Hits yields where in all builds a text is found, the best first. [search.Parse] says what the
// text may be. It fails with [ErrNoIndex] where there is no index.
func (f *Finder) Hits(ctx context.Context, text string) iter.Seq2[Hit, error] {
	return seq(func(add func(Hit) error) error { return f.each(ctx, text, add) })
}

// each calls add for each of [Finder.Hits].
func (f *Finder) each(ctx context.Context, text string, add func(Hit) error) error {
	if !f.indexed {
		return ErrNoIndex
	}
	q := search.Parse(text)
	nextName, stopNames := iter.Pull2(seq(func(add func(match) error) error { return f.names(ctx, q, add) }))
	defer stopNames()
	nextPath, stopPaths := iter.Pull2(seq(func(add func(match) error) error { return f.paths(ctx, q, add) }))
	defer stopPaths()
	for rank := 0; ; {
		matches, err := take(nil, nextName)
		if err == nil {
			matches, err = take(matches, nextPath)
		}
		if err != nil || len(matches) == 0 {
			return err
		}
		slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(a.score, b.score) })
		for _, m := range matches {
			rank++
			err := f.hits(ctx, q, m, func(h Hit) error {
				h.Rank = rank
				return add(h)
			})
			if err != nil {
				return err
			}
		}
	}
}

// errEnough ends what yields more than is wanted.
var errEnough = errors.New("there is enough")

// seq yields what each adds, and the error that it returns.
func seq[T any](each func(add func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := each(func(v T) error {
			if !yield(v, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(*new(T), err)
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

// SearchKinds returns the values of [Hit.Kind].
func SearchKinds() []string {
	all := []string{"path", "folder"}
	for _, u := range search.Uses {
		all = append(all, u.Kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// match is a text or path that was found.
type match struct {
	id    int64 // of the name, path or folder
	kind  int   // search.Names, search.Files or search.Folders
	text  string
	score int
}

// names adds the names that match, those first that are what is looked for.
func (f *Finder) names(ctx context.Context, q *search.Query, add func(match) error) error {
	if len(q.Parts()) == 0 {
		return nil
	}
	added := map[int64]bool{}
	addName := func(m match) error {
		if added[m.id] || !q.Matches(m.text) {
			return nil
		}
		m.kind, m.score = search.Names, q.Score(m.text)
		return add(m)
	}
	err := f.rows(ctx, func(m match) error {
		err := addName(m)
		added[m.id] = true
		return err
	}, "SELECT n.name_id, n.name FROM x_name_key k CROSS JOIN x_name n ON n.name_id = k.name_id WHERE k.key = ?", schema.NameKey(q.Text))
	if err != nil {
		return err
	}
	return f.rows(ctx, addName, search.NamesSQL, q.Match(), search.Contains(q.Longest()))
}

// rows calls each for the ids and texts that a query yields.
func (f *Finder) rows(ctx context.Context, each func(match) error, query string, args ...any) error {
	return schema.Each(ctx, f.db, func(rows *sql.Rows) error {
		var m match
		if err := rows.Scan(&m.id, &m.text); err != nil {
			return err
		}
		return each(m)
	}, query, args...)
}

// paths adds the paths that have all terms somewhere, one of them in the name of the
// file, of the files of an asset one; and the folders that have all of them.
func (f *Finder) paths(ctx context.Context, q *search.Query, add func(match) error) error {
	seen, assets := map[int64]bool{}, map[string]bool{}
	for _, part := range q.Leading() {
		err := f.with(ctx, part, search.FilesSQL, allFiles, func(m match) error {
			if seen[m.id] || !q.InPath(m.text) {
				return nil
			}
			seen[m.id] = true
			if stem, _, part := asset.Split(m.text); part != asset.None {
				if assets[stem] {
					return nil
				}
				assets[stem] = true
			}
			m.kind, m.score = search.Files, q.PathScore(m.text)
			return add(m)
		})
		if err != nil {
			return err
		}
	}
	parts := q.Parts()
	if len(parts) == 0 {
		return nil
	}
	return f.with(ctx, parts[0], search.FoldersSQL, allFolders, func(m match) error {
		if !q.InPath(m.text) {
			return nil
		}
		m.kind, m.score = search.Folders, q.PathScore(strings.TrimSuffix(m.text, "/"))
		return add(m)
	})
}

// The paths of files by a part of their names, and folders by a part of theirs, without the index.
const (
	allFiles   = "SELECT p.path_id, " + search.Path + " FROM x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE p.name LIKE ? ESCAPE '\\'"
	allFolders = "SELECT dir_id, prefix FROM x_dir WHERE prefix LIKE ? ESCAPE '\\'"
)

// with calls each for the rows that have a part, by the index if the part is long enough for it.
func (f *Finder) with(ctx context.Context, part, indexed, all string, each func(match) error) error {
	if match := search.Trigrams(part); match != "" {
		return f.rows(ctx, each, indexed, match, search.Contains(part))
	}
	return f.rows(ctx, each, all, search.Contains(part))
}

// SearchFunction returns the SQL function search(text) over a catalog.
func SearchFunction(catalog *schema.OnDemand) schema.TableFunction {
	return schema.TableFunction{Name: "search", Params: []string{"wanted"},
		Columns: []string{"rank", "kind", "text", "place", "path", "builds", "build_count", "occurrences", "content_id"},
		Rows: func(ctx context.Context, args []driver.Value, add func([]driver.Value) error) error {
			text, ok := args[0].(string)
			if !ok {
				return fmt.Errorf("want a text, not %v", args[0])
			}
			db, err := catalog.Open(ctx)
			if err != nil {
				return err
			}
			f, err := OpenSearch(ctx, db)
			if err != nil {
				return err
			}
			return f.each(ctx, text, func(h Hit) error { return add(h.row()) })
		}}
}

// row returns the hit as values of SQL.
func (h *Hit) row() []driver.Value {
	return []driver.Value{int64(h.Rank), h.Kind, h.Text, orNull(h.Place), orNull(h.Path), strings.Join(h.Builds, ","),
		int64(len(h.Builds)), h.Count, orNull(h.Content)}
}

func orNull[T string | int64](v T) driver.Value {
	if v == *new(T) {
		return nil
	}
	return v
}
