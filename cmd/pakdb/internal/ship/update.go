package ship

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/terminal"
)

func newUpdateCommand(a *cli.App) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update [flags] DIR [--from STORE]",
		Short: "Bring a folder to a published build",
		Long: `Bring DIR to a build of a store: a URL, a folder or s3://. DIR may hold any
version, a mix, mods or nothing. Contents are found by their hashes; only
missing ones are fetched and verified. The cost is printed first. Files that
only other builds had are removed; changed ones stay unless --clean, unknown
ones always. Repeat an interrupted update. --fetch-only preloads: the build is
fetched, DIR stays as it is, and "pakdb update DIR" needs no network later.

DIR remembers channel, platform and parts (--parts fr,-de; all, -all), and the
keys of a signed store: later updates refuse other keys, rollbacks and expired
metadata. The first takes the keys from --trust, else from the store. See
"pakdb help stores".`,
		Example: `  pakdb update ~/game --from https://cdn.example.org/game --trust root.json
  pakdb update ~/game --from https://cdn.example.org/game --parts=-all,fr
  pakdb update ~/game --from /srv/game --fetch-only && pakdb update ~/game`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(o.from) == 0 && (o.fetchOnly || !update.Preloaded(args[0])) {
				return cli.UsageError(cmd, errors.New("no store: pass --from STORE"))
			}
			return runUpdate(cmd.Context(), a, args[0], o)
		},
	}
	cmd.Flags().StringArrayVar(&o.from, "from", nil, "the store at `URL`; may repeat for copies of it")
	cli.Flag(cmd, "build", &o.build)
	cmd.Flags().Var(&o.rate, "limit-rate", "fetch at most `SIZE` a second, as 2M")
	cmd.Flags().BoolVar(&o.clean, "clean", false, "move changed files of other builds aside")
	cmd.Flags().BoolVar(&o.overlay, "overlay", false, "keep archives, write one mounted over them")
	cmd.Flags().BoolVar(&o.keep, "keep-patches", false, "with --overlay: keep patches of earlier builds")
	cmd.Flags().BoolVar(&o.fetchOnly, "fetch-only", false, "preload the build, and change no file of DIR")
	cli.Flag(cmd, "trust", &o.trust)
	cmd.Flags().StringSliceVar(&o.allow, "allow", nil, "accept such metadata: `expired,rollback`")
	cli.Flag(cmd, "dry-run", &o.dryRun)
	cli.AddFormat(cmd, &o.format, "json")
	o.following.add(cmd)
	cmd.Flags().StringSliceVar(&o.parts, "parts", nil, "have `PARTS` of builds from now on, as fr,-de")
	cli.CompleteFlag(cmd, "allow", "expired", "rollback")
	return cli.Reporting(a, cmd, cli.Updated{})
}

// updateOptions are the flags of pakdb update.
type updateOptions struct {
	from          []string
	build, format string
	trust         string
	allow         []string
	rate          cli.ByteSize
	dryRun, clean bool
	overlay, keep bool
	fetchOnly     bool
	following     following
	parts         []string
}

