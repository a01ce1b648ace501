package delta

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/internal/aes256"
)

// ErrNoKey means that a patch needs a key which was not given.
var ErrNoKey = errors.New("the patch needs a key")

// Key names the AES-256 key, and nothing of its bytes.
type Key struct {
	ID    [16]byte // by which archives name it; zero is a game's main key
	Check [8]byte  // of the key
}

const maxKeys = 255

// String returns it as archives do.
func (k Key) String() string {
	if k.ID == [16]byte{} {
		return fmt.Sprintf("main key, check %x", k.Check)
	}
	id := k.ID
	for i := 0; i < len(id); i += 4 { // four words, as the engine writes them
		id[i], id[i+1], id[i+2], id[i+3] = id[i+3], id[i+2], id[i+1], id[i]
	}
	return fmt.Sprintf("key %X, check %x", id, k.Check)
}

// keyCheck is a hash that is used for nothing else.
func keyCheck(key []byte) (check [8]byte) {
	blake3.DeriveKey("pakdb pkdelta 2026 check of an AES-256 key", key, check[:])
	return check
}

// ParseKey reads an AES-256 key as people pass it on: base64, 64 hex digits, or
// 32 characters; with its id and "=" before it, which is passed over.
func ParseKey(text string) ([]byte, error) {
	key, err := aes256.ParseKey(text)
	if i := bytes.IndexByte([]byte(text), '='); err != nil && i > 0 {
		if key, again := aes256.ParseKey(text[i+1:]); again == nil {
			return key, nil
		}
	}
	return key, err
}

// KeyRing are the keys of a patch, by their numbers less one.
type KeyRing struct {
	List   []Key
	Texts  [][]byte
	Blocks []cipher.Block
}

// Add returns the number of a key.
func (r *KeyRing) Add(key []byte, id [16]byte) (int, error) {
	for i, have := range r.Texts {
		if bytes.Equal(have, key) {
			return i + 1, nil
		}
	}
	if len(r.List) == maxKeys {
		return 0, fmt.Errorf("more than %d keys", maxKeys)
	}
	block, err := aes.NewCipher(key)
	if err != nil || len(key) != aes256.KeySize {
		return 0, fmt.Errorf("a key of %d bytes; AES-256 has %d", len(key), aes256.KeySize)
	}
	r.List = append(r.List, Key{id, keyCheck(key)})
	r.Texts = append(r.Texts, bytes.Clone(key))
	r.Blocks = append(r.Blocks, block)
	return len(r.List), nil
}

// KeyList numbers the keys of a ring that a patch uses.
type KeyList struct {
	Ring *KeyRing
	used []int
}

// Number returns the number by which a patch names key k of the ring: from 1 on in
// the order of first use, 0 for no key.
func (l *KeyList) Number(k int) int {
	if k == 0 {
		return 0
	}
	if i := slices.Index(l.used, k); i >= 0 {
		return i + 1
	}
	l.used = append(l.used, k)
	return len(l.used)
}

// Keys returns the keys in use, as the header lists them.
func (l *KeyList) Keys() (list []Key) {
	for _, k := range l.used {
		list = append(list, l.Ring.List[k-1])
	}
	return list
}

// Blocks are the keys themselves.
func (l *KeyList) Blocks() (list []cipher.Block) {
	for _, k := range l.used {
		list = append(list, l.Ring.Blocks[k-1])
	}
	return list
}
