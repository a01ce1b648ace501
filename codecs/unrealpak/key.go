package unrealpak

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/ue"
)

// ParseKey reads an AES-256 key as people pass it on: base64, 64 hex digits
// with or without 0x, or the 32 ASCII characters of the engine's old -aes=
// option. Forms are told apart by their length.
func ParseKey(s string) ([]byte, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	if len(digits) == 2*ue.KeySize {
		if key, err := hex.DecodeString(digits); err == nil {
			return key, nil
		}
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if key, err := enc.DecodeString(s); err == nil && len(key) == ue.KeySize {
			return key, nil
		}
	}
	if len(s) == ue.KeySize && isASCII(s) {
		return []byte(s), nil
	}
	return nil, fmt.Errorf("not an AES-256 key: 64 hex digits, base64 of 32 bytes, or 32 characters wanted, got %d characters", len(s))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 0x7e || r < 0x20 }) < 0
}

// cryptoKey is a key in the engine's Crypto.json.
type cryptoKey struct{ Name, Guid, Key string }

// ParseCryptoJSON reads the Crypto.json that UnrealPak takes by -cryptokeys=:
// the main key (EncryptionKey) and the keys by GUID (SecondaryEncryptionKeys).
// The result answers the zero id with the main key.
func ParseCryptoJSON(b []byte) (codecs.KeyFunc, error) {
	var ring KeyRing
	if err := ring.AddCryptoJSON(b); err != nil {
		return nil, err
	}
	return ring.Key, nil
}

// parseCrypto returns the main key, under the zero GUID and its own, and then
// the others.
func parseCrypto(b []byte) (keys []guidKey, err error) {
	var doc struct {
		EncryptionKey           *cryptoKey
		SecondaryEncryptionKeys []cryptoKey
	}
	if err := json.Unmarshal(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), &doc); err != nil {
		return nil, err
	}
	if k := doc.EncryptionKey; k != nil && k.Key != "" {
		own, err := k.parse()
		if err != nil {
			return nil, err
		}
		keys = append(keys, guidKey{key: own.key}, own)
	}
	for _, k := range doc.SecondaryEncryptionKeys {
		other, err := k.parse()
		if err != nil {
			return nil, err
		}
		keys = append(keys, other)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("no encryption key in it")
	}
	return keys, nil
}

type guidKey struct {
	id  ue.GUID
	key []byte
}

func (k cryptoKey) parse() (g guidKey, err error) {
	if k.Guid != "" {
		if g.id, err = ue.ParseGUID(k.Guid); err != nil {
			return g, fmt.Errorf("%q: %w", k.Name, err)
		}
	}
	if g.key, err = ParseKey(k.Key); err != nil {
		return g, fmt.Errorf("%q: %w", k.Name, err)
	}
	return g, nil
}
