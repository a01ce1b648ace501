package ship

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/terminal"
)

// rollout are the flags that say who gets a build.
type rollout struct {
	to      publish.Rollout
	share   string
	promote bool
}

func (r *rollout) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.to.Channel, "channel", store.Stable, "give the build to those who follow channel `NAME`")
	cmd.Flags().StringVar(&r.share, "rollout", "100%", "give it to this `SHARE` of them, as 10%; the others keep what they have")
	cmd.Flags().StringVar(&r.to.Min, "min-client", "", "give it only to clients of this `VERSION` or later (pakdb update --client-version)")
	cmd.Flags().StringVar(&r.to.Max, "max-client", "", "give it only to clients of this `VERSION` or earlier")
	cmd.Flags().BoolVar(&r.promote, "promote", false, "BUILD is in the store: only say who gets it")
	cli.CompleteFlag(cmd, "channel", store.Stable, "beta")
}

// read reads the share.
func (r *rollout) read() (err error) {
	if r.to.Share, err = store.ParseShare(r.share); err != nil {
		return fmt.Errorf("%w: --rollout %q: above 0 and up to 100%%, as 10%% or 0.5%%", cli.ErrUsage, r.share)
	}
	for _, v := range []string{r.to.Min, r.to.Max} {
		if v != "" && !store.ValidVersion(v) {
			return fmt.Errorf("%w: a client version is numbers with dots, as 2.10: %q", cli.ErrUsage, v)
		}
	}
	if r.to.Min != "" && r.to.Max != "" && store.CompareVersions(r.to.Min, r.to.Max) > 0 {
		return fmt.Errorf("%w: no client has version %s or later and %s or earlier", cli.ErrUsage, r.to.Min, r.to.Max)
	}
	if !store.ValidChannel(r.to.Channel) {
		return fmt.Errorf("%w: --channel %q: letters, digits, and . _ + - may be in it", cli.ErrUsage, r.to.Channel)
	}
	return nil
}

// checkPlatform refuses what is no name of a platform; "" is every one.
func checkPlatform(name string) error {
	if name != "" && !store.ValidChannel(name) {
		return fmt.Errorf("%w: --platform %q: letters, digits, and . _ + - may be in it", cli.ErrUsage, name)
	}
	return nil
}

// tell tells who gets the build from now on, if it is not everybody.
func (r *rollout) tell(a *cli.App, label string) error {
	if a.Quiet || !r.promote && r.to == (publish.Rollout{Channel: store.Stable, Share: store.AllChannels}) {
		return nil
	}
	clients := ""
	if r.to.Min != "" || r.to.Max != "" {
		clients = fmt.Sprintf(" (clients %s to %s)", cmp.Or(r.to.Min, "any"), cmp.Or(r.to.Max, "any"))
	}
	_, err := fmt.Fprintf(a.Stdout, "build %q is for %s of channel %s%s\n", label, store.Percent(r.to.Share), r.to.Channel, clients)
	return err
}

// following are the flags of who updates.
type following struct{ channel, install, client, platform string }

func (f *following) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.channel, "channel", "", "follow channel `NAME` from now on (default: what DIR follows, or else stable)")
	cmd.Flags().StringVar(&f.install, "install-id", "", "`ID` of the installation, which decides when it gets a build that comes by and by (default: DIR's own)")
	cmd.Flags().StringVar(&f.platform, "platform", "", "get builds for platform `NAME` from now on (default: what DIR remembers, or else this system: windows, linux, darwin)")
	cli.CompleteFlag(cmd, "platform", "windows", "linux", "darwin")
	cmd.Flags().StringVar(&f.client, "client-version", "", "`VERSION` of the program that updates, for builds that are for some")
	cli.CompleteFlag(cmd, "channel", store.Stable, "beta")
}

func (f *following) into(opt *update.RemoteOptions) error {
	if f.client != "" && !store.ValidVersion(f.client) {
		return fmt.Errorf("%w: --client-version %q: numbers with dots, as 2.10", cli.ErrUsage, f.client)
	}
	if err := checkPlatform(f.platform); err != nil {
		return err
	}
	opt.Channel, opt.Install, opt.Version, opt.Platform = f.channel, f.install, f.client, f.platform
	return nil
}

// tellChannel tells what DIR follows, and why it does not get what is newer.
func tellChannel(a *cli.App, r *update.Remote) {
	name, passed := r.Channel()
	if a.Quiet || name == "" {
		return
	}
	_, _ = fmt.Fprintf(a.Stdout, "channel %s\n", terminal.Printable(name))
	for _, p := range passed {
		_, _ = fmt.Fprintf(a.Stdout, "not yet build %q: %s\n", p.Build, terminal.Printable(p.Why))
	}
}