func runUpdate(ctx context.Context, a *cli.App, dir string, o updateOptions) (err error) {
	opt := update.RemoteOptions{Rate: int64(o.rate), Others: o.from, Preloaded: dir, Keep: o.fetchOnly,
		Slow: func(text string) { a.ClearLine(); a.Warn(text) }}
	if err := o.following.into(&opt); err != nil {
		return err
	}
	if err := opt.Allow(o.allow); err != nil {
		return fmt.Errorf("%w: --allow %w", cli.ErrUsage, err)
	}
	choice, err := store.ParseChoice(o.parts)
	if err != nil {
		return fmt.Errorf("--parts: %w", err)
	}
	if err := opt.Trust(o.trust); err != nil {
		return fmt.Errorf("%w: --trust: %w", cli.ErrUsage, err)
	}
	r, err := update.OpenRemote("", opt)
	if err != nil {
		return err
	}
	for _, from := range o.from {
		if doubt := store.Doubt(from, opt.Key != nil || opt.Root != nil || update.Remembers(dir)); doubt != "" && !a.Quiet {
			a.Warn(doubt)
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(updateMemory))
	started := time.Now()
	planning, stop := a.WatchPatch(ctx)
	folder, plan, err := update.Prepare(planning, r, dir, update.Options{Label: o.build, Parts: choice, Clean: o.clean, Overlay: o.overlay, Keep: o.keep, Registry: a.Registry(), Open: a.OpenOptions()})
	stop()
	if err != nil {
		return recoverHint(err, dir)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	for _, doubt := range r.Doubts() {
		if !a.Quiet {
			a.Warn(doubt)
		}
	}
	if o.format == "" {
		tellChannel(a, r)
	}
	tellParts(a, folder, o.format == "")
	if o.format != "" && o.dryRun {
		e := json.NewEncoder(a.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(plan)
	}
	if err := printBill(a, plan); err != nil || o.dryRun {
		return err
	}
	applying, stop := a.WatchPatch(ctx)
	if o.fetchOnly {
		err = folder.Fetch(applying, plan, nil)
	} else {
		err = folder.Apply(applying, plan, nil)
	}
	if stop(); err != nil {
		return err
	}
	if o.fetchOnly {
		return printPreloaded(a, dir, plan, r)
	}
	a.Result.Done(cli.UpdatedFolder(dir, plan, r))
	if a.Quiet {
		return nil
	}
	if err := printOverlay(a, plan.Overlay); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "done: %s is build %q; fetched %s in %s, in %v\n", dir, plan.Build, cli.HumanSize(r.Fetched()),
		cli.Plural(r.Requests(), "request", "requests"), time.Since(started).Round(time.Millisecond))
	if wrong, vain := r.Wrong(); wrong > 0 && err == nil {
		_, err = fmt.Fprintf(a.Stdout, "%s wrong and asked for again: %s in vain\n", cli.Plural(wrong, "answer was", "answers were"), cli.HumanSize(vain))
	}
	return err
}

// printPreloaded reports which build waits to be installed.
func printPreloaded(a *cli.App, dir string, p *update.Plan, r *update.Remote) error {
	res := cli.UpdatedFolder(dir, p, r)
	res.Preloaded, res.Written = true, 0
	a.Result.Done(res)
	if a.Quiet {
		return nil
	}
	_, err := fmt.Fprintf(a.Stdout, "preloaded: build %q for %s, which stays as it is; fetched %s in %s\n", p.Build, dir, cli.HumanSize(r.Fetched()),
		cli.Plural(r.Requests(), "request", "requests"))
	return err
}

// printOverlay reports which archive was made for the folder.
func printOverlay(a *cli.App, o *update.Overlay) error {
	if o == nil {
		return nil
	}
	if len(o.Stays) > 0 {
		a.Warn(fmt.Sprintf("%s of earlier builds stay visible: archives of their format cannot hold delete records", cli.Plural(int64(len(o.Stays)), "file", "files")))
	}
	if len(o.Made) == 0 {
		_, err := fmt.Fprintln(a.Stdout, "overlay: none was made")
		return err
	}
	for _, m := range o.Made {
		if _, err := fmt.Fprintf(a.Stdout, "overlay: %s, %s\n", terminal.Printable(m.Path), cli.HumanSize(m.Size)); err != nil {
			return err
		}
	}
	return nil
}

// updateMemory is where garbage is collected more often, so that an update stays
// below 256 MB. What it holds of a store is bounded by package store.
const updateMemory = 192 << 20

// printBill reports what an update costs, and which files stay that are not the
// build's.
func printBill(a *cli.App, p *update.Plan) error {
	if a.Quiet {
		return nil
	}
	b := p.Bill
	for _, name := range p.Keep {
		if slices.Contains(p.Altered, name) {
			_, _ = fmt.Fprintf(a.Stdout, "stays: %s, which only other builds or parts have and which was changed since; --clean moves it aside\n", terminal.Printable(name))
			continue
		}
		_, _ = fmt.Fprintf(a.Stdout, "stays: %s, which is not of this build and was not published\n", terminal.Printable(name))
	}
	for _, m := range p.Aside {
		_, _ = fmt.Fprintf(a.Stdout, "moves aside: %s, which only other builds or parts have and which was changed since, to %s\n", terminal.Printable(m.Path), terminal.Printable(m.To))
	}
	_, err := fmt.Fprintf(a.Stdout, "build %q: %s, %d changed, %d new, %d to be removed; %d by a patch\n"+
		"to fetch: %s in %s, after %s of lists\n", p.Build, cli.Plural(int64(b.Same), "file as it is", "files as they are"), b.Changed, b.New, b.Gone, b.ByDelta,
		cli.HumanSize(b.Fetch), cli.Plural(int64(b.Requests), "request", "requests"), cli.HumanSize(b.Known))
	if err == nil && b.Local+b.Missing > 0 {
		_, err = fmt.Fprintf(a.Stdout, "contents: %s from the folder's own files, with %s; %s from the store\n",
			cli.HumanSize(b.Local), cli.Plural(int64(b.Coded), "delta", "deltas"), cli.HumanSize(b.Missing))
	}
	if err == nil && b.Reused+b.Stale > 0 {
		_, err = fmt.Fprintf(a.Stdout, "left by an earlier try: %s that are of use, %s that are not and will be removed\n", cli.HumanSize(b.Reused), cli.HumanSize(b.Stale))
	}
	if err == nil && b.Looked > 0 {
		_, err = fmt.Fprintf(a.Stdout, "read for contents that may have moved: %s of unchanged files\n", cli.HumanSize(b.Looked))
	}
	var last []string
	if p.Overlay == nil { // how far an overlay will compress is not known yet
		last = append(last, "to write: "+cli.HumanSize(b.Write))
	}
	if b.Free >= 0 {
		last = append(last, "the disk has room for "+cli.HumanSize(b.Free))
	}
	if err == nil && len(last) > 0 {
		_, err = fmt.Fprintln(a.Stdout, strings.Join(last, "; "))
	}
	return err
}
