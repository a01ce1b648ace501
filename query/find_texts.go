package query

import (
	"context"
	"database/sql"
	"iter"

	"pakdb/internal/search"
	"pakdb/schema"
)

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
		rows, err := f.db.QueryContext(ctx, query, args...)
		if err != nil {
			yield(match{}, err)
			return
		}
		defer func() { _ = rows.Close() }()
		var text sql.RawBytes
		for rows.Next() {
			var m match
			err := rows.Scan(&m.id, &text)
			m.text = string(text)
			if !yield(m, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(match{}, err)
		}
	}
}
