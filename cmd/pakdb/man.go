package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/manual"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Long: `Write a manual page for each command into a folder, for packagers. The date is
SOURCE_DATE_EPOCH where that is set.`,
		Example: `  pakdb man /usr/local/share/man/man1`,
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := manDate()
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			return manual.Write(cmd.Root(), args[0], date)
		},
	}
}

// manDate returns SOURCE_DATE_EPOCH, or the present time.
func manDate() (time.Time, error) {
	date, err := cli.SourceDateEpoch()
	if date.IsZero() {
		date = time.Now()
	}
	return date, err
}
