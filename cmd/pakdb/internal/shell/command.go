package shell

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// command is a word that starts with a dot.
type command struct {
	usage, doc string
	run        func(s *shell, ctx context.Context, arg string) error
}

func commands() []command {
	return []command{
		{".functions", "the SQL functions that pakdb adds", (*shell).functions},
		{".help", "this text", (*shell).help},
		{".mode [FORMAT]", "output format: " + strings.Join(query.Formats(), ", "), (*shell).mode},
		{".output [FILE]", "write results to FILE, which appears with the next .output", (*shell).redirect},
		{".param [NAME [VALUE]]", "set the value of :NAME; without VALUE forget it; alone show all; clear forgets all", setParam},
		{".queries", "the named queries; @name runs one, @name --help explains it", (*shell).queries},
		{".quit", "leave; also Ctrl-D", func(*shell, context.Context, string) error { return errQuit }},
		{".schema [NAME]", "SQL of a table or view, or of all", (*shell).schema},
		{".timer on|off", "show the time of each statement", (*shell).setTimer},
		{".views [NAME]", "the views, or the columns of one", showViews},
	}
}

// command runs a line that starts with a dot. The first letters of a command
// suffice where they are those of one command alone.
func (s *shell) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(strings.TrimSuffix(line, ";"), " ")
	var found []command
	for _, c := range commands() {
		word, _, _ := strings.Cut(c.usage, " ")
		if word == name {
			found = []command{c}
			break
		}
		if strings.HasPrefix(word, name) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return query.Usagef("", "no command %s; .help shows all", name)
	}
	return found[0].run(s, ctx, strings.TrimSpace(arg))
}

func (s *shell) help(ctx context.Context, _ string) error {
	var b strings.Builder
	b.WriteString("SQL ends at a semicolon. @NAME [ARG...] runs a named query. Tab completes.\n\n")
	for _, c := range commands() {
		b.WriteString(coloured(s.Out, "1", fmt.Sprintf("%-22s", c.usage)) + terminal.Wrap(c.doc, width(s), 22) + "\n")
	}
	return printText(ctx, s, b.String())
}

func (s *shell) functions(ctx context.Context, _ string) error {
	var b strings.Builder
	for _, f := range s.DB.Functions {
		fmt.Fprintf(&b, "%-26s %s\n", f.Usage, terminal.Wrap(f.Doc, width(s), 27))
	}
	return printText(ctx, s, b.String())
}

func (s *shell) queries(ctx context.Context, _ string) error {
	return printText(ctx, s, s.Library.List(width(s)))
}

func (s *shell) mode(_ context.Context, arg string) error {
	if arg == "" {
		_, err := fmt.Fprintln(s.Out, s.Format)
		return err
	}
	if err := (query.Output{W: s.Out, Format: arg}).Check(); err != nil {
		return err
	}
	s.Format = arg
	return nil
}

func (s *shell) redirect(_ context.Context, arg string) error {
	if err := s.closeFile(true); err != nil || arg == "" {
		return err
	}
	if words, err := split(arg); err == nil && len(words) == 1 {
		arg = words[0]
	}
	f, err := cli.CreateFile(arg, s.DB.Catalog)
	if err != nil {
		return err
	}
	s.file, s.out = f, f
	return nil
}

func (s *shell) schema(ctx context.Context, arg string) error {
	text := "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND (?1 IS NULL OR tbl_name = ?1) ORDER BY tbl_name, type DESC, name"
	var name driver.Value
	if arg != "" {
		name = arg
	}
	all, err := s.DB.Texts(ctx, text, name)
	if err == nil && len(all) == 0 {
		err = query.Usagef("", "no table or view %s; .views lists the views", arg)
	}
	if err != nil {
		return err
	}
	return printText(ctx, s, strings.Join(all, "\n")+"\n")
}

func (s *shell) setTimer(_ context.Context, arg string) error {
	if arg != "on" && arg != "off" {
		return query.Usagef("", ".timer is on or off")
	}
	s.timer = arg == "on"
	return nil
}
