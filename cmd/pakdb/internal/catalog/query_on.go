package catalog

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/query"
	"pakdb/query/clickhouse"
	"pakdb/query/portable"
)

// askServer runs what was asked on a server that holds copies of builds: one statement after
// the other.
func (f *queryFlags) askServer(ctx context.Context, text string, args []string, out query.Output) error {
	client, err := cli.ClickHouse(f.app, f.on)
	if err != nil {
		return err
	}
	defer client.Close()
	client.LimitMemory(int64(f.memory))
	q, err := f.askedQuery(text)
	if err != nil {
		return err
	}
	if q == nil && len(args) > 0 {
		return query.Usagef("write :name and -p name=value", "values of ? cannot be given with --on")
	}
	if err := client.Reach(ctx); err != nil { // statements have an hour
		return err
	}
	text, values, err := f.bindOn(ctx, client, q, text, args)
	if err != nil {
		return err
	}
	out, stop := cli.Waiting(f.app, out, "running", "")
	defer stop()
	return f.write(out, func(out query.Output) error {
		var rows *query.Rows
		for _, sql := range clickhouse.Statements(text) {
			err := client.Ask(ctx, sql, values, func(columns []string) (err error) {
				if rows == nil {
					rows, err = out.Rows(columns...)
					return err
				}
				return rows.Next(columns...)
			}, func(row []driver.Value) error { return rows.Write(row...) })
			if err != nil {
				return refused(ctx, sql, values, err)
			}
		}
		if rows == nil {
			return nil
		}
		return rows.Close()
	})
}

// refused puts what the server says against a statement into the class that SQLite's errors
// have, and says which parameter may be to blame.
func refused(ctx context.Context, sql string, values map[string]driver.Value, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the time is up: %w", ctx.Err())
	}
	var e *clickhouse.Error
	if !errors.As(err, &e) || !e.Statement() {
		return err
	}
	hint := e.Hint()
	for _, name := range clickhouse.Parameters(sql) {
		if _, has := values[name]; !has && hint == "" {
			hint = fmt.Sprintf("if :%s is a parameter, give its value with -p %s=value", name, name)
		}
	}
	return query.Usagef(hint, "%w", err)
}

// askedQuery returns the named query that was asked for, nil if the text is SQL.
func (f *queryFlags) askedQuery(text string) (*query.Named, error) {
	if f.file != "" || !strings.HasPrefix(text, "@") {
		return nil, nil
	}
	return f.named(text)
}

// bindOn returns SQL for the server, that of q unless it is nil, and the values of its
// parameters.
func (f *queryFlags) bindOn(ctx context.Context, client *clickhouse.Client, q *query.Named, text string, args []string) (string, map[string]driver.Value, error) {
	given, values := map[string]string{}, map[string]driver.Value{}
	for _, p := range f.params {
		name, v, err := query.ParseArg(p)
		if err != nil {
			return "", nil, err
		}
		_, given[name], _ = strings.Cut(p, "=")
		values[name] = v
	}
	takes := q != nil && q.Takes("build") || q == nil && slices.Contains(clickhouse.Parameters(text), "build")
	if f.build != "" && !takes {
		label, err := client.Build(ctx, f.build)
		if err != nil {
			return "", nil, err
		}
		warnBuild(f.app, label)
	}
	if q != nil {
		if f.build != "" && takes {
			given["build"] = f.build
		}
		bound, err := q.Bind(ctx, client, given, args)
		return clickhouse.Portable(q.SQL), bound.Named, err
	}
	if err := unused(text, values); err != nil {
		return "", nil, err
	}
	if _, has := values["build"]; !has && takes {
		label, err := client.Build(ctx, cmp.Or(f.build, "newest"))
		if err != nil {
			return "", nil, err
		}
		values["build"] = label
	}
	return text, values, nil
}

// unused fails if there is a value that the text has no parameter for, also in the form
// {name:Type} of ClickHouse.
func unused(text string, values map[string]driver.Value) error {
	known := clickhouse.Parameters(text)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, name) && !regexp.MustCompile(`\{\s*`+regexp.QuoteMeta(name)+`\s*:`).MatchString(text) {
			return query.Usagef("", "no parameter :%s in the SQL", name)
		}
	}
	return nil
}

// portableQuery returns a query that other engines can run.
func portableQuery(name string) (*query.Named, error) {
	library, err := portable.Queries()
	if err != nil {
		return nil, err
	}
	q, err := library.Get(name)
	if err == nil {
		return q, nil
	}
	if _, other := namedQuery(name); other == nil {
		return nil, query.Usagef("with --on there are: @"+strings.Join(library.Names(), ", @"), "%s runs on a catalog only", name)
	}
	return nil, err
}
