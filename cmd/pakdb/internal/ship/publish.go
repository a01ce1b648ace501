package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/process"
	"pakdb/internal/regular"
)

func newPublishCommand(a *cli.App) *cobra.Command {
	var opts publishOptions
	cmd := &cobra.Command{
		Use:   "publish [flags] BUILD -o STORE",
		Short: "Publish a build as static files for updates",
		Long: `Add BUILD, a folder or a build of the catalog, to STORE: a folder that any web
server serves, or s3://BUCKET/PREFIX. A store has each content once for all
builds, and deltas from the last builds. Clients bring any folder to any build
by "pakdb update".

All clients get the last build, unless --channel, --rollout, --clients or
--platform give it to some; "pakdb store promote" changes that later. --part
makes files optional; give it with every build, or "none". With --sign clients
refuse other builds, rollbacks and expired lists. "pakdb help stores" explains
stores, parts, buckets and signatures.`,
		Example: `  pakdb publish builds/1.53 -o /srv/game --channel beta --sign release.key
  pakdb publish 1.53 -o /srv/game --part fr='*/fr/**' --part dlc='DLC*/**'
  pakdb publish 1.52 -o 's3://games/game?endpoint=https://s3.example.org'`,
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("no store: pass -o STORE"))
			}
			return runPublish(cmd.Context(), a, args[0], opts)
		},
	}
	opts.effort = "normal"
	cli.AddAllowDamaged(cmd, &opts.allowDamaged)
	cli.AddFollowOutside(cmd, &opts.outside)
	cli.Flag(cmd, "output", &opts.out)
	cmd.Flags().IntVar(&opts.deltas, "deltas", 1, "make deltas from the last `N` builds")
	cli.Flag(cmd, "effort", &opts.effort)
	cli.CompleteFlag(cmd, "effort", "fast", "normal", "best")
	cli.Flag(cmd, "build", &opts.label)
	cli.Flag(cmd, "platform", &opts.platform)
	cli.CompleteFlag(cmd, "platform", "windows", "linux", "darwin")
	cmd.Flags().StringArrayVar(&opts.parts, "part", nil, "make files optional, `NAME=PATTERN`; may repeat")
	opts.promotion.add(cmd)
	return cli.Reporting(a, cmd, cli.Published{})
}

// publishOptions are the flags of pakdb publish.
type publishOptions struct {
	promotion
	out, label   string
	platform     string
	effort       string
	deltas       int
	allowDamaged bool
	outside      bool // follow links out of the folder
	parts        []string
}

func runPublish(ctx context.Context, a *cli.App, build string, opts publishOptions) (err error) {
	effort := slices.Index(publish.Efforts(), opts.effort)
	if effort < 0 {
		return fmt.Errorf("%w: --effort %q: want fast, normal or best", cli.ErrUsage, opts.effort)
	}
	if opts.deltas < 0 {
		return fmt.Errorf("%w: --deltas %d: want a number from 0", cli.ErrUsage, opts.deltas)
	}
	if err := checkPlatform(opts.platform); err != nil {
		return err
	}
	key, root, err := opts.read(ctx, a)
	if err != nil {
		return err
	}
	parts, err := readParts(opts.parts)
	if err != nil {
		return err
	}
	files, folder, err := openPublished(ctx, a, build, regular.Shipping(opts.outside))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.close()) }()
	found, err := delta.FindDamage(ctx, a.Registry(), delta.Side{Inputs: files.inputs, Open: a.OpenOptions()})
	if err != nil {
		return err
	}
	if err := cli.RefuseDamaged(a, found, opts.allowDamaged); err != nil {
		return err
	}
	label := cmp.Or(opts.label, build)
	if folder && label == build {
		abs, err := filepath.Abs(build)
		if err != nil {
			return err
		}
		label = filepath.Base(abs)
	}
	label = store.JoinPlatform(label, opts.platform)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(publishMemory))
	started := time.Now()
	ctx, stop := a.WatchPatch(ctx)
	p, err := publish.Publish(ctx, opts.out, label, files.inputs,
		&publish.Options{Registry: a.Registry(), Open: a.OpenOptions(), Key: key, Root: root, Expiry: opts.expires, Deltas: opts.deltas, Effort: publish.Effort(effort), Parts: parts, NoParts: slices.Equal(opts.parts, []string{noParts}), Rollout: opts.rollout.to, Sums: files.sums, By: process.Version().Short(), Damaged: codecs.DamageTexts(found)})
	stop()
	if err != nil {
		return err
	}
	a.Result.Done(cli.PublishedBuild(label, opts.out, p, &opts.rollout.to))
	if key != nil {
		t, err := publish.ReadTrust(ctx, opts.out, root)
		if err == nil {
			warnOfExpiry(a, t)
		} else if !errors.Is(err, store.ErrUnsigned) {
			return err
		}
	}
	if a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "build %q: %s, %s; new in the store: %s in %s, %s; %s; in %v\n", label, cli.Plural(int64(p.Files), "file", "files"),
		cli.HumanSize(p.Size), cli.Plural(int64(p.Chunks), "chunk", "chunks"), cli.Plural(int64(p.Packs), "pack", "packs"), cli.HumanSize(p.Written),
		cli.Plural(int64(p.Deltas+p.Whole), "patch", "patches")+" and "+cli.Plural(int64(p.ContentDeltas), "delta", "deltas"), time.Since(started).Round(time.Millisecond))
	if err != nil {
		return err
	}
	return opts.rollout.tell(a, label, false)
}

func newStoreCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "store",
		Short: "List, check, prune and sign published builds",
		Long:  `List, check, prune, promote and sign the builds that "pakdb publish" wrote.`,
		Example: `  pakdb store list /srv/game
  pakdb store check /srv/game`,
	}, newStoreListCommand(a), newStoreCheckCommand(a), newStoreCopyCommand(a), newStorePruneCommand(a), newStorePromoteCommand(a),
		newStoreSignCommand(a), newStoreKeysCommand(a))
}

func newStoreCheckCommand(a *cli.App) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "check [flags] STORE",
		Short: "Verify all data of a store by its hashes",
		Long: `Read every pack, object and manifest of a store: all chunks have their hashes,
and every build can be made of them. Each finding is a line; the exit code is 1
if there are any. With --trust every manifest must be signed by that key.`,
		Example: `  pakdb store check /srv/game --trust release.key.pub
  pakdb store check /srv/game --format json`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStoreCheck(cmd.Context(), a, args[0], key)
		},
	}
	cli.Flag(cmd, "trust", &key)
	return cli.Reporting(a, cmd, cli.CheckedStore{})
}

func runStoreCheck(ctx context.Context, a *cli.App, dir, key string) (err error) {
	var public *delta.PublicKey
	if key != "" {
		if public, err = delta.ReadPublicKey(key); err != nil {
			return fmt.Errorf("%w: %w", cli.ErrUsage, err)
		}
	}
	found := 0
	finding := func(name string, err error) {
		found++
		p := cli.Of("", nil, err)
		p.Path = &name
		a.Result.Add(p)
		a.ClearLine()
		_, _ = fmt.Fprintf(a.Stdout, "%s: %v\n", name, err)
	}
	watched, stop := a.WatchPatch(ctx)
	c, err := publish.Check(watched, dir, finding)
	stop()
	if err != nil {
		return err
	}
	signed, manifests, err := publish.CheckSignatures(ctx, dir, public, finding)
	if err != nil {
		return err
	}
	if found == 0 {
		err = findExpired(ctx, dir, finding)
	}
	if err != nil {
		return err
	}
	a.Result.Done(cli.CheckedStore{Builds: c.Builds, Files: c.Files, Size: c.Size, Packs: c.Packs, Stored: c.Stored, Signed: signed})
	if found > 0 {
		return cli.ErrProblems
	}
	if a.Quiet {
		return nil
	}
	signatures := "not signed"
	switch {
	case public != nil:
		signatures = "all signed by the owner of that key"
	case signed > 0:
		signatures = fmt.Sprintf("%d of %d manifests signed, by a key that was not given: --trust checks that", signed, manifests)
	}
	_, err = fmt.Fprintf(a.Stdout, "sound: %s of %s, %s, made of %s, %s; %s\n", cli.Plural(int64(c.Builds), "build", "builds"), cli.Plural(int64(c.Files), "file", "files"),
		cli.HumanSize(c.Size), cli.Plural(int64(c.Packs), "pack", "packs"), cli.HumanSize(c.Stored), signatures)
	return err
}

// publishMemory is where garbage is collected more often. Of what a store has some 45 bytes are
// held for each chunk of 8 KiB: with less than this a build of 10 GB is collected all the time.
const publishMemory = 208 << 20
