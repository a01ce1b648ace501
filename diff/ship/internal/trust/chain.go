package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Chain is what a client accepts of a store, step by step, in TUF's order: roots, the
// timestamp, the snapshot, the targets. Each step fails without a change of what was
// accepted.
type Chain struct {
	Now           time.Time
	AllowExpired  bool
	AllowRollback bool

	Root     *Root
	text     []byte            // of the root, as it was stored
	anchors  map[string]bool   // ids of the keys that roots of the chain were signed by
	versions map[string]int64  // that the client saw last; none: 0
	signers  signers           // of these
	accepted map[string]int64  // of this time
	by       signers           // of these
	snapshot Meta              // of the timestamp
	targets  Meta              // of the snapshot
	warned   map[string]string // what had expired and was allowed, by role
	expires  map[string]time.Time

	Targets *Targets // once they were accepted
}

// Start begins a chain with a root that its own keys have signed. If key is not nil,
// it must be one of the root's and have signed it: else the root's owner says that it
// is the right one.
func Start(root []byte, key *Key) (*Chain, error) {
	r := &Root{}
	e, signed, err := open(root, MostRoot, RoleRoot, r)
	if err == nil {
		err = r.check()
	}
	if err == nil {
		_, err = r.verify(RoleRoot, signed, e.Signatures)
	}
	if err != nil {
		return nil, err
	}
	if key != nil {
		id, signs := "", false
		for have, k := range r.Keys {
			if k == *key && slices.Contains(r.Roles[RoleRoot].KeyIDs, have) {
				id = have
			}
		}
		for _, sig := range e.Signatures {
			signs = signs || id != "" && sig.KeyID == id && key.verifies(signed, sig.Sig)
		}
		if !signs {
			return nil, fmt.Errorf("%w: root %d is not by the key that was given", ErrSignature, r.Version)
		}
	}
	c := &Chain{anchors: map[string]bool{}, versions: map[string]int64{}, signers: signers{}, accepted: map[string]int64{}, by: signers{}, warned: map[string]string{}, expires: map[string]time.Time{}}
	c.take(r, root)
	return c, nil
}

func (c *Chain) take(r *Root, text []byte) {
	c.Root, c.text = r, bytes.Clone(text)
	c.expires[RoleRoot] = r.Expires
	for _, id := range r.Roles[RoleRoot].KeyIDs {
		c.anchors[r.Keys[id].Value.Public] = true
	}
}

// Knows reports whether a key is or was one of the root's.
func (c *Chain) Knows(key Key) bool { return c.anchors[key.Value.Public] }

// NextRoot accepts the root after the last one: enough keys of both must have signed it.
// The version seen last of a role is forgotten if its keys no longer hold the role:
// a thief of a key could have signed the largest there is. Else it still counts, so that a
// key that is added lets nobody go back.
func (c *Chain) NextRoot(text []byte) error {
	r := &Root{}
	e, signed, err := open(text, MostRoot, RoleRoot, r)
	if err == nil {
		err = r.check()
	}
	if err == nil {
		_, err = c.Root.verify(RoleRoot, signed, e.Signatures)
	}
	if err == nil {
		_, err = r.verify(RoleRoot, signed, e.Signatures)
	}
	if err == nil && r.Version != c.Root.Version+1 {
		err = fmt.Errorf("%w: root %d where %d is next", ErrRollback, r.Version, c.Root.Version+1)
	}
	if err != nil {
		return err
	}
	for _, role := range []string{RoleTimestamp, RoleSnapshot, RoleTargets} {
		if !r.counts(role, c.signers[role]) {
			delete(c.versions, role)
			delete(c.signers, role)
		}
	}
	c.take(r, text)
	return nil
}

// signers are public keys by role.
type signers map[string][]string

// publics returns the public keys of a role.
func (r *Root) publics(role string) (list []string) {
	for _, id := range r.Roles[role].KeyIDs {
		list = append(list, strings.ToLower(r.Keys[id].Value.Public))
	}
	return list
}

// counts reports whether so many of a role's keys are among those that signed something
// as its threshold says.
func (r *Root) counts(role string, signed []string) bool {
	n := 0
	for _, public := range r.publics(role) {
		if slices.Contains(signed, public) {
			n++
		}
	}
	return n >= r.Roles[role].Threshold
}

// RootsDone ends the roots: the last one must not have expired.
func (c *Chain) RootsDone() error { return c.fresh(&c.Root.Head) }

