package query

import (
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"strings"

	"pakdb/schema"
)

// SearchFunction returns the SQL function search(text) over a catalog.
func SearchFunction(catalog *schema.OnDemand) schema.TableFunction {
	return schema.TableFunction{Name: "search", Params: []string{"wanted"},
		Columns: []string{"rank", "kind", "text", "place", "path", "builds", "build_count", "occurrences", "content_id"},
		Rows: func(ctx context.Context, args []driver.Value) iter.Seq2[[]driver.Value, error] {
			return func(yield func([]driver.Value, error) bool) {
				f, text, err := openFinder(ctx, catalog, args[0])
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
		int64(len(h.Builds)), h.Count, idOrNull(h.Content)}
}

func orNull(text string) driver.Value {
	if text == "" {
		return nil
	}
	return text
}

func idOrNull(id int64) driver.Value {
	if id == 0 {
		return nil
	}
	return id
}

// openFinder returns a Finder, and an argument as text.
func openFinder(ctx context.Context, catalog *schema.OnDemand, arg driver.Value) (*Finder, string, error) {
	text, ok := arg.(string)
	if !ok {
		return nil, "", fmt.Errorf("want a text, not %v", arg)
	}
	db, err := catalog.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	f, err := OpenSearch(ctx, db)
	return f, text, err
}
