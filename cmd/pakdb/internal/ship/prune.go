package ship

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store/publish"
)

type pruneOptions struct {
	keep  int
	grace time.Duration
	sign  secretKey
	root  string
}

func newStorePruneCommand(a *cli.App) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune [flags] STORE",
		Short: "Remove old builds and what only they need",
		Long: `Remove all builds but the last ones and those that a channel gives out, and
packs that no other build needs. A folder is checked first; a damaged one is
left as it is.

In a bucket each run marks the packs that no build needs, and removes those
marked at least --grace ago. --grace must be longer than any publication, which
may run at the same time.`,
		Example: `  pakdb store prune --keep 5 /srv/game
  pakdb store prune --keep 5 --grace 48h s3://games/game`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.grace < 0 {
				return cli.UsageError(cmd, fmt.Errorf("--grace %s: a time cannot be negative", o.grace))
			}
			if o.keep < 1 {
				return cli.UsageError(cmd, fmt.Errorf("--keep %d: the last build stays", o.keep))
			}
			return runPrune(cmd.Context(), a, &o, args[0])
		},
	}
	cli.Flag(cmd, "sign", &o.sign.file)
	cli.Flag(cmd, "trust", &o.root)
	cmd.Flags().DurationVar(&o.grace, "grace", 24*time.Hour, "keep idle packs for `TIME`")
	cmd.Flags().IntVar(&o.keep, "keep", 5, "keep the last `N` builds")
	return cmd
}

func runPrune(ctx context.Context, a *cli.App, o *pruneOptions, location string) error {
	key, err := o.sign.read(ctx, a)
	if err != nil {
		return err
	}
	root, err := readRoot(o.root)
	if err != nil {
		return err
	}
	watched, stop := a.WatchPatch(ctx)
	p, err := publish.Prune(watched, location, o.keep, o.grace, key, root)
	if stop(); err != nil || a.Quiet {
		return err
	}
	waiting := ""
	if p.Waiting > 0 {
		waiting = fmt.Sprintf("; %s not needed any more and kept for the grace time of %v", cli.Plural(int64(p.Waiting), "file is", "files are"), o.grace)
	}
	_, err = fmt.Fprintf(a.Stdout, "removed %s: %s, %s%s\n", cli.Plural(int64(len(p.Builds)), "build", "builds"),
		cli.Plural(int64(p.Files), "file", "files"), cli.HumanSize(p.Size), waiting)
	return err
}
