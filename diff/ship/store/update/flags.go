package update

import (
	"bytes"
	"fmt"
	"os"

	"pakdb/diff/ship/delta"
)

// Trust sets Key or Root to what value names: a public key, as text or in a file, or the file of a
// root of signed metadata, which is JSON. "" is neither. It fails with [delta.ErrKey].
func (o *RemoteOptions) Trust(value string) (err error) {
	if value == "" {
		return nil
	}
	if b, err := os.ReadFile(value); err == nil && bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		o.Root = b
		return nil
	}
	if o.Key, err = delta.ReadPublicKey(value); err != nil {
		return fmt.Errorf("%w: %w", delta.ErrKey, err)
	}
	return nil
}

// Allow accepts metadata that is expired or a rollback, as the names say. It fails for others.
func (o *RemoteOptions) Allow(names []string) error {
	for _, name := range names {
		switch name {
		case "expired":
			o.AllowExpired = true
		case "rollback":
			o.AllowRollback = true
		default:
			return fmt.Errorf("%q: want expired or rollback", name)
		}
	}
	return nil
}
