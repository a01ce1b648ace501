package catalog

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/shell"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// queryTopic is the text of "pakdb help sql-syntax" before the functions.
const queryTopic = `SQL is SQLite's, read-only, over views: builds, archives, entries, contents,
problems and others. "pakdb query" at a terminal shows them by .views and
.schema entries; schema/SCHEMA.md explains each.

Parameters are :name, @name or $name, given by -p name=value. A value is an
integer, a real (1.5), null, or text; 'in quotes' it is text in any case,
x'0aff' is a blob. Arguments after the SQL bind ?. :build is the newest build,
or that of --build.

Several statements run one after the other: in json each result is an array, in
jsonl rows follow each other, else an empty line separates them. A column name
that occurs twice becomes name_2 in JSON. Blobs are x'0aff' in text and hex
digits in JSON. NULL is empty in csv and tsv; --null TEXT writes TEXT. A table
leaves out columns of NULL alone and names them on stderr, but not with --null.

Named queries are NAME.sql in the folder PAKDB_QUERIES, or in pakdb/queries of
your configuration (~/.config). "pakdb query @largest --help" prints one to
begin with. The comment "-- bytes: COLUMN, ..." names columns of sizes: table,
md and line show 1.5 MiB, other formats the number.

A statement ends at --timeout or Ctrl-C. It takes at most PAKDB_MAX_MEMORY of
memory (1 GiB), and eight times as much in temporary files; a text, blob or row
has at most 96 MiB and a tenth of that memory. Sorts of many rows write
temporary files to TMPDIR, or else to /var/tmp.

--on clickhouse://[user@]host[:port][/database] sends a statement to the copies
of "pakdb push" and prints the rows (docs/engines.md). -p name=value is
{name:Type}.

At the prompt, SQL ends at a semicolon, .help lists commands, Tab completes,
Ctrl-C ends the statement, Ctrl-D the prompt.

SQL functions beside SQLite's own:
`

// queryFlags are the flags of pakdb query.
type queryFlags struct {
	app       *cli.App
	params    []string
	output    string
	build     string   // "" is the newest
	bytes     []string // columns of sizes, as the named query says
	on        string   // the address of a server
	elsewhere bool     // it was given, and the catalog is not asked
	format    string
	null      string
	noHeader  bool
	timeout   time.Duration
	exitCode  bool
	rows      int64 // of all results
}

