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
