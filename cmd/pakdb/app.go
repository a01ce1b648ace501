package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/internal/manual"
	"pakdb/internal/nearest"
	"pakdb/internal/rescue"
	"pakdb/internal/result"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/schema"
)

// app is what every command shares.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	catalog        string // --catalog
	quiet          bool   // --quiet
	keys           keyOptions
	result         *result.Object // nil: nobody asked for one
	drawing        atomic.Bool    // a progress bar is on the terminal
	screen         screen
	registry       func() *codecs.Registry
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, registry: all.Registry}
}

func (a *app) execute(ctx context.Context, args []string) int {
	cmd := a.command()
	manual.ExplainBash(cmd)
	cmd.SetArgs(args)
	return a.finish(func() error { return withScreen(ctx, a, cmd.ExecuteContext) })
}

// finish runs a command, reports its error, and returns the exit code. A panic is
// an error: what was begun is cleaned up on its way here.
func (a *app) finish(run func() error) int { return a.exit(rescue.Call(run)) }

// command builds the tree of commands.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "pakdb",
		Short: "git and SQL for game archives",
		Long: `pakdb scans the archives of a game, build by build, into one SQLite catalog.
On the catalog people run SQL; archives can also be listed, read, extracted and
verified without one.

Exit codes: 0 done; 1 problems or differences were found, or a file is damaged,
does not fit or is in the way; 2 usage; 3 catalog; 4 failed: I/O, network, no
room, time limit, or a fault of pakdb; 130 interrupted.`,
		Example: `  pakdb index --build 1.52 "/games/mh-1.52/Data/Game/*.sip"
  pakdb diff 1.48 1.52
  pakdb query "SELECT ext, count(*) FROM entries GROUP BY ext"
  pakdb query @largest
  pakdb ls -l Calligraphy.sip "*.curve"`,
		Version:       versionText(a),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			warnInterrupted(a, cmd, args)
			beginPaging(a, cmd)
			return a.keys.load()
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, err) })
	flags := root.PersistentFlags()
	flags.StringVar(&a.catalog, "catalog", envOr("PAKDB_CATALOG", "pakdb.db"), "catalog `FILE` (environment: PAKDB_CATALOG)")
	a.keys.add(root)
	addScreen(root, &a.screen)
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress, no summaries")
	root.AddCommand(
		newIndexCommand(a),
		newQueryCommand(a),
		newShellCommand(a),
		newLsCommand(a),
		newInfoCommand(a),
		newCatCommand(a),
		newExtractCommand(a),
		newUnpackCommand(a),
		newVerifyCommand(a),
		newPackCommand(a),
		newDiffCommand(a),
		newDeltaCommand(a),
		newKeygenCommand(a),
		newPakCommand(a),
		newPatchCommand(a),
		newPublishCommand(a),
		newUpdateCommand(a),
		newStoreCommand(a),
		newMountPlanCommand(a),
		newLogCommand(a),
		newDepsCommand(a),
		newRefsCommand(a),
		newPkgCommand(a),
		newShowCommand(a),
		newRmCommand(a),
		newCatalogCommand(a),
		newFormatsCommand(a),
		newVersionCommand(a),
		newManCommand(),
	)
	return root
}

// noSuchCommand is for what stands where a command should.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	err := usageError(cmd, fmt.Errorf("no command %q", args[0]))
	if library, loadErr := query.Load(query.UserQueries()); loadErr == nil {
		if q, getErr := library.Get(args[0]); getErr == nil {
			return hinted(err, "there is a query by that name: "+q.Usage())
		}
	}
	return hinted(err, nearest.Hint(nearest.Names(args[0], names)))
}

// usage marks the errors of an argument check as errors of usage.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		for n := range args {
			if check(cmd, args[:n]) == nil {
				return usageError(cmd, fmt.Errorf("too many arguments: %s", cmd.UseLine()))
			}
		}
		return usageError(cmd, fmt.Errorf("too few arguments: %s", cmd.UseLine()))
	}
}

// exclusive makes it an error of usage to give two of the flags.
func exclusive(cmd *cobra.Command, names ...string) {
	cmd.MarkFlagsMutuallyExclusive(names...) // completion leaves the others out
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		switch {
		case len(given) > 1:
			return usageError(cmd, fmt.Errorf("%s exclude each other", strings.Join(given, " and ")))
		case before != nil:
			return before(cmd, args)
		}
		return nil
	}
}

func usageError(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w: %w (see %s --help)", errUsage, err, cmd.CommandPath())
}

// exit reports err and returns the exit code that stands for it.
func (a *app) exit(err error) int {
	err = ofCatalog(err)
	code := exitCode(err)
	if errors.Is(err, rescue.ErrPanic) {
		a.clearLine()
	}
	switch {
	case code == exitOK, code == exitPipe: // the reader has seen enough: pakdb ls | head
		return code
	case code == exitInterrupted && a.screen.shown:
		return code // the pager had the screen: who pressed Ctrl-C there knows
	case code == exitInterrupted:
		_, _ = fmt.Fprintln(a.stderr, "pakdb: interrupted")
		return code
	case errors.Is(err, errProblems), errors.Is(err, errFailures):
		return code // reported already
	}
	_, _ = fmt.Fprintln(a.stderr, "pakdb: "+printableLines(strings.TrimPrefix(err.Error(), errUsage.Error()+": ")))
	if h := hint(err); h != "" {
		_, _ = fmt.Fprintln(a.stderr, "hint: "+printableLines(h))
	}
	return code
}

// openCatalog opens the catalog for reading. One that is missing, or holds nothing
// yet, is errNoCatalog.
func (a *app) openCatalog(ctx context.Context) (*sql.DB, error) {
	if _, err := os.Stat(a.catalog); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is not there", errNoCatalog, a.catalog)
	}
	db, err := schema.OpenReadOnly(ctx, a.catalog)
	if errors.Is(err, schema.ErrEmpty) {
		return nil, fmt.Errorf("%w: %s holds nothing yet", errNoCatalog, a.catalog)
	}
	return db, err
}

// warn writes a warning to stderr; the command goes on.
func (a *app) warn(text string) {
	_, _ = fmt.Fprintln(a.stderr, "pakdb: warning: "+printableLines(text))
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// isTerminal reports whether a reader or writer is a terminal that a person sits
// at.
func isTerminal(stream any) bool { return terminal.Is(stream) }
