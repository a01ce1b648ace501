package ship

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/contents"
	"pakdb/diff/ship/store/place"
	"pakdb/diff/ship/store/publish"
)

type pruneOptions struct {
	keep  int
	grace time.Duration
	drop  []string
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

Others may publish to a bucket meanwhile: each run notes there which packs are
not needed, and removes those that an earlier run noted a --grace time ago,
which must be longer than any publication takes. Contents that "pakdb index
--store" put into a bucket stay until --drop-contents names the build.`,
		Example: `  pakdb store prune --keep 5 /srv/game
  pakdb store prune --keep 5 --grace 48h s3://games/game
  pakdb store prune --drop-contents 1.48 s3://games/game`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(o.drop) > 0 && !place.IsBucket(args[0]) {
				return cli.UsageError(cmd, errors.New("--drop-contents is for the contents in a bucket"))
			}
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
	cmd.Flags().StringArrayVar(&o.drop, "drop-contents", nil, "drop contents of `BUILD`; may repeat")
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
	c := &contents.Pruned{}
	if place.IsBucket(location) {
		if c, err = contents.Prune(ctx, location, o.drop, o.grace); errors.Is(err, contents.ErrNoList) {
			return cli.Usage(err)
		}
		if err != nil {
			return err
		}
	}
	watched, stop := a.WatchPatch(ctx)
	p, err := publish.Prune(watched, location, o.keep, o.grace, key, root)
	stop()
	if errors.Is(err, store.ErrNoStore) && c.Any {
		p, err = nil, nil // nothing was published there
	}
	if err := errors.Join(err, o.tell(a, p)); err != nil || a.Quiet || !c.Any {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "removed %s, %s%s\n", cli.Plural(c.Contents, "content", "contents"), cli.HumanSize(c.Size),
		o.waiting(c.Waiting, "content is", "contents are"))
	return err
}

// tell says what was removed of published builds, unless p is nil.
func (o *pruneOptions) tell(a *cli.App, p *publish.Pruned) error {
	if a.Quiet || p == nil {
		return nil
	}
	_, err := fmt.Fprintf(a.Stdout, "removed %s: %s, %s%s\n", cli.Plural(int64(len(p.Builds)), "build", "builds"),
		cli.Plural(int64(p.Files), "file", "files"), cli.HumanSize(p.Size), o.waiting(p.Waiting, "file is", "files are"))
	return err
}

// waiting says how many there are that the grace time keeps.
func (o *pruneOptions) waiting(n int, one, many string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %s not needed any more and kept for the grace time of %v", cli.Plural(int64(n), one, many), o.grace)
}
