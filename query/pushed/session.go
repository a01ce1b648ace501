package pushed

import (
	"context"
	"database/sql/driver"
	"errors"
	"maps"
	"slices"

	"pakdb/query"
	"pakdb/query/clickhouse"
)

// Session runs statements of users as "pakdb query --on" does.
type Session struct {
	client *clickhouse.Client
	rows   int
}

// NewSession returns a session whose Each gives about so many rows. The client stays the
// caller's.
func NewSession(client *clickhouse.Client, rows int) *Session { return &Session{client, rows} }

// Bind returns the values of the parameters of a named query.
func (s *Session) Bind(ctx context.Context, q *query.Named, given map[string]string, positional []string) (query.Args, error) {
	return q.Bind(ctx, s.client, given, positional)
}

// Each runs a statement and calls row for each of the first rows of its result: those that
// NewSession was given, or some more.
func (s *Session) Each(ctx context.Context, text string, args query.Args, columns func([]string) error, row func([]driver.Value) error) error {
	return s.run(ctx, text, args, func(named map[string]driver.Value) error {
		return s.client.AskFirst(ctx, s.rows, clickhouse.Portable(text), named, columns, row)
	})
}

// Run runs a statement and writes all rows of its result.
func (s *Session) Run(ctx context.Context, text string, args query.Args, out query.Output) error {
	return s.run(ctx, text, args, func(named map[string]driver.Value) error {
		var rows *query.Rows
		err := s.client.Ask(ctx, clickhouse.Portable(text), named, func(columns []string) (err error) {
			rows, err = out.Rows(columns...)
			return err
		}, func(row []driver.Value) error { return rows.Write(row...) })
		if err != nil {
			return err
		}
		return rows.Close()
	})
}

// run fills in the newest build where no other was given. What the server says against the
// statement is an error of class [query.ErrUsage].
func (s *Session) run(ctx context.Context, text string, args query.Args, ask func(map[string]driver.Value) error) error {
	named := maps.Clone(args.Named)
	if named == nil {
		named = map[string]driver.Value{}
	}
	if _, has := named["build"]; !has && slices.Contains(query.Parameters(text), "build") {
		label, err := s.client.Build(ctx, "newest")
		if err != nil {
			return err
		}
		named["build"] = label
	}
	err := ask(named)
	var refused *clickhouse.Error
	if errors.As(err, &refused) && refused.Statement() {
		return query.Usagef(hint(refused), "%w", err)
	}
	return err
}

func hint(e *clickhouse.Error) string {
	if e.NotThere() {
		return "the views are those of docs/portable.md: builds, archives, entries, files, contents, ..."
	}
	return ""
}
