package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"pakdb/diff/pkdelta"
)

func newKeygenCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen FILE",
		Short: "Make a pair of keys that sign patches",
		Long: `Make FILE, a secret key, and FILE.pub, the public key that goes with it, as
minisign has them. The secret key has no password: keep it where nobody else
reads. Files that are there stay.`,
		Example: `  pakdb keygen release.key
  pakdb delta make old new -o game.pkdelta --sign release.key
  pakdb delta apply game.pkdelta old -o new --key release.key.pub`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return runKeygen(a, args[0]) },
	}
}

func runKeygen(a *app, name string) error {
	key, err := pkdelta.GenerateKey()
	if err != nil {
		return err
	}
	if err := writeNew(name, key.String(), 0o600); err != nil {
		return err
	}
	if err := writeNew(name+".pub", key.Public().String(), 0o644); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	if a.quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.stdout, "%s: keep it secret\n%s.pub: ship it\n", name, name)
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

// readSecretKey returns nil for "".
func readSecretKey(name string) (*pkdelta.SecretKey, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	key, err := pkdelta.ParseSecretKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return key, nil
}

// checkFileKey requires a patch to be signed by a key; "" requires nothing.
func checkFileKey(file, key string) error {
	if key == "" {
		return nil
	}
	h, err := pkdelta.ReadFileHeader(file)
	if err != nil {
		return err
	}
	return checkKey(h, file, key)
}

// checkKey is checkFileKey for a header that was read.
func checkKey(h *pkdelta.Header, file, key string) error {
	if key == "" {
		return nil
	}
	public, err := pkdelta.ReadPublicKey(key)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if err := h.CheckSignature(public); err != nil {
		return hinted(fmt.Errorf("%s: %w", file, err), "do not use it unless you know who made it")
	}
	return nil
}

func newDeltaSignCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "sign KEY FILE.pkdelta",
		Short: "Sign a patch",
		Long: `Sign a patch with a secret key of "pakdb keygen" or of minisign without a password.
The signature is over the root hash, which stands for the whole patch, and is put
into the file; what was there is replaced. It is minisign's, over the 32 bytes of
the root.`,
		Example: `  pakdb delta sign release.key game.pkdelta`,
		Args:    usage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := readSecretKey(args[0])
			if err != nil {
				return err
			}
			return pkdelta.SignFile(cmd.Context(), args[1], key)
		},
	}
}