// fresh fails for what has expired.
func (c *Chain) fresh(h *Head) error {
	c.expires[h.Type] = h.Expires
	if c.Now.Before(h.Expires) {
		return nil
	}
	when := h.Expires.Format(time.RFC3339)
	if c.AllowExpired {
		c.warned[h.Type] = when
		return nil
	}
	return fmt.Errorf("%w: %s %d, on %s, and it is %s", ErrExpired, h.Type, h.Version, when, c.Now.UTC().Format(time.RFC3339))
}

// Expires returns until when what was read last is good, by role.
func (c *Chain) Expires() map[string]time.Time { return c.expires }

// Expired returns what had expired and was allowed, a line each.
func (c *Chain) Expired() (list []string) {
	for _, role := range slices.Sorted(maps.Keys(c.warned)) {
		list = append(list, fmt.Sprintf("%s has expired on %s", role, c.warned[role]))
	}
	return list
}

// grows fails for a version below the one seen last.
func (c *Chain) grows(role string, version int64) error {
	if last := c.versions[role]; version < last && !c.AllowRollback {
		return fmt.Errorf("%w: %s %d, where %d was seen before", ErrRollback, role, version, last)
	}
	return nil
}

// SetTimestamp accepts the timestamp.
func (c *Chain) SetTimestamp(text []byte) error {
	t, by := &Timestamp{}, []string(nil)
	e, signed, err := open(text, MostTimestamp, RoleTimestamp, t)
	if err == nil {
		by, err = c.Root.verify(RoleTimestamp, signed, e.Signatures)
	}
	if err == nil {
		err = c.grows(RoleTimestamp, t.Version)
	}
	if err != nil {
		return err
	}
	m, ok := t.Meta[RoleSnapshot+".json"]
	if !ok || m.Version < 1 || m.Version > mostVersion || m.Length < 1 || m.Length > MostSnapshot {
		return fmt.Errorf("%w: timestamp names no snapshot", ErrMetadata)
	}
	if err := c.grows(RoleSnapshot, m.Version); err != nil {
		return err
	}
	if err := c.fresh(&t.Head); err != nil {
		return err
	}
	c.snapshot, c.accepted[RoleTimestamp], c.by[RoleTimestamp] = m, t.Version, by
	return nil
}

// Snapshot returns where the snapshot lies that the timestamp names, and its length.
func (c *Chain) Snapshot() (name string, length int64) {
	return Name(RoleSnapshot, c.snapshot.Version), c.snapshot.Length
}

// SnapshotMeta returns what the timestamp says of the snapshot.
func (c *Chain) SnapshotMeta() Meta { return c.snapshot }

// SetSnapshot accepts the snapshot.
func (c *Chain) SetSnapshot(text []byte) error {
	s, by := &Snapshot{}, []string(nil)
	if err := fits(RoleSnapshot, text, c.snapshot.Length, c.snapshot.Hashes); err != nil {
		return err
	}
	e, signed, err := open(text, MostSnapshot, RoleSnapshot, s)
	if err == nil {
		by, err = c.Root.verify(RoleSnapshot, signed, e.Signatures)
	}
	if err == nil && s.Version != c.snapshot.Version {
		err = fmt.Errorf("%w: snapshot %d where the timestamp names %d", ErrMixed, s.Version, c.snapshot.Version)
	}
	if err != nil {
		return err
	}
	m, ok := s.Meta[RoleTargets+".json"]
	if !ok || m.Version < 1 || m.Version > mostVersion || m.Length < 1 || m.Length > MostTargets {
		return fmt.Errorf("%w: snapshot names no targets", ErrMetadata)
	}
	if err := c.grows(RoleTargets, m.Version); err != nil {
		return err
	}
	if err := c.fresh(&s.Head); err != nil {
		return err
	}
	c.targets, c.accepted[RoleSnapshot], c.by[RoleSnapshot] = m, s.Version, by
	return nil
}

// TargetsAt returns where the targets lie that the snapshot names, and their length.
func (c *Chain) TargetsAt() (name string, length int64) {
	return Name(RoleTargets, c.targets.Version), c.targets.Length
}

