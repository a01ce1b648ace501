package ship

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store/publish"
)

func newStoreListCommand(a *cli.App) *cobra.Command {
	var format string
	var long bool
	cmd := &cobra.Command{
		Use:   "list [flags] STORE",
		Short: "List the builds of a store, and their costs",
		Long: `List the builds of a store in the order of publication: files, their size, and
how much a folder of the build before downloads at most.

-l lists costs instead: "stored", the bytes of packs, patches and lists that a
build needs; "own", those that no other build needs; "frees", the bytes that
pruning all builds up to this one frees; "download", how much a folder of this
build fetches at most to become the last one. Bytes that no build needs are
reported on stderr.`,
		Example: `  pakdb store list -l /srv/game
  pakdb store list /srv/game --format json | jq -r '.[-1].build'`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if long {
				return listCosts(cmd.Context(), a, args[0], format)
			}
			return listBuilds(cmd.Context(), a, args[0], format)
		},
	}
	cli.Flag(cmd, "long", &long)
	cli.AddFormat(cmd, &format)
	return cmd
}

func listBuilds(ctx context.Context, a *cli.App, dir, format string) error {
	builds, err := publish.List(ctx, dir)
	if err != nil {
		return err
	}
	rows, err := a.Rows(format, "build", "published", "files", "size", "previous", "download", "signed", "damaged", "channels", "parts")
	if err != nil {
		return err
	}
	for _, b := range builds {
		signed := driver.Value(cli.Bit(b.Signed))
		if format == "" {
			signed = "no"
			if b.Signed {
				signed = "yes"
			}
		}
		if err := rows.Write(b.Label, b.Time.UTC().Format(time.RFC3339), int64(b.Files), b.Size, cli.TextOrNull(b.From), b.Download, signed, int64(len(b.Damaged)), strings.Join(b.Given, ", "), strings.Join(b.Parts, ", ")); err != nil {
			return err
		}
	}
	return rows.Close()
}

func listCosts(ctx context.Context, a *cli.App, dir, format string) error {
	list, idle, err := publish.Stats(ctx, dir)
	if err != nil {
		return err
	}
	rows, err := a.Rows(format, "build", "published", "files", "size", "stored", "own", "frees", "download")
	if err != nil {
		return err
	}
	for _, b := range list {
		if err := rows.Write(b.Label, b.Time.UTC().Format(time.RFC3339), int64(b.Files), b.Size, b.Stored, b.Own, b.Freed, b.Download); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil || idle == 0 || a.Quiet {
		return err
	}
	_, err = fmt.Fprintf(a.Stderr, "no build needs %s\n", cli.HumanSize(idle))
	return err
}
