package web

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"pakdb/query"
	"pakdb/schema"
)

// statements run SQL of users.
type statements struct {
	slots   *slots
	library query.Library
	limits  Limits
}

func (x *statements) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	switch a.page {
	case pageSchema:
		return x.schema(w, r)
	case pageQuery:
		q, err := x.library.Get(a.name)
		if err != nil {
			return err
		}
		return x.run(w, r, a, q.SQL, q)
	case pageExplain:
		return x.explain(w, r, a)
	}
	text := a.query.Get("sql")
	if strings.TrimSpace(text) == "" {
		return refuse(http.StatusBadRequest, "/sql.json?sql=SELECT build FROM builds", "no SQL given")
	}
	return x.run(w, r, a, text, nil)
}

// parameters returns what the request gives to parameters, by their names.
func parameters(a *address) map[string]string {
	given := map[string]string{}
	for name := range a.query {
		if rest, ok := strings.CutPrefix(name, "p."); ok {
			given[rest] = a.query.Get(name)
		}
	}
	return given
}

func bind(ctx context.Context, db *query.DB, a *address, text string, q *query.Named) (query.Args, error) {
	given := parameters(a)
	label := a.query.Get("build")
	if q != nil {
		if _, ok := given["build"]; !ok && label != "" && q.Takes("build") {
			given["build"] = label
		}
		return db.Bind(ctx, q, given, nil)
	}
	values := query.Args{Named: map[string]driver.Value{}}
	for name, v := range given {
		values.Named[name] = query.ParseValue(v)
	}
	if _, ok := given["build"]; !ok && label != "" && slices.Contains(query.Parameters(text), "build") {
		values.Named["build"] = label
	}
	return values, nil
}

// run answers with the result of a statement. JSON is a page of at most so many rows; CSV and
// JSON lines have all, as far as they come in time.
func (x *statements) run(w http.ResponseWriter, r *http.Request, a *address, text string, q *query.Named) error {
	if a.form == formJSON && strings.HasPrefix(r.Header.Get("Accept"), "text/csv") {
		a.form = formCSV
	}
	ctx, cancel := context.WithTimeout(r.Context(), x.limits.Time)
	defer cancel()
	err := x.slots.run(ctx, func(db *query.DB) error {
		args, err := bind(ctx, db, a, text, q)
		if err != nil {
			return err
		}
		if a.form != formJSON {
			return stream(ctx, w, a, db, text, args)
		}
		t, err := x.table(ctx, db, text, args)
		return reply(w, t, err)
	})
	if err != nil && (errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)) {
		return x.stopped(text)
	}
	return err
}

// stopped reports a statement that took too long.
func (x *statements) stopped(text string) error {
	p := refuse(http.StatusServiceUnavailable, "ask for one build, or for the changes between two: diff(old, new); /explain.json shows the plan", "stopped: a statement may take %s here", x.limits.Time)
	p.Advice, p.Command = query.Advice(text), "pakdb query "+quoted(text)
	return p
}

// quoted is a word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

var errEnough = errors.New("there are enough rows")

// mostCells bounds the bytes of all values that a page has. JSON takes up to six for one.
const mostCells = 32 << 20

func (x *statements) table(ctx context.Context, db *query.DB, text string, args query.Args) (*table, error) {
	began, t, size := time.Now(), &table{Rows: [][]any{}}, 0
	err := db.Each(ctx, text, args, func(columns []string) error {
		t.Columns = columns
		return nil
	}, func(values []driver.Value) error {
		for _, v := range values {
			switch v := v.(type) {
			case string:
				size += len(v)
			case []byte:
				size += 2 * len(v)
			}
			size += 8
		}
		if len(t.Rows) == 0 && size > mostCells {
			return refuse(http.StatusRequestEntityTooLarge, "substr(x, 1, 1000) takes a part of a value; CSV has all of it", "a row of %d bytes is more than this server shows", size)
		}
		if len(t.Rows) >= x.limits.Rows || size > mostCells {
			t.Truncated = true
			return errEnough
		}
		row := make([]any, len(values))
		for i, v := range values {
			row[i] = value(v)
			if s, ok := row[i].(string); ok {
				row[i] = strings.Clone(s)
			}
		}
		t.Rows = append(t.Rows, row)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	if t.Columns == nil {
		t.Columns = []string{}
	}
	t.Elapsed = milliseconds(began)
	if t.Elapsed > 1000 {
		t.Advice = query.Advice(text)
	}
	return t, nil
}

// stream writes all rows. What fails once some were written ends the connection, so that
// nobody takes them for all.
func stream(ctx context.Context, w http.ResponseWriter, a *address, db *query.DB, text string, args query.Args) error {
	kind := map[form]string{formCSV: "text/csv; charset=utf-8", formLines: "application/jsonl; charset=utf-8"}[a.form]
	h := w.Header()
	began := &beginning{ResponseWriter: w, begin: func() {
		h.Set("Content-Type", kind)
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Disposition", `attachment; filename="result.`+string(a.form)+`"`)
	}}
	err := db.Run(ctx, text, args, query.Output{W: began, Format: string(a.form)})
	switch {
	case err == nil && !began.begun:
		began.begin()
	case err != nil && began.end(w):
		return nil
	}
	return err
}

// beginning is an answer that has its headers with its first bytes.
type beginning struct {
	http.ResponseWriter
	begin func()
	begun bool

	mu    sync.Mutex // held while bytes are written
	ended bool
}

var errEnded = errors.New("the answer has ended")

func (b *beginning) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return 0, errEnded
	}
	if !b.begun {
		b.begun = true
		b.begin()
	}
	return b.ResponseWriter.Write(p)
}

