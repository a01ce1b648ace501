package shell

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"pakdb/internal/terminal"
	"pakdb/query"
)

// setParam sets, shows or forgets the values of parameters.
func setParam(s *shell, _ context.Context, arg string) error {
	name, value, set := strings.Cut(arg, " ")
	name = strings.TrimLeft(name, ":@$")
	switch {
	case arg == "":
		return showParams(s)
	case arg == "clear":
		s.params = nil
		return nil
	case !set:
		if _, ok := s.params[name]; !ok {
			return query.Usagef(".param NAME VALUE sets one", "no parameter :%s", name)
		}
		delete(s.params, name)
		return nil
	}
	name, _, err := query.ParseArg(name + "=" + strings.TrimSpace(value))
	if err != nil {
		return err
	}
	if s.params == nil {
		s.params = map[string]string{}
	}
	s.params[name] = strings.TrimSpace(value)
	return nil
}

func showParams(s *shell) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.params)) {
		fmt.Fprintf(&b, ":%s %s\n", name, terminal.Printable(s.params[name]))
	}
	_, err := io.WriteString(s.Out, b.String())
	return err
}

// argsOf returns the values of those parameters that text takes.
func argsOf(s *shell, text string) query.Args {
	args := query.Args{Named: map[string]driver.Value{}}
	for _, name := range query.Parameters(text) {
		if value, ok := s.params[name]; ok {
			args.Named[name] = query.ParseValue(value)
		}
	}
	return args
}

// sendOnce sends the results of the next statement to a file.
func sendOnce(s *shell, ctx context.Context, arg string) error {
	if arg == "" {
		return query.Usagef(".output FILE writes all that follow", ".once needs a FILE")
	}
	if err := s.redirect(ctx, arg); err != nil {
		return err
	}
	s.once = true
	return nil
}

// diffSQL is what .diff asks. The table function is there if whoever started the shell
// has it.
const diffSQL = `SELECT kind, path, CASE WHEN old_path <> path THEN old_path END AS old_path, old_size, new_size, download
	FROM diff(:old, :new)
	WHERE :pattern IS NULL OR path GLOB :pattern OR old_path GLOB :pattern`

// showDiff shows what changed between two builds.
func showDiff(s *shell, ctx context.Context, arg string) error {
	words, err := split(arg)
	if err != nil {
		return err
	}
	if len(words) < 2 || len(words) > 3 {
		return query.Usagef(".builds shows all", ".diff takes two builds, and a pattern")
	}
	args := query.Args{Named: map[string]driver.Value{"pattern": nil}}
	for i, name := range []string{"old", "new"} {
		if args.Named[name], err = s.DB.Build(ctx, words[i]); err != nil {
			return err
		}
	}
	if len(words) == 3 {
		args.Named["pattern"] = words[2]
	}
	return s.timed(func() error { return run(ctx, s, diffSQL, args) })
}
