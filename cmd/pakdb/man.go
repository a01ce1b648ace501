package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"pakdb/internal/manual"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Long: `Write a manual page for each command into a folder, for packagers. The date is
SOURCE_DATE_EPOCH where that is set.`,
		Example: `  pakdb man /usr/local/share/man/man1`,
		Args:    usage(cobra.ExactArgs(1)),
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
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: SOURCE_DATE_EPOCH=%s is no number of seconds", errUsage, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
