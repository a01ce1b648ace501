package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/internal/process"
	"pakdb/query"
)

// AddFormat adds --format for output that programs read.
func AddFormat(cmd *cobra.Command, format *string) {
	Flag(cmd, "format", format)
	CompleteFlag(cmd, "format", query.Formats()...)
}

// Rows begins a result in the format that --format named. Formats for people have sizes as
// 1.5 MiB.
func (a *App) Rows(format string, columns ...string) (*query.Rows, error) {
	out := OutputOf(a, format)
	out.Bytes = sizeColumns()
	return out.Rows(columns...)
}

// sizeColumns names the columns of commands that hold bytes.
func sizeColumns() []string {
	return []string{"size", "stored", "download", "difference", "old_size", "new_size", "old_stored", "new_stored", "cosmetic_download",
		"have_size", "want_size", "bytes", "dead_bytes", "patch_bytes", "own", "frees"}
}

// Reporting gives a command that does something --format json, by which its words go
// to stderr, and one object to stdout, also when it fails. zero has the keys of that
// object besides those of all commands.
func Reporting(a *App, cmd *cobra.Command, zero any) *cobra.Command {
	if cmd.Flags().Lookup("format") == nil {
		Flag(cmd, "format", &Format{})
		CompleteFlag(cmd, "format", "json")
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format := cmd.Flags().Lookup("format").Value.String()
		dryRun := cmd.Flags().Lookup("dry-run")
		if format != "json" && format != "junit" || dryRun != nil && dryRun.Value.String() == "true" {
			return run(cmd, args) // a plan has a format of its own
		}
		a.Result = NewResult(strings.TrimPrefix(cmd.CommandPath(), "pakdb "), zero)
		stdout := a.Stdout
		a.Stdout = a.Stderr
		err := a.verdict(ofCatalog(process.RescueCall(func() error { return run(cmd, args) })))
		a.Stdout = stdout
		return errors.Join(err, a.writeResult(format, err))
	}
	return cmd
}

// writeResult writes the result of a command that ended with err. Where the command
// line is wrong, or the user has had enough, there is none.
func (a *App) writeResult(format string, err error) error {
	code := Code(err)
	if code == ExitUsage || code == ExitInterrupted || code == ExitPipe {
		return nil
	}
	if err != nil && !errors.Is(err, ErrProblems) && !errors.Is(err, ErrFailures) {
		a.Result.Fail(err)
	}
	if format == "junit" {
		return a.Result.WriteJUnit(a.Stdout, code > ExitProblems)
	}
	return a.Result.Write(a.Stdout, code)
}
