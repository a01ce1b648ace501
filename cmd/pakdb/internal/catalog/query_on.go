package catalog

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/query"
)

// askServer sends a statement, as it is, to a server that has copies of builds, and prints
// the rows of the answer.
func (f *queryFlags) askServer(ctx context.Context, text string, args []string, out query.Output) error {
	server, err := cli.Server(f.app, f.on)
	if err != nil {
		return err
	}
	defer server.Close()
	switch {
	case strings.HasPrefix(text, "@"):
		return query.Usagef("docs/engines.md has statements for ClickHouse", "named queries run on a catalog, not with --on")
	case f.build != "":
		return query.Usagef("-p build="+f.build+" is the value of {build:String}", "--build has no effect with --on")
	case len(args) > 0:
		return query.Usagef("-p name=value is the value of {name:Type}", "values of ? cannot be given with --on")
	}
	parameters := map[string]string{}
	for _, p := range f.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return query.Usagef("-p name=value", "-p %s has no value", p)
		}
		parameters[name] = value
	}
	out, stop := cli.Waiting(f.app, out, "running", "")
	defer stop()
	return f.write(out, func(out query.Output) error {
		var rows *query.Rows
		err := server.Ask(ctx, text, parameters, cli.GivenMemory(), func(columns []string) (err error) {
			rows, err = out.Rows(columns...)
			return err
		}, func(row []driver.Value) error { return rows.Write(row...) })
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return fmt.Errorf("time limit: %w", ctx.Err())
		case err != nil || rows == nil:
			return err
		}
		return rows.Close()
	})
}
