package ship

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/regular"
	"pakdb/internal/version"
)

func newPublishCommand(a *cli.App) *cobra.Command {
	opts := publishOptions{expires: publish.DefaultExpiry}
	cmd := &cobra.Command{
		Use:   "publish [flags] BUILD -o STORE",
		Short: "Publish a build as static files for updates",
		Long: `Add BUILD, a folder or the label of a build in the catalog, to STORE: a folder that
any web server serves, or a bucket of S3, s3://BUCKET/PREFIX. Of a build in the
catalog the files are those that were indexed, where they were; one that has changed
since is refused. Symbolic links to files and folders below the folder are followed; all
others are refused, but for those that --follow-outside takes.

A store holds decoded contents, cut into chunks and packed, each once for
all builds, and for each build how its files are made of them, bit for bit; and
deltas from the last builds: of contents, wherever a client has the old ones, and
of whole files, for clients that have exactly these.

A build with an archive that is damaged as a whole (no footer, a damaged index, cut
short, not readable, a .ucas missing) is refused; with --allow-damaged it is
published as it is, and its manifest names the archive.

Any number of publishers may write to a bucket at once. ?endpoint=URL names another
service than Amazon's, &region=NAME its region. The keys are AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN in the environment.

With --sign the store gets signed metadata, as TUF has it: clients then refuse other
builds, earlier states, and a list of builds that has expired. Publish or run "pakdb
store renew" before that: it is good for --expires, 30 days by default.

Clients bring any folder to any build of the store by "pakdb update", whatever
version, mix or mod they have.

All clients get the last build, until one is given to some: to those who follow another
--channel than stable, or to a --rollout of them; the others keep what they have.
--promote gives a build of the store to more of them, to another channel, or to all
again after a later one, and uploads nothing. The same clients stay in as the share
grows.

With --platform the build is for that platform alone, LABEL@NAME: each has its own build
of a label, its own last build, and its own releases in channels. What they share is
stored once.

--part names files that a client may leave out, a language or DLC, by a pattern as "pakdb
diff" takes it: * and ? stay within a folder, ** goes across. The files of no part are
for all; one of several parts is there if one of these is. What a client does with parts
is "pakdb update --with" and "--without". Name the parts with every build: one without,
after a build with parts, is refused unless --no-parts is given.

--effort is for patches of whole files. "fast" makes none, and packs contents in a
quarter of the CPU, 3 to 8 % larger; "normal" makes those from earlier files, and
from nothing where much is gained; "best" makes them all, as small as can be, for
ten times the CPU: new players then fetch up to a quarter less.`,
		Example: `  pakdb publish builds/1.52 -o /srv/game
  pakdb publish 1.52 -o /srv/game      # as it was indexed
  pakdb publish builds/1.52 -o /srv/game --effort best
  pakdb publish builds/1.53 -o /srv/game --channel beta
  pakdb publish win/1.53 -o /srv/game --platform windows
  pakdb publish 1.53 -o /srv/game --part fr='*/fr/**' --part dlc='DLC*/**'
  pakdb publish 1.53 -o /srv/game --promote --rollout 10%
  pakdb publish 1.53 -o /srv/game --promote
  pakdb publish builds/current --label 1.53-beta -o /srv/game --sign release.key
  pakdb publish 1.52 -o 's3://games/game?endpoint=https://s3.example.org'`,
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.Completing(a, cli.CompleteBuilds),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("publish where to? pass -o STORE"))
			}
			if opts.rollout.promote {
				if err := onlyPromotes(cmd); err != nil {
					return err
				}
				return runPromote(cmd.Context(), a, args[0], opts)
			}
			return runPublish(cmd.Context(), a, args[0], opts)
		},
	}
	cli.AddAllowDamaged(cmd, &opts.allowDamaged)
	cli.AddFollowOutside(cmd, &opts.outside)
	cmd.Flags().StringVarP(&opts.out, "output", "o", "", "folder or s3:// of the `STORE`")
	cmd.Flags().IntVar(&opts.deltas, "deltas", 1, "make deltas from the last `N` builds")
	cmd.Flags().StringVar(&opts.effort, "effort", "normal", "patches of whole files with `EFFORT`: fast, normal, best")
	cli.CompleteFlag(cmd, "effort", "fast", "normal", "best")
	opts.sign.add(cmd, "sign the build with the secret key in `FILE` (pakdb keygen)")
	cmd.Flags().StringVar(&opts.root, "root", "", "the store's root of signed metadata, in `FILE`, if the key is none of the root's")
	cmd.Flags().Var((*days)(&opts.expires), "expires", "clients take the signed list of builds for this `TIME`: 30d, 12h")
	cmd.Flags().StringVar(&opts.label, "label", "", "`LABEL` of the build in the store (default: that in the catalog, or the folder's name)")
	cmd.Flags().StringVar(&opts.platform, "platform", "", "the build is for platform `NAME` alone, as windows; others have builds of the same label")
	cli.CompleteFlag(cmd, "platform", "windows", "linux", "darwin")
	cmd.Flags().StringArrayVar(&opts.parts, "part", nil, "clients may leave out the files of the optional part `NAME=PATTERN`, as fr='Localization/fr/**'; may repeat")
	cmd.Flags().BoolVar(&opts.noParts, "no-parts", false, "the build has no optional parts, though the one before has")
	cmd.MarkFlagsMutuallyExclusive("part", "no-parts")
	opts.rollout.add(cmd)
	return cli.Reporting(a, cmd, cli.Published{})
}

