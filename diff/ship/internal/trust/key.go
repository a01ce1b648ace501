package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Key is a public key.
type Key struct {
	Type   string   `json:"keytype"`
	Scheme string   `json:"scheme"`
	Value  KeyValue `json:"keyval"`
}

// KeyValue is the key itself, in hexadecimal.
type KeyValue struct {
	Public string `json:"public"`
}

const ed = "ed25519" // type and scheme of keys

// NewKey returns the key of an Ed25519 key.
func NewKey(public ed25519.PublicKey) Key { return Key{ed, ed, KeyValue{hex.EncodeToString(public)}} }

// ID returns the id of a key: the SHA-256 of its canonical JSON.
func (k Key) ID() string {
	b, err := json.Marshal(k)
	if err == nil {
		b, err = Canonical(b)
	}
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// verifies reports whether a signature of a message is by the key.
func (k Key) verifies(message []byte, sig string) bool {
	public, err := hex.DecodeString(k.Value.Public)
	if err != nil || k.Type != ed || k.Scheme != ed || len(public) != ed25519.PublicKeySize {
		return false
	}
	b, err := hex.DecodeString(sig)
	return err == nil && ed25519.Verify(public, message, b)
}

// Signer signs metadata.
type Signer ed25519.PrivateKey

// Public returns the key that verifies it.
func (s Signer) Public() Key {
	return NewKey(ed25519.PrivateKey(s).Public().(ed25519.PublicKey))
}

// Sign returns metadata as it is stored, signed by each of the keys.
func Sign(m any, signers []Signer) ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if b, err = Canonical(b); err != nil {
		return nil, err
	}
	return (&envelope{Signed: b}).sign(signers)
}

// AddSignatures returns a root with more signatures.
func AddSignatures(root []byte, signers []Signer) ([]byte, error) {
	e, _, err := open(root, MostRoot, RoleRoot, &Root{})
	if err != nil {
		return nil, err
	}
	return e.sign(signers)
}

// sign signs, and returns the text that is stored.
func (e *envelope) sign(signers []Signer) ([]byte, error) {
	for _, s := range signers {
		id := s.Public().ID()
		e.Signatures = slices.DeleteFunc(e.Signatures, func(have Signature) bool { return have.KeyID == id })
		e.Signatures = append(e.Signatures, Signature{id, hex.EncodeToString(ed25519.Sign(ed25519.PrivateKey(s), e.Signed))})
	}
	b, err := json.MarshalIndent(e, "", " ")
	return append(b, '\n'), err
}

// verify fails unless so many keys of a role as its threshold says have signed. It returns
// the public keys that have.
func (r *Root) verify(role string, signed []byte, sigs []Signature) (by []string, err error) {
	of, good := r.Roles[role], map[string]bool{}
	for _, sig := range sigs {
		if slices.Contains(of.KeyIDs, sig.KeyID) && !good[sig.KeyID] && r.Keys[sig.KeyID].verifies(signed, sig.Sig) {
			good[sig.KeyID], by = true, append(by, strings.ToLower(r.Keys[sig.KeyID].Value.Public))
		}
	}
	if len(good) < of.Threshold {
		return nil, fmt.Errorf("%w: %s by %d of its %d keys, and %d must", ErrSignature, role, len(good), len(of.KeyIDs), of.Threshold)
	}
	return by, nil
}

// SignedBy reports whether the owner of a key has signed targets.
func SignedBy(targets []byte, key Key) bool {
	e, signed, err := open(targets, MostTargets, RoleTargets, &Targets{})
	return err == nil && slices.ContainsFunc(e.Signatures, func(s Signature) bool { return key.verifies(signed, s.Sig) })
}

// Enough reports whether the signers may sign for a role by themselves.
func (r *Root) Enough(role string, signers []Signer) bool {
	of, ids := r.Roles[role], map[string]bool{}
	for _, s := range signers {
		if id := s.Public().ID(); slices.Contains(of.KeyIDs, id) {
			ids[id] = true
		}
	}
	return len(ids) >= of.Threshold
}