func newQueryCommand(a *cli.App) *cobra.Command {
	f := &queryFlags{app: a}
	cmd := &cobra.Command{
		Use:   "query [flags] [SQL | @NAME | -] [ARGUMENT...]",
		Short: "Run SQL, read-only, or a named query; a prompt without either",
		Long: `Run SQL, read-only, or the named query @NAME (@ lists them, @NAME --help
prints its SQL); "-" reads SQL from stdin. Without any, at a terminal, it is a
prompt: .views lists the views. FROM diff('OLD', 'NEW') and search('TEXT')
yield rows, too. -p gives the value of :name, further arguments those of ?,
--build that of :build (else the newest). "pakdb help sql-syntax" has
functions, limits, and ClickHouse servers for --on.`,
		Example: `  pakdb query 'SELECT path FROM entries WHERE build=:build AND size>:n' -p n=1e6
  pakdb query @history Calligraphy/Curve.directory --format csv -o history.csv
  pakdb query "SELECT path FROM diff('1.48', '1.52') WHERE download > 1e6"`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeQuery(a, cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.elsewhere = cmd.Flags().Changed("on")
			return f.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.params, "param", "p", nil, "value of a parameter, `NAME=VALUE`; may repeat")
	cli.Flag(cmd, "output", &f.output)
	cli.Flag(cmd, "build", &f.build)
	flags.StringVar(&f.on, "on", "", "ask the server at `ADDRESS`, clickhouse://...")
	cli.AddFormat(cmd, &f.format)
	flags.StringVar(&f.null, "null", "", "write NULL as `TEXT`, but in JSON")
	flags.BoolVar(&f.noHeader, "no-header", false, "leave column names out")
	cli.Flag(cmd, "timeout", &f.timeout)
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit code 1 if there are rows")
	_ = cmd.RegisterFlagCompletionFunc("build", cli.Completing(a, cli.CompleteBuilds))
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !f.explain(cmd.Flags().Args()) {
			cli.WriteHelp(cmd.OutOrStdout(), cmd)
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

// Topic returns the help topic about SQL.
func Topic() *cobra.Command {
	return cli.NewTopic("sql-syntax", "SQL, parameters and functions", queryTopic+functionHelp())
}

func functionHelp() string {
	var b strings.Builder
	for _, f := range slices.Concat(query.Functions(nil), cli.Functions(nil, nil, nil)) {
		writeFunction(&b, f.Usage, f.Doc)
	}
	b.WriteString("\nFunctions that yield rows, for FROM:\n")
	for _, t := range cli.Tables(nil) {
		writeFunction(&b, t.Usage(), t.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeFunction writes a function and its meaning, in lines of 80 columns.
func writeFunction(b *strings.Builder, usage, doc string) {
	const column = 26
	fmt.Fprintf(b, "  %-*s", column-2, usage)
	at := max(column, 2+len(usage))
	for word := range strings.FieldsSeq(doc) {
		if at+1+len(word) > 79 {
			fmt.Fprintf(b, "\n%*s", column, "")
			at = column
		}
		b.WriteString(" " + word)
		at += 1 + len(word)
	}
	b.WriteByte('\n')
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
	if len(args) == 1 && args[0] == "@" {
		all, err := query.Load(query.UserQueries())
		if err != nil {
			return err
		}
		_, err = io.WriteString(f.app.Stdout, all.List(cli.OutputOf(f.app, "").Width))
		return err
	}
	err := f.query(ctx, args)
	if err == nil && f.exitCode && f.rows > 0 {
		return cli.ErrProblems
	}
	return err
}

// query runs what was asked, after all that can be wrong with the asking was
// looked at.
func (f *queryFlags) query(ctx context.Context, args []string) error {
	if f.wantsPrompt(args) {
		return f.prompt(ctx)
	}
	text, args, err := f.text(args)
	if err != nil {
		return err
	}
	out := cli.OutputOf(f.app, f.format)
	out.NoHeader, out.Null = f.noHeader, f.null
	out.Empty = func() { _, _ = fmt.Fprintln(f.app.Stderr, "(no rows)") }
	out.Hidden = func(columns []string) {
		if !f.app.Quiet {
			_, _ = fmt.Fprintln(f.app.Stderr, query.HiddenNote(columns))
		}
	}
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
	db, closeDB, err := cli.OpenQueries(ctx, f.app)
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
	empty, hidden := out.Empty, out.Hidden
	out.Empty = func() { stop(); empty() }
	out.Hidden = func(columns []string) { stop(); hidden(columns) }
	out.Bytes = f.bytes
	return f.write(out, func(out query.Output) error { return db.Run(ctx, sql, values, out) })
}

// wantsPrompt reports whether statements are to be asked for: nothing else says which.
func (f *queryFlags) wantsPrompt(args []string) bool {
	return len(args) == 0 && terminal.Is(f.app.Stdin) && f.output == "" && len(f.params) == 0 && f.build == "" && !f.elsewhere && !f.exitCode
}

// prompt runs what is typed.
func (f *queryFlags) prompt(ctx context.Context) error {
	cli.Unpage(f.app) // each result has a pager of its own
	db, closeDB, err := cli.OpenQueries(ctx, f.app)
	if err != nil {
		return err
	}
	defer closeDB()
	all, err := query.Load(query.UserQueries())
	if err != nil {
		return err
	}
	return shell.Run(ctx, shell.Config{DB: db, Library: all, In: f.app.Stdin, Out: f.app.Stdout,
		Err: f.app.Stderr, Format: f.format, History: historyFile()})
}

// historyFile is in the user's state folder, where there is such a thing, else
// in the one for configuration; "" when there is none at all.
func historyFile() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pakdb", "history")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pakdb", "history")
}

// text returns the SQL, or @name, and the arguments that remain.
func (f *queryFlags) text(args []string) (string, []string, error) {
	if len(args) == 0 && terminal.Is(f.app.Stdin) {
		return "", nil, query.Usagef("pakdb query --help, or pakdb query @", "no SQL given")
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
	if strings.HasPrefix(text, "@") {
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
	f.bytes = q.Bytes
	return q.SQL, values, err
}

// write runs f with the output that was asked for; a file appears only if all
// went well.
func (f *queryFlags) write(out query.Output, run func(query.Output) error) error {
	if f.output == "" {
		return run(out)
	}
	file, err := cli.CreateFile(f.output, f.app.Catalog)
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
