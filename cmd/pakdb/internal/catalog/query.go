package catalog

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/query/graph"
	"pakdb/query/show"
)

const queryHelp = `Ask the catalog in SQL. Nothing that is asked can write to it.

The views are the stable surface: builds, archives, entries, contents,
duplicates, problems. pakdb shell shows their columns (.schema entries).

Parameters are written :name, @name or $name, and given with -p name=value.
A value is an integer, a real (1.5), null, or text; 'in quotes' it is text
whatever it looks like, x'0aff' is a blob. Arguments after the SQL bind ?.
:build is the newest build unless --build says otherwise.

Results come as table, json, jsonl, csv, tsv, md or line. Several statements
run one after the other: in json each result is an array of its own, in jsonl
the rows follow each other, in the rest an empty line separates them. A result
without rows is [] in json and a header in csv, tsv and md. A column name that
occurs twice becomes name_2 in JSON. Blobs are x'0aff' in text and hex digits
in JSON. NULL is empty unless --null says otherwise.

On a terminal a table is as wide as that: the widest columns are shortened first,
paths in their middle, and where that is not enough each column has a line of its
own. --wide shows values in full, as a pipe or a file always has them. What is more
than a screen goes through PAGER, or less; --no-pager does without.

Your own named queries are files NAME.sql in the folder PAKDB_QUERIES, or else in
pakdb/queries of your configuration (~/.config); "pakdb query --show @largest" is one
to begin with. Yours win over those of the same name that come with pakdb.

On a terminal, a statement that takes more than a second says why if its text
tells, such as a comparison of a column that is computed for each row.

--on clickhouse://[user@]host[:port][/database] sends a statement of ClickHouse to the
copies that "pakdb push" made, and prints the rows (docs/engines.md). It can only
read. -p name=value is the value of {name:Type}.

--timeout and Ctrl-C end any statement within a second. SQL takes at most 1 GiB of
memory unless --max-memory says otherwise, a text, blob or row has at most 96 MiB
and a tenth of that memory, and a pattern of LIKE or GLOB 1000 bytes.

SQL functions beside SQLite's own:
`

const queryExamples = `  pakdb query 'SELECT build, entry_count FROM builds'
  pakdb query 'SELECT path, size FROM entries WHERE build = :build AND size > :min' -p min=1000000
  pakdb query 'SELECT * FROM entries WHERE path REGEXP ?' '\.curve$' --format jsonl
  pakdb query @largest 50 --build 1.52
  pakdb query @history Calligraphy/Curve.directory --format csv -o history.csv
  pakdb query @history --help
  pakdb query --exit-code @missing-references    # fails when there are any
  pakdb query -f report.sql --timeout 30s
  pakdb query --on clickhouse://reader@db.studio/game "SELECT count(*) FROM entries"
  echo 'SELECT count(*) FROM entries' | pakdb query -`

// queryFlags are what pakdb query is told beside its arguments.
type queryFlags struct {
	app          *cli.App
	params       []string
	file, output string
	build        string // "" is the newest
	on           string // the address of a server
	elsewhere    bool   // it was given, and the catalog is not asked
	format, null string
	noHeader     bool
	timeout      time.Duration
	memory       cli.ByteSize
	list, show   bool
	exitCode     bool
	rows         int64 // of all results
}

