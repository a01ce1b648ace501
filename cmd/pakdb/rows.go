package main

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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
