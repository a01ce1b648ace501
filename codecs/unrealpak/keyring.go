package unrealpak

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

// Keyring holds the AES keys that a user gave, by the GUID that paks name them
// by; the zero GUID is the game's main key. The zero value holds none. It is
// safe for concurrent use once nothing is added any more.
type Keyring struct{ keys map[unreal.GUID][]byte }

// Add adds a key in one of the forms of [aes256.ParseKey], or GUID=KEY. Two keys for
// one GUID, or two main keys, are an error: which one is meant would be a guess.
// The error does not repeat the key.
func (r *Keyring) Add(text string) error {
	var id unreal.GUID
	if before, after, ok := strings.Cut(text, "="); ok {
		if g, err := unreal.ParseGUID(before); err == nil {
			id, text = g, after
		}
	}
	key, err := aes256.ParseKey(text)
	if err != nil {
		return err
	}
	return r.put(id, key)
}

// AddCryptoJSON adds the keys of the Crypto.json that UnrealPak takes by
// -cryptokeys=. One without any key is an error.
func (r *Keyring) AddCryptoJSON(b []byte) error {
	keys, err := parseCrypto(b)
	for _, k := range keys {
		if err == nil {
			err = r.put(k.id, k.key)
		}
	}
	if err != nil {
		return fmt.Errorf("crypto keys: %w", err)
	}
	return nil
}

func compareGUIDs(a, b unreal.GUID) int { return bytes.Compare(a[:], b[:]) }

func (r *Keyring) put(id unreal.GUID, key []byte) error {
	old, twice := r.keys[id]
	switch {
	case twice && bytes.Equal(old, key):
		return nil
	case twice && id.IsZero():
		return fmt.Errorf("two main keys; a key that is not the main one goes with its GUID, as GUID=KEY")
	case twice:
		return fmt.Errorf("two keys with GUID %s", id)
	case r.keys == nil:
		r.keys = map[unreal.GUID][]byte{}
	}
	r.keys[id] = key
	return nil
}

// Fill adds the keys of other for GUIDs that r has none for.
func (r *Keyring) Fill(other *Keyring) {
	for id, key := range other.keys {
		if _, ok := r.keys[id]; !ok {
			_ = r.put(id, key) // fails only where there is one
		}
	}
}

// Key implements codecs.KeyFunc.
func (r *Keyring) Key(id [16]byte) []byte { return r.keys[id] }

// All returns every key once.
func (r *Keyring) All() (list [][]byte) {
	for _, id := range slices.SortedFunc(maps.Keys(r.keys), compareGUIDs) {
		if !slices.ContainsFunc(list, func(k []byte) bool { return bytes.Equal(k, r.keys[id]) }) {
			list = append(list, r.keys[id])
		}
	}
	return list
}

// Print stands for the keys where they must not be seen: two rings of the same
// keys have the same print, and no key can be had from it. It is "" for none.
func (r *Keyring) Print() string {
	if len(r.keys) == 0 {
		return ""
	}
	h := blake3.New()
	for _, id := range slices.SortedFunc(maps.Keys(r.keys), compareGUIDs) {
		_, _ = h.Write(id[:])
		_, _ = h.Write(r.keys[id])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

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
