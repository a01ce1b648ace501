package web

import (
	"database/sql"
	"net/http"
	"time"

	"pakdb/diff"
	"pakdb/query/show"
	"pakdb/schema"
	"pakdb/web/internal/explore"
)

// overview answers with the builds that there are.
type overview struct {
	builds   *explore.Catalog
	contents bool
	version  string
}

func (o *overview) answer(w http.ResponseWriter, r *http.Request, _ *address) error {
	builds, err := o.builds.Builds(r.Context())
	return reply(w, map[string]any{"builds": builds, "contents": o.contents, "version": o.version}, err)
}

// archives lists the files of a build.
type archives struct{ catalog *explore.Catalog }

const archivesSQL = `SELECT a.archive, a.format, a.version, a.size, coalesce(a.digest, ''), a.mount_point, a.mount_order, a.entry_count, a.problem_count
	FROM archives a
	JOIN x_build_archive ba ON ba.build_id = a.build_id AND ba.archive_id = a.archive_id AND ba.name = a.archive
	WHERE a.build = ?1 ORDER BY ba.ordinal LIMIT ?2`

func (x *archives) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	return list(w, r, x.catalog, a.build, archivesSQL, 1<<20, "archive", "format", "version", "size", "digest", "mount_point", "mount_order", "entry_count", "problem_count")
}

// problems lists what is wrong with a build.
type problems struct{ catalog *explore.Catalog }

// mostProblems bounds the list of problems; SQL has all.
const mostProblems = 5000

const problemsSQL = `SELECT archive, coalesce(path, ''), ordinal, field, coalesce(offset, 0), cause, whole FROM problems
	WHERE build = ?1 ORDER BY whole DESC, archive, ordinal LIMIT ?2 + 1`

func (x *problems) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	return list(w, r, x.catalog, a.build, problemsSQL, mostProblems, "archive", "path", "ordinal", "field", "offset", "cause", "whole")
}

// list answers with the rows of a statement about a build, at most the given number.
func list(w http.ResponseWriter, r *http.Request, c *explore.Catalog, build, query string, most int64, columns ...string) error {
	began := time.Now()
	if _, err := c.Build(r.Context(), build); err != nil {
		return err
	}
	rows, err := c.Rows(r.Context(), query, build, most)
	if err != nil {
		return err
	}
	t := table{Columns: columns, Rows: [][]any{}, Truncated: int64(len(rows)) > most}
	for _, values := range rows[:min(int64(len(rows)), most)] {
		row := make([]any, len(values))
		for i, v := range values {
			row[i] = value(v)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Elapsed = milliseconds(began)
	writeJSON(w, t)
	return nil
}

// searches finds what a person types.
type searches struct {
	catalog *explore.Catalog
	db      *sql.DB
}

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
	files := make([]show.Placed, len(found.Found))
	for i := range found.Found {
		files[i] = show.Placed{Build: b.Label, File: &diff.File{Path: found.Found[i].Path}}
	}
	classes, err := show.ClassesOf(r.Context(), x.db, files)
	if err != nil {
		return schema.Classify(err)
	}
	for i := range found.Found {
		found.Found[i].Class = classes[i]
	}
	writeJSON(w, map[string]any{"q": typed, "found": found.Found, "more": found.More, "no_index": found.NoIndex, "ms": milliseconds(began)})
	return nil
}
