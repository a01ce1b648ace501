package unrealpak

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

// Keyring holds the AES keys that a user gave, by the GUID that paks name them by.
// Keys without a GUID are main keys: of several, archives take the one that fits them. The
// zero value holds none. It is safe for concurrent use once nothing is added any more.
type Keyring struct {
	keys  map[unreal.GUID][]byte
	mains [][]byte
}

// Add adds a key in one of the forms of [aes256.ParseKey], or GUID=KEY. Two keys for
// one GUID are an error: which one is meant would be a guess. The error does not repeat
// the key.
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

func compareGUIDs(a, b unreal.GUID) int { return bytes.Compare(a[:], b[:]) }

func (r *Keyring) put(id unreal.GUID, key []byte) error {
	if id.IsZero() {
		if !r.isMain(key) {
			r.mains = append(r.mains, key)
		}
		return nil
	}
	old, twice := r.keys[id]
	switch {
	case twice && bytes.Equal(old, key):
		return nil
	case twice:
		return fmt.Errorf("two keys with GUID %s", id)
	case r.keys == nil:
		r.keys = map[unreal.GUID][]byte{}
	}
	r.keys[id] = key
	return nil
}

func (r *Keyring) isMain(key []byte) bool {
	return slices.ContainsFunc(r.mains, func(k []byte) bool { return bytes.Equal(k, key) })
}

// Fill adds the keys of other for GUIDs that r has none for, and its main keys where r has
// none.
func (r *Keyring) Fill(other *Keyring) {
	if len(r.mains) == 0 {
		r.mains = slices.Clone(other.mains)
	}
	for id, key := range other.keys {
		if _, ok := r.keys[id]; !ok {
			_ = r.put(id, key) // fails only where there is one
		}
	}
}

// Key implements codecs.KeyFunc. Of several main keys it returns none.
func (r *Keyring) Key(id [16]byte) []byte {
	if unreal.GUID(id).IsZero() && len(r.mains) == 1 {
		return r.mains[0]
	}
	return r.keys[id]
}

// Mains returns the keys without a GUID, for [codecs.Options].
func (r *Keyring) Mains() [][]byte { return r.mains }

// All returns every key once.
func (r *Keyring) All() [][]byte {
	list := slices.SortedFunc(slices.Values(r.mains), bytes.Compare)
	for _, id := range slices.SortedFunc(maps.Keys(r.keys), compareGUIDs) {
		if !slices.ContainsFunc(list, func(k []byte) bool { return bytes.Equal(k, r.keys[id]) }) {
			list = append(list, r.keys[id])
		}
	}
	return list
}

// Print returns a digest of the keys, for places where keys must not be seen. Two rings of
// the same keys have the same print, and it reveals no key. It is "" for none.
func (r *Keyring) Print() string {
	if len(r.keys)+len(r.mains) == 0 {
		return ""
	}
	h := blake3.New()
	for _, key := range slices.SortedFunc(slices.Values(r.mains), bytes.Compare) {
		_, _ = h.Write(make([]byte, len(unreal.GUID{})))
		_, _ = h.Write(key)
	}
	for _, id := range slices.SortedFunc(maps.Keys(r.keys), compareGUIDs) {
		_, _ = h.Write(id[:])
		_, _ = h.Write(r.keys[id])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