// end ends an answer that failed, also where a write to a client that does not read goes on: a
// statement that was given up writes nothing after it. If some of it was written, the
// connection ends with it, and end reports true.
func (b *beginning) end(w http.ResponseWriter) bool {
	answer := http.NewResponseController(w)
	if !b.mu.TryLock() {
		_ = answer.SetWriteDeadline(time.Unix(1, 0)) // the write fails now
		b.mu.Lock()
	}
	defer b.mu.Unlock()
	if b.ended = true; b.begun {
		_ = answer.SetWriteDeadline(time.Unix(1, 0)) // where it cannot, the last chunk is written
	}
	return b.begun
}

// relation is a view or a table, and its columns.
type relation struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc,omitempty"`
	Columns []column `json:"columns"`
}

type column struct {
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
	Type string `json:"type,omitempty"`
}

// schema answers with what SQL may name.
func (x *statements) schema(w http.ResponseWriter, r *http.Request) error {
	return x.slots.run(r.Context(), func(db *query.DB) error {
		views, tables, functions, err := describe(r.Context(), db)
		return reply(w, map[string]any{"views": views, "tables": tables, "functions": functions, "queries": x.queries()}, err)
	})
}

// describe returns the relations and functions that SQL may name, beside the named queries.
func describe(ctx context.Context, db *query.DB) (views, tables []relation, all []map[string]string, err error) {
	names, others, err := db.Tables(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	docs := map[string]*schema.View{}
	for _, v := range schema.Views() {
		docs[v.Name] = v
	}
	read := func(names []string) []relation {
		all := []relation{}
		for _, name := range names {
			columns, failed := db.Columns(ctx, name)
			all, err = append(all, relationOf(name, columns, docs[name])), errors.Join(err, failed)
		}
		return all
	}
	views, tables = read(names), read(others)
	return views, tables, functions(db), err
}

// relationOf describes a view or table by its columns; v is nil for what SCHEMA.md does not
// describe for users.
func relationOf(name string, columns []string, v *schema.View) relation {
	one, docs := relation{Name: name, Columns: []column{}}, map[string]schema.ViewColumn{}
	if v != nil {
		one.Doc, _, _ = strings.Cut(v.Doc, "\n")
		for _, c := range v.Columns {
			docs[c.Name] = c
		}
	}
	for _, c := range columns {
		one.Columns = append(one.Columns, column{c, docs[c].Doc, docs[c].Type})
	}
	return one
}

func functions(db *query.DB) (all []map[string]string) {
	for _, f := range db.Functions {
		all = append(all, map[string]string{"usage": f.Usage, "doc": f.Doc})
	}
	for _, f := range db.TableFunctions {
		all = append(all, map[string]string{"usage": f.Usage(), "doc": f.Doc})
	}
	return all
}

func (x *statements) queries() []map[string]any {
	all := []map[string]any{}
	for _, name := range x.library.Names() {
		q := x.library[name]
		params := []map[string]string{}
		for _, p := range q.Params {
			params = append(params, map[string]string{"name": p.Name, "type": p.Type, "default": p.Default, "doc": p.Doc})
		}
		all = append(all, map[string]any{"name": q.Name, "doc": q.Doc, "params": params, "sql": q.SQL, "example": q.Example})
	}
	return all
}

// explain answers with how a statement is run.
func (x *statements) explain(w http.ResponseWriter, r *http.Request, a *address) error {
	text := a.query.Get("sql")
	lines := []string{}
	err := x.slots.run(r.Context(), func(db *query.DB) error {
		t, err := x.table(r.Context(), db, "EXPLAIN QUERY PLAN "+text, query.Args{})
		if err == nil {
			for _, row := range t.Rows {
				lines = append(lines, row[len(row)-1].(string))
			}
		}
		return err
	})
	return reply(w, map[string]any{"lines": lines, "advice": query.Advice(text)}, err)
}
