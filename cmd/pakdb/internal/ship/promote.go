package ship

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store/publish"
)

// promotion are the flags for the clients that get a build of a store, and for signing that.
type promotion struct {
	rollout rollout
	sign    secretKey
	root    string
	expires time.Duration
}

func (p *promotion) add(cmd *cobra.Command) {
	p.expires = publish.DefaultExpiry
	cli.Flag(cmd, "sign", &p.sign.file)
	cli.Flag(cmd, "trust", &p.root)
	cli.Flag(cmd, "expires", (*days)(&p.expires))
	p.rollout.add(cmd)
}

// read reads the clients that get the build, the key that signs, and a root.
func (p *promotion) read(ctx context.Context, a *cli.App) (key *delta.SecretKey, root []byte, err error) {
	if err = p.rollout.read(); err == nil {
		key, err = p.sign.read(ctx, a)
	}
	if err == nil {
		root, err = readRoot(p.root)
	}
	return key, root, err
}

func newStorePromoteCommand(a *cli.App) *cobra.Command {
	var p promotion
	cmd := &cobra.Command{
		Use:   "promote [flags] STORE BUILD",
		Short: "Give a published build to more clients, or to all",
		Long: `Give a build of the store to all clients of a channel, or to a --rollout of
them, or to some versions of --clients. A build for one platform is
LABEL@PLATFORM. Nothing is uploaded. The same installations stay in as the share
grows. Promote an earlier build to give it to all again.`,
		Example: `  pakdb store promote /srv/game 1.53 --rollout 10%
  pakdb store promote /srv/game 1.53 --sign release.key
  pakdb store promote /srv/game 1.54 --channel beta --clients 2.10..`,
		Args: cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPromote(cmd.Context(), a, args[0], args[1], p)
		},
	}
	p.add(cmd)
	return cli.Reporting(a, cmd, cli.Published{})
}

// runPromote changes the clients that get a build of the store.
func runPromote(ctx context.Context, a *cli.App, dir, label string, p promotion) error {
	key, root, err := p.read(ctx, a)
	if err != nil {
		return err
	}
	if err := publish.Promote(ctx, dir, label, p.rollout.to, key, root, p.expires); err != nil {
		return err
	}
	a.Result.Done(cli.PublishedBuild(label, dir, nil, &p.rollout.to))
	return p.rollout.tell(a, label, true)
}
