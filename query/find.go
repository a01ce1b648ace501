package query

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"pakdb/internal/asset"
	"pakdb/internal/search"
	"pakdb/internal/seq"
	"pakdb/schema"
)

// ErrNoIndex means that a catalog has no index of texts and paths.
var ErrNoIndex = errors.New("the catalog has no search index")

// Finder looks for texts and paths in a catalog. It is for one goroutine at a time.
type Finder struct {
	db      *sql.DB
	Indexed bool                // the catalog has the index
	places  map[[2]any][]builds // by a query and its argument
}

// OpenSearch returns a Finder over a catalog, which stays the caller's.
func OpenSearch(ctx context.Context, db *sql.DB) (*Finder, error) {
	f := &Finder{db: db, places: map[[2]any][]builds{}}
	err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_search_state)").Scan(&f.Indexed)
	return f, err
}

// window is how many texts, and how many paths, are ranked among each other: those that
// match beyond them follow, ranked likewise.
const window = 256

// Hits yields where in all builds a text is found, the best first. [search.Parse] says what the
// text may be. It fails with [ErrNoIndex] where there is no index.
func (f *Finder) Hits(ctx context.Context, text string) iter.Seq2[Hit, error] {
	return seq.Of(func(add func(Hit) error) error { return f.each(ctx, text, add) })
}

