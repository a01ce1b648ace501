package ship

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/delta"
	"pakdb/internal/terminal"
)

func newKeygenCommand(a *cli.App) *cobra.Command {
	var protect bool
	key := secretKey{}
	cmd := &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a pair of keys that sign patches",
		Long: `Make FILE, a secret key, and FILE.pub, the public key that goes with it, as
minisign has them. Files that are there stay. Without --password keep the secret key
where nobody else reads.

With --password the key is of use only with a password, which is asked for, or taken
from --password-file or PAKDB_KEY_PASSWORD. To make or use such a key takes seconds
and 1 GiB of memory, so that nobody else can try many passwords.`,
		Example: `  pakdb keygen release.key
  pakdb keygen --password release.key
  pakdb delta make old new -o game.pkdelta --sign release.key
  pakdb delta apply game.pkdelta old -o new --key release.key.pub`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			key.file = args[0]
			return runKeygen(cmd.Context(), a, key, protect || key.passwordFile != "")
		},
	}
	cmd.Flags().BoolVar(&protect, "password", false, "protect the secret key by a password")
	key.addPassword(cmd)
	return cmd
}

func runKeygen(ctx context.Context, a *cli.App, to secretKey, protect bool) error {
	key, err := delta.GenerateKey()
	if err != nil {
		return err
	}
	name, text := to.file, key.String()
	if _, err := os.Lstat(name); protect && err != nil { // else it fails below
		password, err := to.password(ctx, a, true)
		if err != nil {
			return err
		}
		if text, err = key.Protected(password); err != nil {
			return err
		}
	}
	if err := writeNew(name, text, 0o600); err != nil {
		return err
	}
	if err := writeNew(name+".pub", key.Public().String(), 0o644); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	if a.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s: keep it secret\n%s.pub: ship it\n", name, name)
	return err
}

// writeNew writes a file that is not there yet.
func writeNew(name, text string, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		err = errors.Join(err, os.Remove(name)) // half a key is none
	}
	return err
}

// secretKey says with which key to sign.
type secretKey struct{ file, passwordFile string }

// add adds --sign, which does what usage says, and where a password is.
func (k *secretKey) add(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&k.file, "sign", "", usage)
	k.addPassword(cmd)
}

func (k *secretKey) addPassword(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.passwordFile, "password-file", "", "the password of the secret key is the first line of `FILE` (default: PAKDB_KEY_PASSWORD, else it is asked for)")
}

// password returns the password of the key: never from the command line, which others
// can see. A fresh one is asked for twice.
func (k *secretKey) password(ctx context.Context, a *cli.App, fresh bool) (string, error) {
	password := os.Getenv("PAKDB_KEY_PASSWORD")
	if k.passwordFile != "" {
		text, err := os.ReadFile(k.passwordFile)
		if password, _, _ = strings.Cut(strings.ReplaceAll(string(text), "\r", ""), "\n"); err != nil {
			return "", err
		}
	} else if password == "" {
		var err error
		password, err = terminal.AskPassword(ctx, a.Stdin, a.Stderr, "Password of "+terminal.Printable(k.file)+": ")
		if again := ""; err == nil && fresh {
			if again, err = terminal.AskPassword(ctx, a.Stdin, a.Stderr, "Once more: "); err == nil && again != password {
				err = fmt.Errorf("%w: two different passwords", cli.ErrUsage)
			}
		}
		if errors.Is(err, terminal.ErrNotTerminal) {
			return "", cli.WithHint(fmt.Errorf("%s: %w, and %w", k.file, delta.ErrPassword, err), "name its file by --password-file, or set PAKDB_KEY_PASSWORD")
		} else if err != nil {
			return "", err
		}
	}
	if password == "" {
		return "", fmt.Errorf("%s: %w: an empty password", k.file, cli.ErrUsage)
	}
	return password, nil
}

// read returns the key, or nil if there is none to sign with.
func (k *secretKey) read(ctx context.Context, a *cli.App) (*delta.SecretKey, error) {
	if k.file == "" {
		return nil, nil
	}
	return delta.ReadSecretKey(k.file, func() (string, error) { return k.password(ctx, a, false) })
}

// checkFileKey requires a patch to be signed by a key; "" requires nothing.
func checkFileKey(file, key string) error {
	if key == "" {
		return nil
	}
	h, err := delta.ReadFileHeader(file)
	if err != nil {
		return err
	}
	return checkKey(h, file, key)
}

// checkKey is checkFileKey for a header that was read.
func checkKey(h *delta.Header, file, key string) error {
	if key == "" {
		return nil
	}
	public, err := delta.ReadPublicKey(key)
	if err != nil {
		return fmt.Errorf("%w: %w", cli.ErrUsage, err)
	}
	if err := h.CheckSignature(public); err != nil {
		return cli.WithHint(fmt.Errorf("%s: %w", file, err), "do not use it unless you know who made it")
	}
	return nil
}

func newDeltaSignCommand(a *cli.App) *cobra.Command {
	secret := secretKey{}
	cmd := &cobra.Command{
		Use:   "sign KEY FILE.pkdelta",
		Short: "Sign a patch",
		Long: `Sign a patch with a secret key of "pakdb keygen" or of minisign.
The signature is over the root hash, which stands for the whole patch, and is put
into the file; what was there is replaced. It is minisign's, over the 32 bytes of
the root.`,
		Example: `  pakdb delta sign release.key game.pkdelta`,
		Args:    cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			secret.file = args[0]
			key, err := secret.read(cmd.Context(), a)
			if err != nil {
				return err
			}
			return delta.SignFile(cmd.Context(), args[1], key)
		},
	}
	secret.addPassword(cmd)
	return cmd
}
