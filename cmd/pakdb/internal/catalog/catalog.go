package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/schema"
)

func newCatalogCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "catalog",
		Short:   "Look after the catalog's file",
		Long:    "Look after the catalog's file: check reads all of it and says what is damaged.",
		Example: "  pakdb catalog check",
	}, newCatalogCheckCommand(a))
}

func newCatalogCheckCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "check [flags] [FILE]",
		Short: "Read the whole catalog, and say what is damaged",
		Long: `Read the whole catalog, FILE or that of --catalog, and say what is damaged: its pages
and indexes, what tables refer to, what pakdb relies on (builds mount complete
archives, archives have the entries and bytes that were counted, paths, contents and
names have the keys of their texts and hashes), and whether all rows of each build can
be read.

Exit code 1 means that something was found; then it says which builds can still be
read, and what to do. The catalog is not changed.

"pakdb index" and "pakdb rm" check the pages of a catalog of up to 256 MiB before they
write to it, and its indexes up to 32 MiB, and refuse a damaged one. While only pakdb
writes to the file, they do so once a day. They do not see what fits where it is: a
name or hash that was replaced, or a page that another whole page of the file took the
place of. This command does. Neither sees a number that was
replaced and that nothing else tells, such as an offset or a time: SQLite has no
checksums.`,
		Example: `  pakdb catalog check
  pakdb catalog check old.db --format json`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				a.Catalog = args[0]
			}
			return runCatalogCheck(cmd.Context(), a, format)
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}

func runCatalogCheck(ctx context.Context, a *cli.App, format string) error {
	if err := (query.Output{W: a.Stdout, Format: format}).Check(); err != nil {
		return err
	}
	var step atomic.Value
	step.Store("")
	stop := a.ShowBar(ctx, func(bar *progressbar.ProgressBar) { bar.Describe("checking: " + step.Load().(string)) })
	defer stop()
	var found []schema.Finding
	checked, err := schema.Check(ctx, a.Catalog, func(f schema.Finding) { found = append(found, f) },
		func(name string) { step.Store(terminal.Printable(name)) })
	stop()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, schema.ErrEmpty) {
		return fmt.Errorf("%w: %w", cli.ErrNoCatalog, err)
	}
	if err != nil {
		return err
	}
	return printChecked(a, found, checked, format)
}

func printChecked(a *cli.App, found []schema.Finding, checked schema.Checked, format string) error {
	var err error
	if format != "" {
		err = findingRows(a, found, format)
	} else {
		err = findingLines(a, found, checked)
	}
	if err != nil || len(found) == 0 {
		return err
	}
	_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+terminal.Printable(a.Catalog)+": "+cli.Plural(int64(len(found)), "finding", "findings"))
	for _, line := range checkAdvice(checked) {
		_, _ = fmt.Fprintln(a.Stderr, "hint: "+terminal.Printable(line))
	}
	return cli.ErrProblems
}

func findingRows(a *cli.App, found []schema.Finding, format string) error {
	rows, err := a.Rows(format, "check", "build", "finding")
	if err != nil {
		return err
	}
	for _, f := range found {
		if err := rows.Write(f.Check, cli.TextOrNull(f.Build), f.Detail); err != nil {
			return err
		}
	}
	return rows.Close()
}

func findingLines(a *cli.App, found []schema.Finding, checked schema.Checked) error {
	for _, f := range found {
		build := ""
		if f.Build != "" {
			build = " build " + terminal.Printable(f.Build) + ":"
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s:%s %s\n", f.Check, build, terminal.Printable(f.Detail)); err != nil {
			return err
		}
	}
	if len(found) > 0 || a.Quiet {
		return nil
	}
	note := ""
	if checked.Interrupted {
		note = ", and what an interrupted scan left for the next one"
	}
	_, err := fmt.Fprintf(a.Stdout, "%s is sound: %s%s\n", terminal.Printable(a.Catalog),
		cli.Plural(int64(len(checked.Readable)), "build", "builds"), note)
	return err
}

// checkAdvice says what to do about a catalog with findings.
func checkAdvice(c schema.Checked) []string {
	advice := []string{"do not write to it; put a copy from before the damage in its place, if there is one"}
	if len(c.Readable) > 0 {
		advice = append(advice, "all rows of these builds can still be read, though what was found may concern them: "+strings.Join(c.Readable, ", "))
	}
	if len(c.Unreadable) > 0 {
		advice = append(advice, "not all rows can be read of: "+strings.Join(c.Unreadable, ", "))
	}
	return append(advice, `else scan the builds again into a new file: pakdb index --catalog NEW --build LABEL PATH...`)
}

// noteUnchecked says what "pakdb index" and "pakdb rm" do not know.
func noteUnchecked(a *cli.App, c *schema.Catalog) {
	if c.Checked() || a.Quiet {
		return
	}
	_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s is larger than %s, so its pages were not checked for damage; pakdb catalog check does that\n",
		terminal.Printable(a.Catalog), cli.HumanSize(schema.QuickSize))
}
