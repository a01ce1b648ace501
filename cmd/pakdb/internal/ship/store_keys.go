package ship

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

// days is a flag for a time that may be in days.
type days time.Duration

func (d *days) String() string {
	if t := time.Duration(*d); t%(24*time.Hour) != 0 {
		return t.String()
	}
	return strconv.Itoa(int(time.Duration(*d)/(24*time.Hour))) + "d"
}

// Type is what help calls it.
func (d *days) Type() string { return "time" }

// Set reads 30d, or what time.ParseDuration reads.
func (d *days) Set(text string) error {
	t, err := time.ParseDuration(text)
	if n, ok := strings.CutSuffix(text, "d"); ok {
		var count uint64
		count, err = strconv.ParseUint(n, 10, 12)
		t = time.Duration(count) * 24 * time.Hour
	}
	if err != nil || t < time.Minute || t > 10*365*24*time.Hour {
		return fmt.Errorf("%q is no time from 1m to 3650d", text)
	}
	*d = days(t)
	return nil
}

// readRoot reads a root of signed metadata; of no file it is nil.
func readRoot(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	return os.ReadFile(file)
}

func newStoreKeysCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "keys",
		Short: "Generate keys, and say which may sign a store",
		Long: `Generate key pairs, and list or change the keys that may sign a store. The
roles are those of TUF: "root" names the keys of all roles, "targets" the
builds, "snapshot" the current targets, "timestamp" until when the snapshot is
current.`,
		Example: `  pakdb store keys new release.key
  pakdb store keys list /srv/game`,
	}, newKeysNewCommand(a), newKeysListCommand(a), newKeysChangeCommand(a))
}

func newKeysListCommand(a *cli.App) *cobra.Command {
	var format, root string
	cmd := &cobra.Command{
		Use:   "list [flags] STORE",
		Short: "List the keys that may sign a store",
		Long: `List the roles of the signed metadata of a store: version, expiry, how many
keys must sign, and the ids of the keys that may. The metadata is verified as a
client does that begins with the root of --trust, or with the store's first
root. The file trust/N.root.json with the largest N is the one that players'
machines need.`,
		Example: `  pakdb store keys list /srv/game
  pakdb store keys list /srv/game --trust root.json --format json`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			first, err := readRoot(root)
			if err != nil {
				return err
			}
			t, err := publish.ReadTrust(cmd.Context(), args[0], first)
			if err != nil {
				return err
			}
			rows, err := a.Rows(format, "role", "version", "expires", "threshold", "keys")
			if err != nil {
				return err
			}
			for _, role := range publish.Roles() {
				r := t.Root.Roles[role]
				ids := r.KeyIDs
				if format == "" {
					ids = nil
					for _, id := range r.KeyIDs {
						ids = append(ids, id[:min(16, len(id))])
					}
				}
				if err := rows.Write(role, t.Version[role], t.Expires[role].Format(time.RFC3339), int64(r.Threshold), strings.Join(ids, " ")); err != nil {
					return err
				}
			}
			return rows.Close()
		},
	}
	cli.Flag(cmd, "trust", &root)
	cli.AddFormat(cmd, &format)
	return cmd
}

// signFlags are those of commands that sign what is in a store.
type signFlags struct {
	sign    secretKey
	root    string
	expires time.Duration
}

func (f *signFlags) add(cmd *cobra.Command) {
	f.expires = publish.DefaultExpiry
	cli.Flag(cmd, "sign", &f.sign.file)
	cli.Flag(cmd, "trust", &f.root)
	cli.Flag(cmd, "expires", (*days)(&f.expires))
}

