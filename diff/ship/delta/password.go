package delta

import (
	"errors"
	"fmt"
	"os"

	"aead.dev/minisign"
)

// ErrPassword means that a secret key has a password, which was not given, or is
// another one.
var ErrPassword = errors.New("the secret key has a password")

// ReadSecretKey reads a key's file. password is called if the key has one.
func ReadSecretKey(file string, password func() (string, error)) (*SecretKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := ParseSecretKey(string(text))
	if errors.Is(err, ErrPassword) {
		given, again := password()
		if again != nil {
			return nil, again
		}
		key, err = ParseProtectedKey(string(text), given)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

// ParseProtectedKey reads the text of a secret key with a password, as minisign
// writes it. What does not fit is ErrPassword, and a text that is no such key ErrKey.
// For minisign's own keys it takes seconds and 1 GiB of memory: that keeps others
// from trying passwords.
func ParseProtectedKey(text, password string) (*SecretKey, error) {
	if !minisign.IsEncrypted([]byte(text)) {
		return nil, fmt.Errorf("%w: not one with a password", ErrKey)
	}
	key, err := minisign.DecryptKey(password, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%w, and it is another one, or the key is damaged", ErrPassword)
	}
	plain, err := key.MarshalText()
	if err != nil {
		return nil, err
	}
	return ParseSecretKey(string(plain))
}

// Protected returns the text of the key with a password, which minisign reads too.
// It takes as long as reading it.
func (s *SecretKey) Protected(password string) (string, error) {
	var key minisign.PrivateKey
	if err := key.UnmarshalText([]byte(s.String())); err != nil {
		return "", err
	}
	text, err := minisign.EncryptKey(password, key)
	return string(text) + "\n", err
}
