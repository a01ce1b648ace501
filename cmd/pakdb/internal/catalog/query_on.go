package catalog

import (
	"context"
	"database/sql/driver"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/query"
	"pakdb/query/clickhouse"
	"pakdb/query/portable"
)

// askServer runs what was asked on a server that holds copies of builds.
func (f *queryFlags) askServer(ctx context.Context, text string, args []string, out query.Output) error {
	client, err := cli.ClickHouse(f.app, f.on)
	if err != nil {
		return err
	}
	defer client.Close()
	sql, values, err := f.bindOn(ctx, client, text, args)
	if err != nil {
		return err
	}
	out, stop := cli.Waiting(f.app, out, "running", "")
	defer stop()
	return f.write(out, func(out query.Output) error {
		var rows *query.Rows
		err := client.Ask(ctx, sql, values, func(columns []string) (err error) {
			rows, err = out.Rows(columns...)
			return err
		}, func(row []driver.Value) error { return rows.Write(row...) })
		if err != nil {
			return err
		}
		return rows.Close()
	})
}

// bindOn returns SQL for the server, and the values of its parameters.
func (f *queryFlags) bindOn(ctx context.Context, client *clickhouse.Client, text string, args []string) (string, map[string]driver.Value, error) {
	given, values := map[string]string{}, map[string]driver.Value{}
	for _, p := range f.params {
		name, v, err := query.ParseArg(p)
		if err != nil {
			return "", nil, err
		}
		_, given[name], _ = strings.Cut(p, "=")
		values[name] = v
	}
	if f.file == "" && strings.HasPrefix(text, "@") {
		q, err := portableQuery(text)
		if err != nil {
			return "", nil, err
		}
		if f.build != "" && q.Takes("build") {
			given["build"] = f.build
		}
		bound, err := q.Bind(ctx, client, given, args)
		return clickhouse.Portable(q.SQL), bound.Named, err
	}
	if len(args) > 0 {
		return "", nil, query.Usagef("write :name and -p name=value", "values of ? cannot be given with --on")
	}
	label := f.build
	if label == "" {
		label = "newest"
	}
	if _, has := values["build"]; !has {
		for _, name := range query.Parameters(text) {
			if name == "build" {
				known, err := client.Build(ctx, label)
				if err != nil {
					return "", nil, err
				}
				values["build"] = known
			}
		}
	}
	return text, values, nil
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
