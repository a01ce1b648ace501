package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/codecs/unrealpak/keyring"
)

// keyFlags are where the keys of encrypted archives come from.
type keyOptions struct {
	texts []string // --aes-key
	files []string // --keys
	ring  keyring.Ring
}

// keyVariable holds keys too, so that they need not stand in the history of a
// shell.
const keyVariable = "PAKDB_AES_KEY"

// keyHint is the remedy for what is encrypted.
const keyHint = "pass the key: --aes-key KEY or GUID=KEY, --keys Crypto.json, or " + keyVariable + " in the environment"

func (k *keyOptions) add(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringArrayVar(&k.texts, "aes-key", nil,
		"AES `KEY` of encrypted archives, or GUID=KEY: base64, hex, or 32 characters; may repeat (environment: "+keyVariable+")")
	flags.StringArrayVar(&k.files, "keys", nil, "AES keys from a Crypto.json `FILE`; may repeat")
}

// newKeys are keys of new files, where they are not those of the old ones.
type newKeys struct {
	texts []string // --new-aes-key
	ring  keyring.Ring
}

func (k *newKeys) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&k.texts, "new-aes-key", nil,
		"AES `KEY` of the new files, or GUID=KEY, where it is not that of the old ones; may repeat")
}

// load reads the keys. The others count for GUIDs that there are none for.
func (k *newKeys) load(others *keyOptions) error {
	for _, text := range k.texts {
		if err := k.ring.Add(text); err != nil {
			return fmt.Errorf("%w: --new-aes-key: %w", errUsage, err)
		}
	}
	k.ring.Fill(&others.ring)
	return nil
}

// all are the keys of both, each once.
func (k *newKeys) all(others *keyOptions) [][]byte {
	list := others.ring.All()
	for _, key := range k.ring.All() {
		if !slices.ContainsFunc(list, func(have []byte) bool { return bytes.Equal(have, key) }) {
			list = append(list, key)
		}
	}
	return list
}

// load reads the keys. Those of the environment count for GUIDs that the command
// line gives none for.
func (k *keyOptions) load() error {
	for _, text := range k.texts {
		if err := k.ring.Add(text); err != nil {
			return fmt.Errorf("%w: --aes-key: %w", errUsage, err)
		}
	}
	for _, name := range k.files {
		b, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("--keys: %w", err)
		}
		if err := k.ring.AddCryptoJSON(b); err != nil {
			return fmt.Errorf("%w: --keys %s: %w", errUsage, name, err)
		}
	}
	var fromEnv keyring.Ring
	for text := range strings.FieldsSeq(os.Getenv(keyVariable)) {
		if err := fromEnv.Add(text); err != nil {
			return fmt.Errorf("%w: %s: %w", errUsage, keyVariable, err)
		}
	}
	k.ring.Fill(&fromEnv)
	return nil
}

// wantsKey reports an error that only a key, or another one, would mend.
func wantsKey(err error) bool {
	return errors.Is(err, codecs.ErrEncrypted) || errors.Is(err, codecs.ErrWrongKey)
}

// keyless counts errors that only a key would mend. They have one cause, so the
// first of a kind is told, with the remedy, and the others are counted.
type keyless struct {
	first error
	n     int64
}

// repeats reports whether err is one more of the kind, which need not be told.
func (k *keyless) repeats(err error) bool {
	if !wantsKey(err) {
		return false
	}
	if k.n++; k.first == nil {
		k.first = err
	}
	return k.n > 1
}

// summary tells how many there were beyond the first, and the remedy; "" when
// there was none.
func (k *keyless) summary() string {
	if k.first == nil {
		return ""
	}
	s := "hint: " + hint(k.first) + "\n"
	if k.n > 1 {
		s = "pakdb: and " + plural(k.n-1, "other entry", "other entries") + " for the same reason\n" + s
	}
	return s
}
