package cli

import (
	"cmp"
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
	"pakdb/internal/process"
	"pakdb/internal/regular"
	"pakdb/internal/terminal"
	"pakdb/schema"
)

// App is what every command shares: the streams, and what the global flags say.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Catalog        string // path of the database, from --catalog
	Quiet          bool   // neither progress nor summaries, from --quiet
	Keys           Keys
	Mappings       []string // files of classes, from --mappings
	Engine         string   // of packages that name none, from --engine
	Result         *Object  // nil: nobody asked for one
	Registry       func() *codecs.Registry

	demo    bool        // --demo
	demoDir string      // where its catalog is
	drawing atomic.Bool // a progress bar is on the terminal
	circles atomic.Bool // a link that leads in a circle was left out
	screen  screen
}

// New returns an app of these streams, which reads the formats of the registry.
func New(stdin io.Reader, stdout, stderr io.Writer, registry func() *codecs.Registry) *App {
	return &App{Stdin: stdin, Stdout: stdout, Stderr: stderr, Registry: registry}
}

// AddFlags adds the flags that all commands have.
func (a *App) AddFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&a.Catalog, "catalog", envOr("PAKDB_CATALOG", "pakdb.db"), "the catalog `FILE`")
	flags.BoolVar(&a.demo, "demo", false, "use a catalog of two small builds")
	a.Keys.add(root)
	addScreen(root, &a.screen)
	addFormat(root)
	flags.StringArrayVar(&a.Mappings, "mappings", nil, "classes of the game, from a .usmap `FILE`; may repeat")
	flags.StringVar(&a.Engine, "engine", "", "engine `VERSION` of packages without one, as 4.27")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "print neither progress nor summaries")
}

// Begin puts the pager in front of a command's results and reads the AES keys. It is
// called once, after the flags were read.
func (a *App) Begin(cmd *cobra.Command) error {
	if err := cmp.Or(checkFormat(cmd), checkValues(cmd)); err != nil {
		return err
	}
	beginPaging(a, cmd)
	if err := a.Keys.load(); err != nil || !a.demo {
		return err
	}
	return a.beginDemo(cmd)
}

// Run runs a command such that its results may be paged, reports its error, and
// returns the exit code.
func (a *App) Run(ctx context.Context, command func(context.Context) error) int {
	return a.finish(func() error {
		return a.verdict(process.Stopped(ctx, errors.Join(withScreen(ctx, a, command), a.endDemo())))
	})
}

// finish runs a command, reports its error, and returns the exit code. A panic is
// an error: what was begun is cleaned up on its way here.
func (a *App) finish(run func() error) int { return a.exit(process.RescueCall(run)) }

// exit reports err and returns its exit code.
func (a *App) exit(err error) int {
	err = ofCatalog(err)
	code := Code(err)
	if errors.Is(err, process.ErrPanic) {
		a.ClearLine()
	}
	switch {
	case code == ExitOK, code == ExitPipe: // the reader has seen enough: pakdb ls | head
		return code
	case code == ExitInterrupted && a.screen.shown:
		return code // the pager had the screen, and Ctrl-C was pressed there
	case code == ExitInterrupted:
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: interrupted")
		return code
	case errors.Is(err, ErrProblems), errors.Is(err, ErrFailures):
		return code // reported already
	}
	_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+terminal.PrintableLines(strings.TrimPrefix(err.Error(), ErrUsage.Error()+": ")))
	if h := Hint(err); h != "" {
		_, _ = fmt.Fprintln(a.Stderr, "hint: "+terminal.PrintableLines(h))
	}
	return code
}

// OpenCatalog opens the catalog for reading. One that is missing, or holds nothing
// yet, is [ErrNoCatalog].
func (a *App) OpenCatalog(ctx context.Context) (*sql.DB, error) {
	if _, err := os.Stat(a.Catalog); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is not there", ErrNoCatalog, a.Catalog)
	}
	db, err := schema.OpenReadOnly(ctx, a.Catalog)
	if errors.Is(err, schema.ErrEmpty) {
		return nil, fmt.Errorf("%w: %s holds nothing yet", ErrNoCatalog, a.Catalog)
	}
	return db, err
}

// Warn writes a warning to stderr; the command goes on.
func (a *App) Warn(text string) {
	_, _ = fmt.Fprintln(a.Stderr, "pakdb: warning: "+terminal.PrintableLines(text))
}

// LeftOut warns of a path below a folder that no command reads: a pipe, a device or a link
// to nothing. A link that leads in a circle is a problem, and the exit code is 1: the folder
// is no tree. It is not refused, since the prefixes of Wine have such links beside games.
func (a *App) LeftOut(err error) {
	a.Warn("left out: " + err.Error())
	if errors.Is(err, regular.ErrCircle) {
		a.circles.Store(true)
	}
}

// verdict returns ErrProblems for a command that succeeded but for links in circles.
func (a *App) verdict(err error) error {
	if err == nil && a.circles.Load() {
		return ErrProblems
	}
	return err
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// OpenOptions returns how archives are opened: with the user's keys.
func (a *App) OpenOptions() *codecs.Options {
	return &codecs.Options{Keys: a.Keys.Ring.Key, Candidates: a.Keys.Ring.Mains()}
}
