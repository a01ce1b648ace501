package ship

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
)

func newStoreCopyCommand(a *cli.App) *cobra.Command {
	var tokenFile string
	cmd := &cobra.Command{
		Use:   "copy [flags] FROM TO",
		Short: "Copy a store to a folder, bucket or web server, or update a copy",
		Long: `Copy a store: FROM and TO are folders, URLs or buckets. A web server TO takes
files by PUT; --token-file sends it "Authorization: Bearer TOKEN". What TO has
is not sent again, so an interrupted copy goes on where it stopped.

The list of builds and signed metadata come last: clients of TO see the builds
of before or those of FROM, never half of one. Signatures are copied as they
are. Files that only removed builds need stay until "pakdb store prune TO". A TO
with builds of another store is refused.`,
		Example: `  pakdb store copy /srv/game s3://games/live
  pakdb store copy https://cdn.example.com/game /srv/mirror
  pakdb store copy /srv/game https://up.example.com/game --token-file token`,
		Args: cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStoreCopy(cmd.Context(), a, args[0], args[1], tokenFile)
		},
	}
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "the token is in `FILE`")
	return cmd
}

func runStoreCopy(ctx context.Context, a *cli.App, from, to, tokenFile string) error {
	token := ""
	if tokenFile != "" {
		if !store.IsWeb(to) {
			return fmt.Errorf("%w: --token-file: %s is no web server", cli.ErrUsage, to)
		}
		var err error
		if token, err = cli.ReadToken(tokenFile); err != nil {
			return err
		}
	}
	watched, stop := a.WatchPatch(ctx)
	c, err := publish.Copy(watched, from, to, token)
	stop()
	if errors.Is(err, publish.ErrOtherStore) {
		return cli.WithHint(cli.Refusal(err), "name an empty folder or prefix")
	}
	if err != nil || a.Quiet {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: %s copied, %s; %d were there\n", cli.Plural(int64(c.Builds), "build", "builds"),
		cli.Plural(c.Files, "file", "files"), cli.HumanSize(c.Size), c.Had)
	return err
}