// publishOptions are the flags of pakdb publish.
type publishOptions struct {
	out, label   string
	effort       string
	sign         secretKey
	deltas       int
	allowDamaged bool
	outside      bool // follow links out of the folder
	root         string
	expires      time.Duration
	rollout      rollout
	platform     string
	parts        []string
	noParts      bool
}

// read reads what the flags name: who gets the build, the key that signs, and a root.
func (o *publishOptions) read(ctx context.Context, a *cli.App) (key *delta.SecretKey, root []byte, err error) {
	if err = errors.Join(o.rollout.read(), checkPlatform(o.platform)); err == nil {
		key, err = o.sign.read(ctx, a)
	}
	if err == nil {
		root, err = readRoot(o.root)
	}
	return key, root, err
}

func runPublish(ctx context.Context, a *cli.App, build string, opts publishOptions) (err error) {
	effort := slices.Index(publish.Efforts(), opts.effort)
	if effort < 0 {
		return fmt.Errorf("%w: --effort %q: fast, normal and best are", cli.ErrUsage, opts.effort)
	}
	if opts.deltas < 0 {
		return fmt.Errorf("%w: --deltas %d: from 0 builds or more", cli.ErrUsage, opts.deltas)
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
	found, err := inside.FindDamage(ctx, a.Registry(), inside.Side{Inputs: files.inputs, Open: a.OpenOptions()})
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
	debug.SetMemoryLimit(publishMemory)
	started := time.Now()
	ctx, stop := a.WatchPatch(ctx)
	p, err := publish.Publish(ctx, opts.out, label, files.inputs,
		&publish.Options{Registry: a.Registry(), Open: a.OpenOptions(), Key: key, Root: root, Expiry: opts.expires, Deltas: opts.deltas, Effort: publish.Effort(effort), Parts: parts, NoParts: opts.noParts, Rollout: opts.rollout.to, Sums: files.sums, By: version.Current().Short(), Damaged: codecs.DamageTexts(found)})
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
	return opts.rollout.tell(a, label)
}

// onlyPromotes are the flags of pakdb publish that say how a build is made.
func onlyPromotes(cmd *cobra.Command) error {
	for _, name := range []string{"deltas", "effort", "label", "allow-damaged", "follow-outside", "part", "no-parts"} {
		if cmd.Flags().Changed(name) {
			return cli.UsageError(cmd, fmt.Errorf("--promote publishes nothing: --%s is of no use", name))
		}
	}
	return nil
}

// runPromote says who gets a build that is in the store.
func runPromote(ctx context.Context, a *cli.App, label string, opts publishOptions) error {
	key, root, err := opts.read(ctx, a)
	if err != nil {
		return err
	}
	label = store.JoinPlatform(label, opts.platform)
	if err := publish.Promote(ctx, opts.out, label, opts.rollout.to, key, root, opts.expires); err != nil {
		return err
	}
	a.Result.Done(cli.PublishedBuild(label, opts.out, nil, &opts.rollout.to))
	return opts.rollout.tell(a, label)
}

func newStoreCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "store",
		Short: "List, check, prune and sign what was published",
		Long:  `Look after a store that "pakdb publish" made.`,
		Example: `  pakdb store list /srv/game
  pakdb store check /srv/game
  pakdb store prune --keep 5 /srv/game`,
	}, newStoreListCommand(a), newStoreStatsCommand(a), newStoreCheckCommand(a), newStorePruneCommand(a),
		newStoreTrustCommand(a), newStoreSignCommand(a), newStoreRenewCommand(a), newStoreRotateCommand(a))
}

