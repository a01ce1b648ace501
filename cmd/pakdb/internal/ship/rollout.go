package ship

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/terminal"
)

// rollout are the flags that select the clients of a build.
type rollout struct {
	to      publish.Rollout
	share   string
	clients string
}

func (r *rollout) add(cmd *cobra.Command) {
	r.to.Channel, r.share = store.Stable, "100%"
	cli.Flag(cmd, "channel", &r.to.Channel)
	cli.Flag(cmd, "rollout", &r.share)
	cli.Flag(cmd, "clients", &r.clients)
	cli.CompleteFlag(cmd, "channel", store.Stable, "beta")
}

// read reads the share and the versions of clients.
func (r *rollout) read() (err error) {
	if r.to.Share, err = store.ParseShare(r.share); err != nil {
		return fmt.Errorf("%w: --rollout %q: want a share above 0, up to 100%%, as 0.5%%", cli.ErrUsage, r.share)
	}
	if r.clients != "" {
		var ok bool
		if r.to.Min, r.to.Max, ok = strings.Cut(r.clients, ".."); !ok || r.clients == ".." {
			return fmt.Errorf("%w: --clients %q: want A..B, A.. or ..B", cli.ErrUsage, r.clients)
		}
	}
	for _, v := range []string{r.to.Min, r.to.Max} {
		if v != "" && !store.ValidVersion(v) {
			return fmt.Errorf("%w: client version %q: want numbers with dots, as 2.10", cli.ErrUsage, v)
		}
	}
	if r.to.Min != "" && r.to.Max != "" && store.CompareVersions(r.to.Min, r.to.Max) > 0 {
		return fmt.Errorf("%w: no client has version %s or later and %s or earlier", cli.ErrUsage, r.to.Min, r.to.Max)
	}
	if !store.ValidChannel(r.to.Channel) {
		return fmt.Errorf("%w: --channel %q: it may have letters, digits and . _ + -", cli.ErrUsage, r.to.Channel)
	}
	return nil
}

// checkPlatform refuses what is no name of a platform; "" is every one.
func checkPlatform(name string) error {
	if name != "" && !store.ValidChannel(name) {
		return fmt.Errorf("%w: --platform %q: it may have letters, digits and . _ + -", cli.ErrUsage, name)
	}
	return nil
}

// tell prints which installations get the build from now on; of a new build only if that
// is not all of them.
func (r *rollout) tell(a *cli.App, label string, promoted bool) error {
	if a.Quiet || !promoted && r.to == (publish.Rollout{Channel: store.Stable, Share: store.AllChannels}) {
		return nil
	}
	clients := ""
	if r.to.Min != "" || r.to.Max != "" {
		clients = fmt.Sprintf(" (clients %s to %s)", cmp.Or(r.to.Min, "any"), cmp.Or(r.to.Max, "any"))
	}
	_, err := fmt.Fprintf(a.Stdout, "build %q is for %s of channel %s%s\n", label, store.Percent(r.to.Share), r.to.Channel, clients)
	return err
}

// following says which installation updates: flags, and what a launcher sets in the
// environment.
type following struct{ channel, platform string }

func (f *following) add(cmd *cobra.Command) {
	cli.Flag(cmd, "channel", &f.channel)
	cli.Flag(cmd, "platform", &f.platform)
	cli.CompleteFlag(cmd, "platform", "windows", "linux", "darwin")
	cli.CompleteFlag(cmd, "channel", store.Stable, "beta")
}

func (f *following) into(opt *update.RemoteOptions) error {
	client := os.Getenv("PAKDB_CLIENT_VERSION")
	if client != "" && !store.ValidVersion(client) {
		return fmt.Errorf("%w: PAKDB_CLIENT_VERSION=%s: want numbers with dots, as 2.10", cli.ErrUsage, client)
	}
	if err := checkPlatform(f.platform); err != nil {
		return err
	}
	opt.Channel, opt.Install, opt.Version, opt.Platform = f.channel, os.Getenv("PAKDB_INSTALL_ID"), client, f.platform
	return nil
}

// tellChannel reports what DIR follows, and why it does not get what is newer.
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
