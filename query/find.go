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

// names yields the names that match, those first that are what is looked for.
func (f *Finder) names(ctx context.Context, q *Search) iter.Seq2[match, error] {
	return func(yield func(match, error) bool) {
		if len(q.terms) == 0 {
			return
		}
		same := map[int64]bool{}
		each := func(query string, args []any, wanted func(id int64, text string) bool) bool {
			for m, err := range f.rows(ctx, query, args...) {
				if err == nil && !wanted(m.id, m.text) {
					continue
				}
				m.kind, m.score = search.Names, q.score(m.text)
				if !yield(m, err) || err != nil {
					return false
				}
			}
			return true
		}
		if each("SELECT n.name_id, n.name FROM x_name_key k CROSS JOIN x_name n ON n.name_id = k.name_id WHERE k.key = ?", []any{schema.NameKey(q.text)},
			func(id int64, text string) bool {
				same[id] = q.Matches(text)
				return same[id]
			}) {
			each(search.NamesSQL, []any{q.match(), search.Contains(q.longest())}, func(id int64, text string) bool { return !same[id] && q.Matches(text) })
		}
	}
}

// rows yields the ids and texts of a query.
func (f *Finder) rows(ctx context.Context, query string, args ...any) iter.Seq2[match, error] {
	return func(yield func(match, error) bool) {
		err := schema.Each(ctx, f.db, func(rows *sql.Rows) error {
			var m match
			err := rows.Scan(&m.id, &m.text)
			if err == nil && !yield(m, nil) {
				err = errEnough
			}
			return err
		}, query, args...)
		if err != nil && !errors.Is(err, errEnough) {
			yield(match{}, err)
		}
	}
}

// errEnough ends the rows of a query.
var errEnough = errors.New("there are enough rows")

// paths yields the paths that have all terms somewhere, one of them in the name of the
// file, of the files of an asset one; and the folders that have all of them.
func (f *Finder) paths(ctx context.Context, q *Search) iter.Seq2[match, error] {
	return func(yield func(match, error) bool) {
		seen, assets := map[int64]bool{}, map[string]bool{}
		for i := range q.terms {
			if !q.leads(i) {
				continue
			}
			for m, err := range f.filesWith(ctx, q.terms[i].text) {
				if err == nil && (seen[m.id] || !q.inPath(m.text)) {
					continue
				}
				seen[m.id] = true
				if stem, _, part := asset.Split(m.text); part != asset.None {
					if assets[stem] {
						continue
					}
					assets[stem] = true
				}
				m.kind, m.score = search.Files, q.pathScore(m.text)
				if !yield(m, err) || err != nil {
					return
				}
			}
		}
		if len(q.terms) == 0 {
			return
		}
		for m, err := range f.foldersWith(ctx, q.terms[0].text) {
			if err == nil && !q.inPath(m.text) {
				continue
			}
			m.kind, m.score = search.Folders, q.pathScore(strings.TrimSuffix(m.text, "/"))
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// leads reports whether paths are looked up by a term: a short one takes a look at each
// path, which is done where all of them are short.
func (q *Search) leads(i int) bool {
	return search.Trigrams(q.terms[i].text) != "" || !slices.ContainsFunc(q.terms, func(t term) bool { return search.Trigrams(t.text) != "" })
}

// inPath reports whether a path has all terms; they may be parts of words.
func (q *Search) inPath(path string) bool {
	path = strings.ToLower(path)
	for i := range q.terms {
		if !strings.Contains(path, q.terms[i].text) {
			return false
		}
	}
	return true
}

// pathScore is the score of a path: by the name of the file, without its extension.
func (q *Search) pathScore(path string) int {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 && !strings.Contains(q.text, ".") {
		name = name[:i]
	}
	return q.score(name)
}

// filesWith yields the paths of files whose names have a part.
func (f *Finder) filesWith(ctx context.Context, part string) iter.Seq2[match, error] {
	if match := search.Trigrams(part); match != "" {
		return f.rows(ctx, search.FilesSQL, match, search.Contains(part))
	}
	return f.rows(ctx, "SELECT p.path_id, "+search.Path+" FROM x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE p.name LIKE ? ESCAPE '\\'", search.Contains(part))
}

func (f *Finder) foldersWith(ctx context.Context, part string) iter.Seq2[match, error] {
	if match := search.Trigrams(part); match != "" {
		return f.rows(ctx, search.FoldersSQL, match, search.Contains(part))
	}
	return f.rows(ctx, "SELECT dir_id, prefix FROM x_dir WHERE prefix LIKE ? ESCAPE '\\'", search.Contains(part))
}

// SearchFunction returns the SQL function search(text) over a catalog.
func SearchFunction(catalog *schema.OnDemand) schema.TableFunction {
	return schema.TableFunction{Name: "search", Params: []string{"wanted"},
		Columns: []string{"rank", "kind", "text", "place", "path", "builds", "build_count", "occurrences", "content_id"},
		Rows: func(ctx context.Context, args []driver.Value) iter.Seq2[[]driver.Value, error] {
			return func(yield func([]driver.Value, error) bool) {
				var f *Finder
				text, ok := args[0].(string)
				if !ok {
					yield(nil, fmt.Errorf("want a text, not %v", args[0]))
					return
				}
				db, err := catalog.Open(ctx)
				if err == nil {
					f, err = OpenSearch(ctx, db)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				for h, err := range f.Hits(ctx, text) {
					if !yield(h.row(), err) || err != nil {
						return
					}
				}
			}
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