func newStoreListCommand(a *cli.App) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list STORE",
		Short: "List the builds of a store",
		Long: `List the builds of a store in the order in which they were published:
files and their size, and how much a folder of the build before downloads at most;
of the first build that is all of it. "pakdb update --dry-run" tells it for a folder
that you have.`,
		Example: `  pakdb store list /srv/game
  pakdb store list /srv/game --format json | jq -r '.[-1].build'`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			builds, err := publish.List(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			rows, err := a.Rows(format, "build", "published", "files", "size", "previous", "download", "signed", "damaged", "channels", "parts")
			if err != nil {
				return err
			}
			for _, b := range builds {
				size, download, signed := driver.Value(b.Size), driver.Value(b.Download), driver.Value(cli.Bit(b.Signed))
				if format == "" {
					size, download, signed = cli.HumanSize(b.Size), cli.HumanSize(b.Download), "no"
					if b.Signed {
						signed = "yes"
					}
				}
				if err := rows.Write(b.Label, b.Time.UTC().Format(time.RFC3339), int64(b.Files), size, cli.TextOrNull(b.From), download, signed, int64(len(b.Damaged)), strings.Join(b.Given, ", "), strings.Join(b.Parts, ", ")); err != nil {
					return err
				}
			}
			return rows.Close()
		},
	}
	cli.AddFormat(cmd, &format)
	return cmd
}

func newStoreCheckCommand(a *cli.App) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "check STORE",
		Short: "Read a whole store and compare it with its hashes",
		Long: `Read every pack, object and manifest of a store: all chunks have their hashes, and
every build can be made of what is there. Each finding is a line; the exit code is
1 when there are any. With --key every manifest must be signed by that key.`,
		Example: `  pakdb store check /srv/game --key release.key.pub
  pakdb store check /srv/game --format json`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStoreCheck(cmd.Context(), a, args[0], key)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "every manifest must be signed by this public `KEY`: the key or its file")
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
		signatures = fmt.Sprintf("%d of %d manifests signed, by a key that was not given: --key checks that", signed, manifests)
	}
	_, err = fmt.Fprintf(a.Stdout, "sound: %s of %s, %s, made of %s, %s; %s\n", cli.Plural(int64(c.Builds), "build", "builds"), cli.Plural(int64(c.Files), "file", "files"),
		cli.HumanSize(c.Size), cli.Plural(int64(c.Packs), "pack", "packs"), cli.HumanSize(c.Stored), signatures)
	return err
}

// publishMemory is where garbage is collected more often. Of what a store has some 45 bytes are
// held for each chunk of 8 KiB: with less than this a build of 10 GB is collected all the time.
const publishMemory = 208 << 20