// SetTargets accepts the targets.
func (c *Chain) SetTargets(text []byte) error {
	t, by := &Targets{}, []string(nil)
	if err := fits(RoleTargets, text, c.targets.Length, c.targets.Hashes); err != nil {
		return err
	}
	e, signed, err := open(text, MostTargets, RoleTargets, t)
	if err == nil {
		by, err = c.Root.verify(RoleTargets, signed, e.Signatures)
	}
	if err == nil && t.Version != c.targets.Version {
		err = fmt.Errorf("%w: targets %d where the snapshot names %d", ErrMixed, t.Version, c.targets.Version)
	}
	if err == nil {
		err = t.check()
	}
	if err == nil {
		err = c.fresh(&t.Head)
	}
	if err != nil {
		return err
	}
	c.Targets, c.accepted[RoleTargets], c.by[RoleTargets] = t, t.Version, by
	return nil
}

// Fits fails unless a text is the target.
func (t *Target) Fits(name string, text []byte) error { return fits(name, text, t.Length, t.Hashes) }

// fits fails unless a text has the length and the SHA-256 that metadata says.
func fits(name string, text []byte, length int64, hashes map[string]string) error {
	if int64(len(text)) != length {
		return fmt.Errorf("%w: %s has %d bytes, and should have %d", ErrMixed, name, len(text), length)
	}
	sum := sha256.Sum256(text)
	if hashes[sha] != hex.EncodeToString(sum[:]) {
		return fmt.Errorf("%w: %s has another SHA-256", ErrMixed, name)
	}
	return nil
}

const sha = "sha256" // the hash that is checked

// Hashes returns what metadata says of a text.
func Hashes(text []byte) map[string]string {
	sum := sha256.Sum256(text)
	return map[string]string{sha: hex.EncodeToString(sum[:])}
}

// Version returns which version of a role's metadata was accepted; 0: none yet.
func (c *Chain) Version(role string) int64 {
	if role == RoleRoot {
		return c.Root.Version
	}
	return c.accepted[role]
}

// MemoryName is the file of a folder that remembers whom it trusts.
const MemoryName = ".pakdb-trust.json"

// MostMemory bounds its bytes.
const MostMemory = 2 << 20

// memory is what it holds.
type memory struct {
	Root     string           `json:"root"`     // the last root, as it was stored
	Versions map[string]int64 `json:"versions"` // seen last
	Signers  signers          `json:"signers"`  // public keys that signed these, by role
	Keys     []string         `json:"keys"`     // public ones that roots had, since trust began
}

// Remember returns what the client keeps for the next time.
func (c *Chain) Remember() ([]byte, error) {
	versions, signers := maps.Clone(c.versions), maps.Clone(c.signers)
	for role, v := range c.accepted {
		versions[role], signers[role] = v, c.by[role]
	}
	m := memory{string(c.text), versions, signers, slices.Sorted(maps.Keys(c.anchors))}
	b, err := json.MarshalIndent(&m, "", " ")
	return append(b, '\n'), err
}

// Recall begins a chain where the last one ended.
func Recall(text []byte) (*Chain, error) {
	var m memory
	if err := json.Unmarshal(text, &m); err != nil || len(text) > MostMemory {
		return nil, fmt.Errorf("%s: %w", MemoryName, ErrMetadata)
	}
	c, err := Start([]byte(m.Root), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", MemoryName, err)
	}
	for role, v := range m.Versions {
		if v < 0 || v > mostVersion {
			return nil, fmt.Errorf("%s: %w: version %d of %s", MemoryName, ErrMetadata, v, role)
		}
		c.versions[role] = v
		if by, ok := m.Signers[role]; ok {
			c.signers[role] = by
		} else { // a memory of an earlier pakdb: any of the keys may have
			c.signers[role] = c.Root.publics(role)
		}
	}
	for _, k := range m.Keys {
		c.anchors[strings.ToLower(k)] = true
	}
	return c, nil
}

// Again begins a chain where this one ended.
func (c *Chain) Again() (*Chain, error) {
	b, err := c.Remember()
	if err != nil {
		return nil, err
	}
	return Recall(b)
}

// Forgets reports whether a memory has seen a later state of the same store.
func (c *Chain) Forgets(memory *Chain) bool {
	for role, v := range c.accepted {
		if v < memory.versions[role] && c.Root.counts(role, memory.signers[role]) {
			return true
		}
	}
	return c.Root.Version < memory.Root.Version
}

// Meets reports whether a chain has had one of the keys of another one's root.
func (c *Chain) Meets(o *Chain) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(o.anchors)), func(k string) bool { return c.anchors[k] })
}