// do signs, by a function of package publish.
func (f *signFlags) do(cmd *cobra.Command, a *cli.App, dir string, sign func(context.Context, string, *delta.SecretKey, publish.SignOptions) error) error {
	key, err := f.sign.read(cmd.Context(), a)
	if err != nil {
		return err
	}
	if key == nil {
		return cli.UsageError(cmd, errors.New("no key to sign with: pass --sign FILE"))
	}
	root, err := readRoot(f.root)
	if err != nil {
		return err
	}
	if err := sign(cmd.Context(), dir, key, publish.SignOptions{Root: root, Expiry: f.expires}); err != nil {
		return err
	}
	t, err := publish.ReadTrust(cmd.Context(), dir, root)
	if err != nil {
		return err
	}
	if warnOfExpiry(a, t); a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s are signed, and good until %s\n", cli.Plural(int64(len(t.Builds)), "build", "builds"), t.Expires[publish.RoleTimestamp].Format(time.RFC3339))
	return err
}

func newStoreSignCommand(a *cli.App) *cobra.Command {
	var f signFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "sign [flags] STORE|FILE.pkdelta --sign KEY",
		Short: "Sign a store again before signatures expire, or a patch",
		Long: `Sign the timestamp of STORE again, and other metadata that expires soon if the
key may. Clients refuse a store whose signatures have expired: run this from a
timer, more often than that.

--all signs every build of the list, whatever signed it before, of a store that
is not signed or whose keys changed; run "pakdb store check" first if others
can write to the store. A store without signatures gets its first root, in
which this key may sign everything. A FILE.pkdelta gets the signature of the
key in place of another.`,
		Example: `  pakdb store sign s3://games/game --sign timestamp.key --expires 7d
  pakdb store sign /srv/game --sign release.key --all
  pakdb store sign game.pkdelta --sign release.key`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.sign.file == "" {
				return cli.UsageError(cmd, errors.New("no key to sign with: pass --sign FILE"))
			}
			if st, err := os.Stat(args[0]); err == nil && st.Mode().IsRegular() {
				return f.signPatch(cmd, a, args[0])
			}
			sign := publish.Renew
			if all {
				sign = publish.Sign
			}
			err := f.do(cmd, a, args[0], sign)
			if errors.Is(err, store.ErrUnsigned) && !all {
				err = cli.WithHint(err, "--all signs every build of the store as it is")
			}
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "sign every build, whatever signed it before")
	return cmd
}

// signPatch signs a transport patch, which takes none of the flags of stores.
func (f *signFlags) signPatch(cmd *cobra.Command, a *cli.App, file string) error {
	for _, name := range []string{"all", "trust", "expires"} {
		if cmd.Flags().Changed(name) {
			return cli.UsageError(cmd, fmt.Errorf("--%s is for stores, and %s is a file", name, file))
		}
	}
	key, err := f.sign.read(cmd.Context(), a)
	if err != nil {
		return err
	}
	return delta.SignFile(cmd.Context(), file, key)
}

// changeFlags are those of pakdb store keys change.
type changeFlags struct {
	sign   []string
	add    []string
	change publish.RootChange
	draft  string
}

func newKeysChangeCommand(a *cli.App) *cobra.Command {
	var f changeFlags
	cmd := &cobra.Command{
		Use:   "change [flags] STORE --sign KEY...",
		Short: "Change the keys that may sign a store",
		Long: `Write the next root of STORE: with other keys or another threshold for a role,
or, without a change, valid for another year. --role publish means targets,
snapshot and timestamp. It must be signed by as many keys of the last
root as its threshold says, and by as many of its own. A stolen key is removed
in the same way.

--draft keeps a root that more keys must sign in FILE; the owner of the next
key repeats the command with it. If the keys may publish too, the list of
builds is signed again at once, else by "pakdb store sign --all". Never delete
trust/*.root.json.`,
		Example: `  pakdb store keys change /srv/game --sign a.key --role root --add b.key.pub
  pakdb store keys change /srv/game --sign b.key --draft next
  pakdb store keys change /srv/game --sign a.key --role publish --remove 1f0c`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.sign) == 0 {
				return cli.UsageError(cmd, errors.New("no key to sign with: pass --sign FILE"))
			}
			return f.run(cmd.Context(), a, args[0])
		},
	}
	cli.Flag(cmd, "sign", &f.sign)
	cmd.Flags().StringVar(&f.change.Role, "role", "", "the `ROLE`: root, publish, targets, snapshot, timestamp")
	cli.CompleteFlag(cmd, "role", append(publish.Roles(), publish.RolePublish)...)
	cmd.Flags().StringArrayVar(&f.add, "add", nil, "add the public `KEY` to the role; may repeat")
	cmd.Flags().StringArrayVar(&f.change.Remove, "remove", nil, "remove the key that begins with `ID`; may repeat")
	cmd.Flags().IntVar(&f.change.Threshold, "threshold", 0, "`N` keys of the root must sign it")
	cmd.Flags().StringVar(&f.draft, "draft", "", "keep a root that more keys must sign in `FILE`")
	return cmd
}

