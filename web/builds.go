package web

import (
	"net/http"
	"time"

	"pakdb/web/internal/explore"
)

// overview tells which builds there are.
type overview struct {
	builds   *explore.Catalog
	contents bool
	version  string
}

func (o *overview) answer(w http.ResponseWriter, r *http.Request, _ *address) error {
	builds, err := o.builds.Builds(r.Context())
	if err != nil {
		return err
	}
	writeJSON(w, map[string]any{"builds": builds, "contents": o.contents, "version": o.version})
	return nil
}

// archives lists the files of a build.
type archives struct{ catalog *explore.Catalog }

func (x *archives) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	began := time.Now()
	if _, err := x.catalog.Build(r.Context(), a.build); err != nil {
		return err
	}
	all, err := x.catalog.Archives(r.Context(), a.build)
	if err != nil {
		return err
	}
	t := table{Columns: []string{"archive", "format", "version", "size", "digest", "mount_point", "mount_order", "entry_count", "problem_count"}, Rows: make([][]any, len(all))}
	for i := range all {
		f := &all[i]
		t.Rows[i] = []any{f.Name, f.Format, f.Version, f.Size, f.Digest, f.Mount, f.Order, f.Entries, f.Problems}
	}
	t.Elapsed = milliseconds(began)
	writeJSON(w, t)
	return nil
}

// problems lists what is wrong with a build.
type problems struct{ catalog *explore.Catalog }

func (x *problems) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	began := time.Now()
	b, err := x.catalog.Build(r.Context(), a.build)
	if err != nil {
		return err
	}
	found, err := x.catalog.Problems(r.Context(), b, mostProblems+1)
	if err != nil {
		return err
	}
	t := table{Columns: []string{"archive", "path", "ordinal", "field", "offset", "cause", "whole"}, Rows: [][]any{}, Truncated: len(found) > mostProblems}
	for i := range min(len(found), mostProblems) {
		p := &found[i]
		row := []any{p.Archive, p.Path, nil, p.Field, integer(p.Offset), p.Cause, p.Whole}
		if p.Ordinal >= 0 {
			row[2] = p.Ordinal
		}
		t.Rows = append(t.Rows, row)
	}
	t.Elapsed = milliseconds(began)
	writeJSON(w, t)
	return nil
}

// mostProblems bounds the list of problems; SQL has all.
const mostProblems = 5000

// searches finds what a person types.
type searches struct{ catalog *explore.Catalog }

// mostFound bounds the answers to a search.
const mostFound = 200

func (x *searches) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	began := time.Now()
	b, err := x.catalog.Build(r.Context(), a.build)
	if err != nil {
		return err
	}
	most, err := a.number("limit", mostFound, 1, mostFound)
	if err != nil {
		return err
	}
	typed := a.query.Get("q")
	if len(typed) > 4096 {
		return refuse(http.StatusBadRequest, "", "the text to look for has %d bytes; 4096 are enough", len(typed))
	}
	found, err := x.catalog.Search(r.Context(), b, typed, int(most))
	if err != nil {
		return err
	}
	writeJSON(w, map[string]any{"q": typed, "found": found.Found, "more": found.More, "no_index": found.NoIndex, "ms": milliseconds(began)})
	return nil
}
