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

func newKeysNewCommand(a *cli.App) *cobra.Command {
	var protect bool
	key := secretKey{}
	cmd := &cobra.Command{
		Use:   "new FILE",
		Short: "Generate a signing key pair",
		Long: `Write FILE, a secret key, and FILE.pub, its public key, as minisign has them.
Existing files are kept. Without --password keep the secret key where nobody
else reads it.

With --password the key is of use only with a password: PAKDB_KEY_PASSWORD, or
the first line of the file PAKDB_KEY_PASSWORD_FILE; else it is asked for. To
make or use such a key takes seconds and 1 GiB of memory, against guessing.`,
		Example: `  pakdb store keys new release.key
  pakdb delta make old new -o game.pkdelta --sign release.key
  pakdb delta apply game.pkdelta old -o new --trust release.key.pub`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			key.file = args[0]
			return runKeygen(cmd.Context(), a, key, protect || os.Getenv(passwordFileVariable) != "")
		},
	}
	cmd.Flags().BoolVar(&protect, "password", false, "protect the secret key by a password")
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

// secretKey is the file of the key that signs.
type secretKey struct{ file string }

// passwordFileVariable names the file whose first line is the password of secret keys.
const passwordFileVariable = "PAKDB_KEY_PASSWORD_FILE"

// password returns the password of the key: never from the command line, which others
// can see. A fresh one is asked for twice.
func (k *secretKey) password(ctx context.Context, a *cli.App, fresh bool) (string, error) {
	password := os.Getenv("PAKDB_KEY_PASSWORD")
	if file := os.Getenv(passwordFileVariable); password == "" && file != "" {
		text, err := os.ReadFile(file)
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
			return "", cli.WithHint(fmt.Errorf("%s: %w, and %w", k.file, delta.ErrPassword, err), "set PAKDB_KEY_PASSWORD, or PAKDB_KEY_PASSWORD_FILE to the file that has it")
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
		return cli.WithHint(fmt.Errorf("%s: %w", file, err), "do not use it unless you trust its origin")
	}
	return nil
}
