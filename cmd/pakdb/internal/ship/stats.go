package ship

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store/publish"
)

func newStoreStatsCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "stats STORE",
		Short: "Tell what each build of a store costs",
		Long: `Tell of each build of a store, in the order in which they were published: its files
and their size; "stored", the bytes of packs, patches and lists that it needs, and
"own", those of them that no other build needs; "frees", what pruning all builds up to
this one frees; and "download", how much a folder of this build fetches to become the
last one at most, as "pakdb store list" counts it.

What no build needs, which a publication that was stopped may leave, is told on stderr;
"pakdb store prune" removes it.`,
		Example: `  pakdb store stats /srv/game
  pakdb store stats /srv/game --format json | jq '.[] | {build, download}'`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, idle, err := publish.Stats(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			rows, err := a.Rows(format, "build", "published", "files", "size", "stored", "own", "frees", "download")
			if err != nil {
				return err
			}
			size := func(n int64) driver.Value {
				if format == "" {
					return cli.HumanSize(n)
				}
				return n
			}
			for _, b := range list {
				if err := rows.Write(b.Label, b.Time.UTC().Format(time.RFC3339), int64(b.Files), size(b.Size), size(b.Stored), size(b.Own), size(b.Freed), size(b.Download)); err != nil {
					return err
				}
			}
			if err := rows.Close(); err != nil || idle == 0 || a.Quiet {
				return err
			}
			_, err = fmt.Fprintf(a.Stderr, "no build needs %s\n", cli.HumanSize(idle))
			return err
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}
