package unrealpak

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

// cryptoKey is a key in the engine's Crypto.json.
type cryptoKey struct{ Name, Guid, Key string }

// parseCrypto reads the Crypto.json that UnrealPak takes by -cryptokeys=: the main
// key (EncryptionKey) and the keys by GUID (SecondaryEncryptionKeys). It returns the
// main key, under the zero GUID and its own, and then
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
	id  unreal.GUID
	key []byte
}

func (k cryptoKey) parse() (g guidKey, err error) {
	if k.Guid != "" {
		if g.id, err = unreal.ParseGUID(k.Guid); err != nil {
			return g, fmt.Errorf("%q: %w", k.Name, err)
		}
	}
	if g.key, err = aes256.ParseKey(k.Key); err != nil {
		return g, fmt.Errorf("%q: %w", k.Name, err)
	}
	return g, nil
}
