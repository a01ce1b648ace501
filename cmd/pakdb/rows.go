package main

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/internal/rescue"
	"pakdb/internal/result"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// addFormat adds --format for output that programs read.
func addFormat(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "", "output as `FORMAT`: "+strings.Join(query.Formats(), ", "))
	completeFlag(cmd, "format", query.Formats()...)
}

// rows begins a result in the format that --format named.
func (a *app) rows(format string, columns ...string) (*query.Rows, error) {
	return outputOf(a, format).Rows(columns...)
}

func humanSize(n int64) string { return query.HumanSize(float64(n)) }

// exactSize is a size in bytes, and in a unit that people read.
func exactSize(n int64) string {
	if -1024 < n && n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d bytes (%s)", n, humanSize(n))
}

func textOrNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

// printable escapes what would break a line, or command a terminal.
func printable(s string) string { return terminal.Printable(s) }

// printableLines is printable for messages, which may have several lines.
func printableLines(s string) string { return terminal.PrintableLines(s) }

// reporting gives a command that does something --format json, by which its words go
// to stderr, and one object to stdout, also when it fails. zero has the keys of that
// object besides those of all commands.
func reporting(a *app, cmd *cobra.Command, zero any) *cobra.Command {
	if cmd.Flags().Lookup("format") == nil {
		cmd.Flags().Var(&result.Format{}, "format", "json: the result as one object on stdout, and words on stderr")
		completeFlag(cmd, "format", "json")
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format := cmd.Flags().Lookup("format").Value.String()
		dryRun := cmd.Flags().Lookup("dry-run")
		if format != "json" && format != "junit" || dryRun != nil && dryRun.Value.String() == "true" {
			return run(cmd, args) // a plan has a format of its own
		}
		a.result = result.New(strings.TrimPrefix(cmd.CommandPath(), "pakdb "), zero)
		stdout := a.stdout
		a.stdout = a.stderr
		err := ofCatalog(rescue.Call(func() error { return run(cmd, args) }))
		a.stdout = stdout
		return errors.Join(err, a.writeResult(format, err))
	}
	return cmd
}

// writeResult writes the result of a command that ended with err. Where the command
// line is wrong, or the user has had enough, there is none.
func (a *app) writeResult(format string, err error) error {
	code := exitCode(err)
	if code == exitUsage || code == exitInterrupted || code == exitPipe {
		return nil
	}
	if err != nil && !errors.Is(err, errProblems) && !errors.Is(err, errFailures) {
		a.result.Fail(err)
	}
	if format == "junit" {
		return a.result.WriteJUnit(a.stdout, code > exitProblems)
	}
	return a.result.Write(a.stdout, code)
}