// each calls add for each of [Finder.Hits].
func (f *Finder) each(ctx context.Context, text string, add func(Hit) error) error {
	if !f.Indexed {
		return ErrNoIndex
	}
	q := search.Parse(text)
	names, paths := lookups(q)
	nextName, stopNames := iter.Pull2(f.matches(ctx, q, names))
	defer stopNames()
	nextPath, stopPaths := iter.Pull2(f.matches(ctx, q, paths))
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

// lookup is a query for the ids and texts of names, paths or folders.
type lookup struct {
	kind  int // of the matches
	query string
	args  []any
	keep  func(match) bool
}

// lookups returns how names are found, those first that are what is looked for; and how paths are
// that have all terms somewhere, one of them in the name of the file, of the files of an asset one,
// and folders that have all of them.
func lookups(q *search.Query) (names, paths []lookup) {
	parts := q.Parts()
	if len(parts) == 0 {
		return nil, nil
	}
	exact := map[int64]bool{}
	names = []lookup{
		{search.Names, "SELECT n.name_id, n.name FROM x_name_key k CROSS JOIN x_name n ON n.name_id = k.name_id WHERE k.key = ?",
			[]any{schema.NameKey(q.Text)}, func(m match) bool { exact[m.id] = true; return q.Matches(m.text) }},
		{search.Names, search.NamesSQL, []any{q.Match(), search.Contains(q.Longest())},
			func(m match) bool { return !exact[m.id] && q.Matches(m.text) }},
	}
	seen, assets := map[int64]bool{}, map[string]bool{}
	for _, part := range q.Leading() {
		paths = append(paths, byPart(search.Files, part, search.FilesSQL, allFiles, func(m match) bool {
			if seen[m.id] || !q.InPath(m.text) {
				return false
			}
			seen[m.id] = true
			stem, _, kind := asset.Split(m.text)
			again := kind != asset.None && assets[stem]
			assets[stem] = assets[stem] || kind != asset.None
			return !again
		}))
	}
	return names, append(paths, byPart(search.Folders, parts[0], search.FoldersSQL, allFolders, func(m match) bool { return q.InPath(m.text) }))
}

// The paths of files by a part of their names, and folders by a part of theirs, without the index.
const (
	allFiles   = "SELECT p.path_id, " + search.Path + " FROM x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE p.name LIKE ? ESCAPE '\\'"
	allFolders = "SELECT dir_id, prefix FROM x_dir WHERE prefix LIKE ? ESCAPE '\\'"
)

// byPart finds rows that have a part, by the index if the part is long enough for it.
func byPart(kind int, part, indexed, all string, keep func(match) bool) lookup {
	if match := search.Trigrams(part); match != "" {
		return lookup{kind, indexed, []any{match, search.Contains(part)}, keep}
	}
	return lookup{kind, all, []any{search.Contains(part)}, keep}
}

// matches yields what lookups find.
func (f *Finder) matches(ctx context.Context, q *search.Query, lookups []lookup) iter.Seq2[match, error] {
	return seq.Of(func(add func(match) error) error {
		for _, l := range lookups {
			err := schema.Each(ctx, f.db, func(rows *sql.Rows) error {
				m := match{kind: l.kind}
				if err := rows.Scan(&m.id, &m.text); err != nil || !l.keep(m) {
					return err
				}
				if m.score = q.PathScore(strings.TrimSuffix(m.text, "/")); m.kind == search.Names {
					m.score = q.Score(m.text)
				}
				return add(m)
			}, l.query, l.args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// SearchFunction returns the SQL function search(text) over a catalog.
func SearchFunction(catalog *sql.DB) schema.TableFunction {
	return schema.TableFunction{Name: "search", Params: []string{"wanted"},
		Columns: []string{"rank", "kind", "text", "place", "path", "builds", "build_count", "occurrences", "content_id"},
		Rows: func(ctx context.Context, args []driver.Value, add func([]driver.Value) error) error {
			text, ok := args[0].(string)
			if !ok {
				return fmt.Errorf("want a text, not %v", args[0])
			}
			f, err := OpenSearch(ctx, catalog)
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

// Hit is where a text is: in a content that builds have at a path.
type Hit struct {
	Kind    string // what the text is there: "text", "setting", "path"
	Text    string
	Place   string   // where in the content; "" for nowhere
	Path    string   // of the content; "" if it has none
	Builds  []string // labels, oldest first
	Count   int64    // how often the content has it there
	Content int64    // 0 for paths
	Rank    int      // position of the text among those that match, from 1
}

// usedSQL returns the query for what has a name in a column: ?1 is the chunk of the name, ?2 the
// name.
func usedSQL(u *search.Use) string {
	content, from := "u.owner", ""
	if u.OfSet {
		content, from = "s.content_id", " CROSS JOIN x_value_set s ON s.set_id = u.owner AND s.content_id IS NOT NULL"
	}
	return fmt.Sprintf("SELECT %s, u.owner, count(*), coalesce(min(%s), '') FROM x_search_use u%s"+
		" CROSS JOIN %s t ON t.%s = u.owner AND %s WHERE u.chunk = ?1 AND u.use = %d AND t.%s = ?2 GROUP BY 2 ORDER BY 2",
		content, u.Place, from, u.Table, u.Owner(), u.InPart(), u.Number, u.Column)
}

// hits adds where a match is.
func (f *Finder) hits(ctx context.Context, q *search.Query, m match, add func(Hit) error) error {
	switch m.kind {
	case search.Files:
		if asset.Of(m.text) != "" {
			return f.asset(ctx, q, m, add)
		}
		return f.placed(ctx, Hit{Kind: "path", Text: m.text, Count: 1}, buildsOfPath, m.id, add)
	case search.Folders:
		return f.placed(ctx, Hit{Kind: "folder", Text: m.text, Count: 1}, buildsOfFolder, m.id, add)
	}
	used, err := schema.All(ctx, f.db, func(n *int) []any { return []any{n} },
		"SELECT DISTINCT use FROM x_search_use WHERE chunk = ?", m.id/search.NamesInChunk)
	if err != nil {
		return err
	}
	seen := map[int64]bool{} // contents
	for _, u := range search.Uses {
		if !slices.Contains(used, u.Number) {
			continue
		}
		owners, err := schema.All(ctx, f.db, func(o *owner) []any { return []any{&o.content, &o.owner, &o.count, &o.place} },
			usedSQL(&u), m.id/search.NamesInChunk, m.id)
		if err != nil {
			return err
		}
		for _, o := range owners {
			if u.Vague && seen[o.content] {
				continue
			}
			seen[o.content] = true
			query, id := buildsOfContent, o.content
			if u.OfSet {
				query, id = buildsOfSet, o.owner
			}
			text, place := m.text, o.place
			if u.Lines {
				text, place = q.Line(text, place)
			}
			h := Hit{Kind: u.Kind, Text: text, Place: place, Count: o.count, Content: o.content}
			if err := f.placed(ctx, h, query, id, add); err != nil {
				return err
			}
		}
	}
	return nil
}

// owner is a content, or a set of its values, that has a name.
type owner struct {
	content, owner, count int64
	place                 string
}

// filesOfAsset lists the files that builds have of some paths: ?1 is a JSON array of their keys
// and texts.
const filesOfAsset = "SELECT " + search.Path + `, b.label FROM json_each(?1) j
	CROSS JOIN x_path_key k ON k.key = j.value ->> 0
	CROSS JOIN x_path p ON p.path_id = k.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id AND ` + search.Path + ` = j.value ->> 1
	CROSS JOIN x_entry e ON e.path_id = p.path_id` + inBuilds + `
	GROUP BY j.key, b.build_id
	ORDER BY j.key, b.build_id`

// asset adds the hits for an asset, by a match of one of its files: one at the path of its
// tables, in all builds that have these; of other builds one at the first file that they have.
func (f *Finder) asset(ctx context.Context, q *search.Query, m match, add func(Hit) error) error {
	var names [][2]any
	for _, name := range asset.Files(m.text) {
		names = append(names, [2]any{schema.PathKey(name), name})
	}
	text, err := json.Marshal(names)
	if err != nil {
		return err
	}
	all, err := f.readBuilds(ctx, filesOfAsset, string(text))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, b := range all {
		h := Hit{Kind: "path", Text: m.text, Path: b.path, Count: 1}
		if q.InPath(h.Path) {
			h.Text = h.Path
		}
		for _, label := range b.labels {
			if !seen[label] {
				seen[label], h.Builds = true, append(h.Builds, label)
			}
		}
		if h.Builds == nil {
			continue
		}
		if err := add(h); err != nil {
			return err
		}
	}
	return nil
}

// The builds that have a content, a set of values, a path or files of a folder: labels
// and paths, by path.
const (
	inBuilds = ` CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id
	CROSS JOIN x_build b ON b.build_id = ba.build_id AND b.complete = 1`
	byPath          = " GROUP BY 1, 2, b.build_id ORDER BY 1, b.build_id"
	buildsOfContent = "SELECT coalesce(" + search.Path + ", ''), b.label FROM x_entry e" + inBuilds +
		" LEFT JOIN x_path p ON p.path_id = e.path_id LEFT JOIN x_dir d ON d.dir_id = p.dir_id WHERE e.content_id = ?" + byPath
	buildsOfPath = "SELECT " + search.Path + ", b.label FROM x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id" +
		" CROSS JOIN x_entry e ON e.path_id = p.path_id" + inBuilds + " WHERE p.path_id = ?" + byPath
	buildsOfFolder = `SELECT d.prefix, b.label FROM x_dir d CROSS JOIN x_build b ON b.complete = 1
	WHERE d.dir_id = ? AND EXISTS (SELECT 1 FROM x_path p
		CROSS JOIN x_entry e ON e.path_id = p.path_id
		CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = b.build_id
		WHERE p.dir_id = d.dir_id)
	ORDER BY b.build_id`
	buildsOfSet = "SELECT coalesce(" + search.Path + `, ''), b.label FROM x_value_set s
	CROSS JOIN x_entry e ON e.content_id = s.content_id
	CROSS JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row AND ve.header = s.header` + inBuilds + `
	LEFT JOIN x_path p ON p.path_id = ve.path_id LEFT JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE s.set_id = ? AND CASE s.context
		WHEN 0 THEN NOT EXISTS (SELECT 1 FROM x_value_set o JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
			WHERE o.content_id = s.content_id AND o.header = s.header)
		ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
		END` + byPath
)

// builds is a path with the builds that have something there.
type builds struct {
	path   string
	labels []string
}

// maxPlaces bounds what a Finder remembers of contents.
const maxPlaces = 10_000

// placed adds a hit for each path.
func (f *Finder) placed(ctx context.Context, h Hit, query string, id int64, add func(Hit) error) error {
	key := [2]any{query, id}
	all, ok := f.places[key]
	if !ok {
		var err error
		if all, err = f.readBuilds(ctx, query, id); err != nil {
			return err
		}
		if len(f.places) >= maxPlaces {
			clear(f.places)
		}
		f.places[key] = all
	}
	for _, b := range all {
		h.Path, h.Builds = b.path, b.labels
		if err := add(h); err != nil {
			return err
		}
	}
	return nil
}

// readBuilds returns the paths and labels that a query lists, by path.
func (f *Finder) readBuilds(ctx context.Context, query string, arg any) (all []builds, err error) {
	type held struct{ path, label string }
	rows, err := schema.All(ctx, f.db, func(h *held) []any { return []any{&h.path, &h.label} }, query, arg)
	for _, h := range rows {
		if n := len(all); n == 0 || all[n-1].path != h.path {
			all = append(all, builds{path: h.path})
		}
		last := &all[len(all)-1]
		last.labels = append(last.labels, h.label)
	}
	return all, err
}