func (f *changeFlags) run(ctx context.Context, a *cli.App, dir string) error {
	var keys []*delta.SecretKey
	for _, file := range f.sign {
		key, err := (&secretKey{file}).read(ctx, a)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	for _, text := range f.add {
		key, err := delta.ReadPublicKey(text)
		if err != nil {
			return fmt.Errorf("%w: %w", cli.ErrUsage, err)
		}
		f.change.Add = append(f.change.Add, key)
	}
	if (len(f.add) > 0 || len(f.change.Remove) > 0 || f.change.Threshold > 0) && f.change.Role == "" {
		return fmt.Errorf("%w: --add, --remove and --threshold are for a --role", cli.ErrUsage)
	}
	var draft []byte
	if f.draft != "" {
		b, err := os.ReadFile(f.draft)
		if err == nil && f.change.Role != "" {
			return fmt.Errorf("%w: %s has the root that is to be signed: pass no --role", cli.ErrUsage, f.draft)
		} else if err == nil {
			draft = b
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	root, err := publish.Rotate(ctx, dir, keys, f.change, draft)
	if errors.Is(err, publish.ErrThreshold) && f.draft != "" {
		if err := os.WriteFile(f.draft, root, 0o644); err != nil {
			return err
		}
		return cli.WithHint(err, f.draft+" waits for the next key: pakdb store keys change --draft "+f.draft+" --sign KEY")
	}
	if err != nil || a.Quiet {
		return err
	}
	r, err := publish.ParseRoot(root)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "root %d is written, and good until %s\n", r.Version, r.Expires.Format(time.RFC3339))
	return err
}

// soon is how long before it expires publishers are warned of signed metadata that their
// key did not renew: the owners of the root's keys may need some weeks to meet.
const soon = 60 * 24 * time.Hour

// warnOfExpiry warns of what expires soon in a store that was signed just now.
func warnOfExpiry(a *cli.App, t *publish.Trusted) {
	for _, text := range expiring(t.Expires, time.Now()) {
		a.Warn(text)
	}
}

// expiring returns the roles that expire soon, and how to renew them, a line each. The timestamp
// is signed whenever anything is.
func expiring(expires map[string]time.Time, now time.Time) (lines []string) {
	for _, role := range []string{publish.RoleRoot, publish.RoleTargets, publish.RoleSnapshot} {
		until, ok := expires[role]
		if !ok || until.Sub(now) >= soon {
			continue
		}
		who := "a key that may publish renews it: pakdb store sign --sign KEY"
		if role == publish.RoleRoot {
			who = "the keys of the root renew it: pakdb store keys change --sign KEY"
		}
		lines = append(lines, fmt.Sprintf("the signed %s expires on %s, and clients stop then; %s", role, until.UTC().Format(time.RFC3339), who))
	}
	return lines
}

// findExpired passes to finding which signed metadata of a store clients refuse by now.
func findExpired(ctx context.Context, dir string, finding func(name string, err error)) error {
	t, err := publish.ReadTrust(ctx, dir, nil)
	if errors.Is(err, store.ErrUnsigned) {
		return nil
	} else if err != nil {
		return err
	}
	for _, role := range publish.Roles() {
		if until, ok := t.Expires[role]; ok && !time.Now().Before(until) {
			name := publish.MetadataName(role, t.Version[role])
			if role == publish.RoleTimestamp {
				name = publish.TimestampName
			}
			finding(name, fmt.Errorf("%w, on %s", update.ErrExpired, until.UTC().Format(time.RFC3339)))
		}
	}
	return nil
}
