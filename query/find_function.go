package query

import (
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"strings"

	"pakdb/schema"
)

// SearchFunctions returns the SQL function search(text) over a catalog. It has a connection
// of its own, because it is called while a statement runs; close closes it.
func SearchFunctions(catalog string) (tables []schema.TableFunction, close func() error) {
	s := &source{schema.NewOnDemand(catalog)}
	return []schema.TableFunction{
		{Name: "search", Params: []string{"wanted"}, Columns: HitColumns(), Rows: s.search},
	}, s.catalog.Close
}

// HitColumns are the names of the values in [Hit.Row].
func HitColumns() []string {
	return []string{"rank", "kind", "text", "place", "path", "builds", "build_count", "occurrences", "content_id"}
}

// Row returns the hit as values of SQL.
func (h *Hit) Row() []driver.Value {
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

type source struct{ catalog *schema.OnDemand }

func (s *source) search(ctx context.Context, args []driver.Value) iter.Seq2[[]driver.Value, error] {
	return func(yield func([]driver.Value, error) bool) {
		f, text, err := s.open(ctx, args[0])
		if err != nil {
			yield(nil, err)
			return
		}
		for h, err := range f.Hits(ctx, text) {
			if !yield(h.Row(), err) || err != nil {
				return
			}
		}
	}
}

// open returns a Finder, and an argument as text.
func (s *source) open(ctx context.Context, arg driver.Value) (*Finder, string, error) {
	text, ok := arg.(string)
	if !ok {
		return nil, "", fmt.Errorf("want a text, not %v", arg)
	}
	db, err := s.catalog.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	f, err := OpenSearch(ctx, db)
	return f, text, err
}
