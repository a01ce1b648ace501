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
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/trust"
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

func newStoreTrustCommand(a *cli.App) *cobra.Command {
	var format, root string
	cmd := &cobra.Command{
		Use:   "trust STORE",
		Short: "Show which keys may sign what in a store",
		Long: `Show the signed metadata of a store, a line for each role: its version, until when it
is good, how many keys must sign it, and the ids of those that may. The metadata is
verified as a client does that begins with --root, or with the store's first root.

The roles are TUF's. "root" names the keys of all roles, "targets" the builds,
"snapshot" the current targets, and "timestamp" says until when the snapshot is the
current one. Clients remember the last versions and go back to none. The file
trust/N.root.json with the largest number is what players' machines need for --root.`,
		Example: `  pakdb store trust /srv/game
  pakdb store trust /srv/game --root root.json --format json`,
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
			for _, role := range trust.Roles() {
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
	cmd.Flags().StringVar(&root, "root", "", "begin with the root in `FILE`")
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
	f.sign.add(cmd, "sign with the secret key in `FILE`")
	cmd.Flags().StringVar(&f.root, "root", "", "the store's root of signed metadata, in `FILE`, if the key is none of the root's")
	cmd.Flags().Var((*days)(&f.expires), "expires", "clients take the signed list of builds for this `TIME`: 30d, 12h")
}

// do signs, by a function of package publish.
func (f *signFlags) do(cmd *cobra.Command, a *cli.App, dir string, sign func(context.Context, string, *delta.SecretKey, publish.SignOptions) error) error {
	key, err := f.sign.read(cmd.Context(), a)
	if err != nil {
		return err
	}
	if key == nil {
		return cli.UsageError(cmd, errors.New("sign with which key? pass --sign FILE"))
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
	_, err = fmt.Fprintf(a.Stdout, "%s are signed, and good until %s\n", cli.Plural(int64(len(t.Builds)), "build", "builds"), t.Expires[trust.RoleTimestamp].Format(time.RFC3339))
	return err
}

func newStoreSignCommand(a *cli.App) *cobra.Command {
	var f signFlags
	cmd := &cobra.Command{
		Use:   "sign STORE --sign KEY",
		Short: "Sign all builds of a store as they are",
		Long: `Sign every build of the list of STORE, whoever signed it before: a store that is not
signed, or in the old way, or whose keys have changed. Run "pakdb store check" first if
others can write to the store. A store without signed metadata gets its first root, by
which this key may sign everything; "pakdb store rotate" gives it more keys.`,
		Example: `  pakdb store sign /srv/game --sign release.key
  pakdb store sign /srv/game --sign release.key --expires 90d`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.do(cmd, a, args[0], publish.Sign) },
	}
	f.add(cmd)
	return cmd
}

func newStoreRenewCommand(a *cli.App) *cobra.Command {
	var f signFlags
	cmd := &cobra.Command{
		Use:   "renew STORE --sign KEY",
		Short: "Say that the builds of a store are still current",
		Long: `Sign the timestamp of STORE anew, without a new build: clients take it for --expires
from now. What else is about to expire is signed anew too, if the key may. Run it from
a timer, more often than what is signed expires.`,
		Example: `  pakdb store renew /srv/game --sign release.key
  pakdb store renew s3://games/game --sign timestamp.key --expires 7d`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.do(cmd, a, args[0], publish.Renew) },
	}
	f.add(cmd)
	return cmd
}

// rotateFlags are those of pakdb store rotate.
type rotateFlags struct {
	sign         []string
	passwordFile string
	add          []string
	change       publish.RootChange
	draft        string
}

func newStoreRotateCommand(a *cli.App) *cobra.Command {
	var f rotateFlags
	cmd := &cobra.Command{
		Use:   "rotate [flags] STORE --sign KEY...",
		Short: "Change the keys that may sign a store",
		Long: `Write the next root of STORE: with other keys or another threshold for a role, or, if
nothing is changed, good for another year. --role publish stands for targets, snapshot
and timestamp. As many of the last root's keys must sign it as its threshold says, and
as many of its own.

With --draft FILE a root that more keys must sign is kept in FILE. The owner of the
next key runs the command again with the same FILE, which nobody else needs to see
the secret keys for. When enough have signed it is written to the store.

If the keys that sign may publish too, the list of builds is signed anew at once; else
the owner of such a key runs "pakdb store sign". A key that was stolen is removed in
the same way. Clients follow the roots one by one, so trust/*.root.json must stay.`,
		Example: `  pakdb store rotate /srv/game --sign a.key --sign b.key --role root --add b.key.pub
  pakdb store rotate /srv/game --sign a.key --role root --threshold 2 --draft next
  pakdb store rotate /srv/game --sign b.key --draft next
  pakdb store rotate /srv/game --sign a.key --role publish --remove 1f0c3a52`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.sign) == 0 {
				return cli.UsageError(cmd, errors.New("sign with which keys? pass --sign FILE"))
			}
			return f.run(cmd.Context(), a, args[0])
		},
	}
	cmd.Flags().StringArrayVar(&f.sign, "sign", nil, "sign with the secret key in `FILE`; may repeat")
	cmd.Flags().StringVar(&f.passwordFile, "password-file", "", "the password of the secret keys is the first line of `FILE` (default: PAKDB_KEY_PASSWORD, else it is asked for)")
	cmd.Flags().StringVar(&f.change.Role, "role", "", "whose keys change: `ROLE` is root, publish, targets, snapshot or timestamp")
	cli.CompleteFlag(cmd, "role", append(trust.Roles(), publish.RolePublish)...)
	cmd.Flags().StringArrayVar(&f.add, "add", nil, "let the public `KEY` sign for the role: the key or its file; may repeat")
	cmd.Flags().StringArrayVar(&f.change.Remove, "remove", nil, "do not let the key with this `ID`, or its first digits, sign any more; may repeat")
	cmd.Flags().IntVar(&f.change.Threshold, "threshold", 0, "`N` keys of the root must sign it (default: as before)")
	cmd.Flags().StringVar(&f.draft, "draft", "", "keep a root that more keys must sign in `FILE`")
	return cmd
}

func (f *rotateFlags) run(ctx context.Context, a *cli.App, dir string) error {
	var keys []*delta.SecretKey
	for _, file := range f.sign {
		key, err := (&secretKey{file, f.passwordFile}).read(ctx, a)
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
		return cli.WithHint(err, f.draft+" waits for the next key: pakdb store rotate --draft "+f.draft+" --sign KEY")
	}
	if err != nil || a.Quiet {
		return err
	}
	r, err := trust.ParseRoot(root)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "root %d is written, and good until %s\n", r.Version, r.Expires.Format(time.RFC3339))
	return err
}