func newQueryCommand(a *cli.App) *cobra.Command {
	f := &queryFlags{app: a}
	cmd := &cobra.Command{
		Use:     "query [SQL | @name | -] [argument...]",
		Short:   "Ask the catalog in SQL, or run a named query",
		Long:    queryHelp + functionHelp(),
		Example: queryExamples,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeQuery(a, cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.elsewhere = cmd.Flags().Changed("on")
			if f.elsewhere && !cmd.Flags().Changed("max-memory") {
				f.memory = 0 // as the server says
			}
			return f.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.params, "param", "p", nil, "value of a parameter, as `name=value`")
	flags.StringVarP(&f.file, "file", "f", "", "run the SQL in `FILE`")
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`, which appears when all is done")
	flags.StringVar(&f.build, "build", "", "value of the parameter build (default the newest)")
	flags.StringVar(&f.on, "on", "", "ask the server at `ADDRESS`, to which builds were pushed")
	flags.StringVar(&f.format, "format", "table", strings.Join(query.Formats(), ", "))
	flags.StringVar(&f.null, "null", "", "`TEXT` that stands for NULL, not in JSON")
	flags.BoolVar(&f.noHeader, "no-header", false, "leave column names out")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop after this `TIME` (90s, 5m)")
	cli.AddMemory(cmd, &f.memory)
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit code 1 when there are rows, for checks that want none")
	flags.BoolVar(&f.list, "list", false, "list the named queries")
	flags.BoolVar(&f.show, "show", false, "print the SQL of a named query")
	cli.CompleteFlag(cmd, "format", query.Formats()...)
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !f.explain(cmd.Flags().Args()) {
			help(cmd, args)
		}
	})
	return cmd
}

// completeQuery offers the named queries, and builds for their parameters.
func completeQuery(a *cli.App, cmd *cobra.Command, args []string, typed string) (all []string, _ cobra.ShellCompDirective) {
	library, err := query.Load(query.UserQueries())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(args) == 0 {
		for _, name := range library.Names() {
			all = append(all, "@"+name+"\t"+library[name].Doc)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	q, err := library.Get(args[0])
	if err != nil || len(args) > len(q.Params) || q.Params[len(args)-1].Type != "build" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.CompleteBuilds(a, cmd, args, typed)
}

func functionHelp() string {
	var b strings.Builder
	graphFunctions, _ := graph.Functions("")
	showing, _ := show.Functions("", nil, nil)
	for _, f := range slices.Concat(query.Functions(nil), graphFunctions, showing, cli.FormatFunctions()) {
		fmt.Fprintf(&b, "  %-24s %s\n", f.Usage, f.Doc)
	}
	b.WriteString("\nFunctions that yield rows, for FROM:\n")
	tables, _ := cli.Tables("")
	for _, t := range tables {
		fmt.Fprintf(&b, "  %-24s %s\n", t.Usage(), t.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// explain shows the help of a named query, if that is what was asked for.
func (f *queryFlags) explain(args []string) bool {
	if len(args) == 0 || !strings.HasPrefix(args[0], "@") {
		return false
	}
	q, err := namedQuery(args[0])
	if err != nil {
		_, _ = fmt.Fprintf(f.app.Stderr, "%v\n%s\n", err, query.Hint(err))
		return true
	}
	_, _ = io.WriteString(f.app.Stdout, q.Help())
	return true
}

func namedQuery(name string) (*query.Named, error) {
	all, err := query.Load(query.UserQueries())
	if err != nil {
		return nil, err
	}
	return all.Get(name)
}

func (f *queryFlags) run(ctx context.Context, args []string) error {
	switch {
	case f.list:
		all, err := query.Load(query.UserQueries())
		if err != nil {
			return err
		}
		_, err = io.WriteString(f.app.Stdout, all.List(cli.OutputOf(f.app, "").Width))
		return err
	case f.show:
		return f.showSQL(args)
	}
	err := f.query(ctx, args)
	if err == nil && f.exitCode && f.rows > 0 {
		return cli.ErrProblems
	}
	return err
}

func (f *queryFlags) showSQL(args []string) error {
	if len(args) != 1 {
		return query.Usagef("pakdb query --show @largest", "--show takes the name of a query")
	}
	q, err := namedQuery(args[0])
	if err != nil {
		return err
	}
	_, err = io.WriteString(f.app.Stdout, q.SQL)
	return err
}

// query runs what was asked, after all that can be wrong with the asking was
// looked at.
func (f *queryFlags) query(ctx context.Context, args []string) error {
	text, args, err := f.text(args)
	if err != nil {
		return err
	}
	out := cli.OutputOf(f.app, f.format)
	out.NoHeader, out.Null = f.noHeader, f.null
	out.Empty = func() { _, _ = fmt.Fprintln(f.app.Stderr, "(no rows)") }
	out.Counted = func(rows int64) { f.rows += rows }
	if err := out.Check(); err != nil {
		return err
	}
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	if f.elsewhere {
		return f.askServer(ctx, text, args, out)
	}
	db, closeDB, err := cli.OpenQueries(ctx, f.app, f.memory)
	if err != nil {
		return err
	}
	defer closeDB()
	sql, values, err := f.bind(ctx, db, text, args)
	if err != nil {
		return err
	}
	out, stop := cli.Waiting(f.app, out, "running", query.Advice(sql))
	defer stop()
	empty := out.Empty
	out.Empty = func() { stop(); empty() }
	return f.write(out, func(out query.Output) error { return db.Run(ctx, sql, values, out) })
}

// text returns the SQL, or @name, and the arguments that remain.
func (f *queryFlags) text(args []string) (string, []string, error) {
	if f.file != "" {
		file, err := os.Open(f.file)
		if err != nil {
			return "", nil, query.Usagef("", "%w", err)
		}
		defer func() { _ = file.Close() }()
		text, err := query.ReadSQL(file, f.file)
		return text, args, err
	}
	if len(args) == 0 && terminal.Is(f.app.Stdin) {
		return "", nil, query.Usagef("pakdb query --help, pakdb query --list, or pakdb shell", "no SQL given")
	}
	if len(args) == 0 || args[0] == "-" {
		text, err := query.ReadSQL(f.app.Stdin, "standard input")
		return text, args[min(1, len(args)):], err
	}
	return args[0], args[1:], nil
}

// warnBuild says that --build was not needed: what it names need not be what is asked
// about.
func warnBuild(a *cli.App, label string) {
	if !a.Quiet {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: warning: --build %s has no effect: nothing here says :build\n", terminal.Printable(label))
	}
}

// bind returns the SQL of what was asked, with its parameters' values.
func (f *queryFlags) bind(ctx context.Context, db *query.DB, text string, args []string) (string, query.Args, error) {
	if f.file == "" && strings.HasPrefix(text, "@") {
		return f.bindNamed(ctx, db, text, args)
	}
	values := query.Args{Named: map[string]driver.Value{}}
	for _, p := range f.params {
		name, v, err := query.ParseArg(p)
		if err != nil {
			return "", values, err
		}
		values.Named[name] = v
	}
	if f.build != "" {
		label, err := db.Build(ctx, f.build)
		if err != nil {
			return "", values, err
		}
		if slices.Contains(query.Parameters(text), "build") {
			values.Named["build"] = label
		} else {
			warnBuild(f.app, label)
		}
	}
	for _, a := range args {
		values.Positional = append(values.Positional, query.ParseValue(a))
	}
	return text, values, nil
}

func (f *queryFlags) bindNamed(ctx context.Context, db *query.DB, name string, args []string) (string, query.Args, error) {
	q, err := namedQuery(name)
	if err != nil {
		return "", query.Args{}, err
	}
	given := map[string]string{}
	for _, p := range f.params {
		if _, _, err := query.ParseArg(p); err != nil {
			return "", query.Args{}, err
		}
		name, text, _ := strings.Cut(strings.TrimLeft(p, ":@$"), "=")
		given[name] = text
	}
	if f.build != "" && q.Takes("build") {
		given["build"] = f.build
	} else if f.build != "" {
		label, err := db.Build(ctx, f.build)
		if err != nil {
			return "", query.Args{}, err
		}
		warnBuild(f.app, label)
	}
	values, err := db.Bind(ctx, q, given, args)
	return q.SQL, values, err
}

// write runs f with the output that was asked for; a file appears only if all
// went well.
func (f *queryFlags) write(out query.Output, run func(query.Output) error) error {
	if f.output == "" {
		return run(out)
	}
	file, err := query.CreateFile(f.output, f.app.Catalog)
	if err != nil {
		return err
	}
	out.W, out.Width, out.Escape, out.Colours = file, 0, false, false
	if err := run(out); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}
