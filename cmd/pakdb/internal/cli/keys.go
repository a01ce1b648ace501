package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/codecs/unrealpak"
)

// Keys are the AES keys of encrypted archives, and the flags that give them.
type Keys struct {
	texts []string // --aes-key: keys, and files of them
	Ring  unrealpak.Keyring
}

// keyVariable holds keys too, so that they need not be in the history of a
// shell.
const keyVariable = "PAKDB_AES_KEY"

// KeyHint is the remedy for what is encrypted.
const KeyHint = "pass the key: --aes-key KEY, GUID=KEY or a file of keys, or " + keyVariable + " in the environment"

func (k *Keys) add(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringArrayVar(&k.texts, "aes-key", nil, "AES `KEY`, GUID=KEY, or a file of keys; may repeat")
}

// load reads the keys. Those of the environment count for GUIDs that the command
// line gives none for.
func (k *Keys) load() error {
	for _, text := range k.texts {
		if isKeyFile(text) {
			b, err := os.ReadFile(text)
			if err != nil {
				return fmt.Errorf("--aes-key: %w", err)
			}
			if err := k.Ring.AddFile(b); err != nil {
				return fmt.Errorf("%w: --aes-key %s: %w", ErrUsage, text, err)
			}
		} else if err := k.Ring.Add(text); err != nil {
			return fmt.Errorf("%w: --aes-key: %w", ErrUsage, err)
		}
	}
	var fromEnv unrealpak.Keyring
	for text := range strings.FieldsSeq(os.Getenv(keyVariable)) {
		if err := fromEnv.Add(text); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUsage, keyVariable, err)
		}
	}
	k.Ring.Fill(&fromEnv)
	return nil
}

// isKeyFile reports whether text names a file of keys: by its extension, or because it is
// there and no key.
func isKeyFile(text string) bool {
	if slices.Contains([]string{".json", ".ini", ".txt"}, strings.ToLower(filepath.Ext(text))) {
		return true
	}
	if new(unrealpak.Keyring).Add(text) == nil {
		return false
	}
	st, err := os.Stat(text)
	return err == nil && st.Mode().IsRegular()
}

// WantsKey reports an error that only a key, or another one, would mend.
func WantsKey(err error) bool {
	return errors.Is(err, codecs.ErrEncrypted) || errors.Is(err, codecs.ErrWrongKey)
}

// keyless counts errors that only a key would mend. They have one cause, so the
// first of a kind is reported, with the remedy, and the others are counted.
type keyless struct {
	first error
	n     int64
}

// repeats reports whether err is one more of the kind, which need not be reported.
func (k *keyless) repeats(err error) bool {
	if !WantsKey(err) {
		return false
	}
	if k.n++; k.first == nil {
		k.first = err
	}
	return k.n > 1
}

// summary reports how many there were beyond the first, and the remedy; "" when
// there was none.
func (k *keyless) summary() string {
	if k.first == nil {
		return ""
	}
	s := "hint: " + Hint(k.first) + "\n"
	if k.n > 1 {
		s = "pakdb: and " + Plural(k.n-1, "other entry", "other entries") + " for the same reason\n" + s
	}
	return s
}
