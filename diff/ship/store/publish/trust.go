package publish

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
)

// How long signed metadata is good for, unless the publisher says otherwise. The
// timestamp says that nothing newer was published: a store that is frozen is found out
// when it has expired.
const (
	DefaultExpiry = 30 * 24 * time.Hour
	longExpiry    = 365 * 24 * time.Hour // of the other roles
)

// ErrKeyRole is the error for a key that the store's root does not let do what it is
// asked to.
var ErrKeyRole = errors.New("the key may not sign that in this store")

// signing writes the signed metadata of a store.
type signing struct {
	w       *storeWriter
	signers []trust.Signer
	root    []byte        // one to begin with that came another way; nil: the store's first
	expiry  time.Duration // of the timestamp
	now     time.Time
	chain   *trust.Chain // of the store; nil: none yet
	stamp   string       // version of the timestamp file
	anew    bool         // sign although stale
	stale   bool         // the root's keys have changed since the rest was signed
	last    map[string]int64
}

// errStale is the error for a list of builds that is not signed by the root's keys.
var errStale = fmt.Errorf("%w: its root has other keys than those that signed the list of builds: pakdb store sign --all signs it anew", ErrKeyRole)

func signerOf(key *delta.SecretKey) trust.Signer { return trust.Signer(key.Key[:]) }

// TrustKey returns a public key as signed metadata has it.
func TrustKey(key *delta.PublicKey) trust.Key { return trust.NewKey(ed25519.PublicKey(key.Key[:])) }

func (w *storeWriter) signing(keys ...*delta.SecretKey) *signing {
	s := &signing{w: w, expiry: w.expiry, now: time.Now()}
	if s.expiry <= 0 {
		s.expiry = DefaultExpiry
	}
	for _, k := range keys {
		s.signers = append(s.signers, signerOf(k))
	}
	return s
}

// read reads the metadata that is there, as a client does that allows what has expired.
// Without a root of its own it begins with the store's first.
func (s *signing) read() error {
	text := s.root
	s.chain, s.stamp = nil, store.Absent
	if text == nil {
		b, _, err := s.w.from.File(trust.Name(trust.RoleRoot, 1))
		if errors.Is(err, fs.ErrNotExist) {
			return s.w.unsigned()
		} else if err != nil {
			return err
		}
		text = b
	}
	chain, err := trust.Start(text, nil)
	if err != nil {
		return err
	}
	chain.Now, chain.AllowExpired = s.now, true
	byOwner := s.root != nil || s.owns(chain.Root)
	for range trust.MostRoots {
		next, _, err := s.w.from.File(trust.Name(trust.RoleRoot, chain.Root.Version+1))
		if errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		if err := chain.NextRoot(next); err != nil {
			return err
		}
		byOwner = byOwner || s.owns(chain.Root)
	}
	s.chain = chain
	b, version, err := s.w.from.File(trust.TimestampName)
	if errors.Is(err, fs.ErrNotExist) {
		return s.lost()
	} else if err != nil {
		return err
	}
	s.stamp = version
	stamp, err := trust.ParseTimestamp(b)
	if err != nil {
		return err
	}
	s.last = map[string]int64{trust.RoleTimestamp: stamp.Version, trust.RoleSnapshot: stamp.Meta[trust.RoleSnapshot+".json"].Version}
	err = chain.SetTimestamp(b)
	if err == nil {
		name, _ := chain.Snapshot()
		if b, _, err = s.w.from.File(name); err == nil {
			err = chain.SetSnapshot(b)
		}
	}
	if err == nil {
		name, _ := chain.TargetsAt()
		if b, _, err = s.w.from.File(name); err == nil {
			err = chain.SetTargets(b)
		}
	}
	if s.stale = errors.Is(err, trust.ErrSignature) && chain.Root.Version > 1; s.stale {
		return nil
	}
	if err == nil && !byOwner && !s.signedByOwn(b) {
		err = fmt.Errorf("%s: %w: nothing shows that the list of builds is by somebody whom the owner of the key trusts: pass --trust FILE", s.w.at, ErrKeyRole)
	}
	return err
}

// unsigned fails for a store that has a timestamp, and so had a root.
func (w *storeWriter) unsigned() error {
	_, _, err := w.from.File(trust.TimestampName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		err = fmt.Errorf("%s: %w: there is no %s, though there is a %s: it was removed", w.at, store.ErrCorrupt, trust.Name(trust.RoleRoot, 1), trust.TimestampName)
	}
	return err
}

// lost fails for a store whose timestamp was removed, unless it is signed anew. It was not
// if no snapshot was written before, or the first: then the first signing was stopped.
func (s *signing) lost() error {
	last := int64(0)
	err := s.w.eachTrust(func(name string) {
		if n, ok := strings.CutSuffix(path.Base(name), "."+trust.RoleSnapshot+".json"); ok {
			if n, err := strconv.ParseInt(n, 10, 64); err == nil {
				last = max(last, n)
			}
		}
	})
	if err != nil || last <= 1 {
		return err
	}
	if !s.anew {
		return fmt.Errorf("%s: %w: there is no %s, though there is a snapshot %d: it was removed; pakdb store sign --all signs the store anew",
			s.w.at, store.ErrCorrupt, trust.TimestampName, last)
	}
	// Clients may have seen any version: the time in seconds is more than any honest count.
	s.last = map[string]int64{}
	for _, role := range []string{trust.RoleTimestamp, trust.RoleSnapshot, trust.RoleTargets} {
		s.last[role] = s.now.Unix()
	}
	return nil
}

// owns reports whether a root is by the owner of one of the keys.
func (s *signing) owns(r *trust.Root) bool {
	return slices.ContainsFunc(s.signers, func(k trust.Signer) bool { return slices.Contains(r.Roles[trust.RoleRoot].KeyIDs, k.Public().ID()) })
}

func (s *signing) signedByOwn(targets []byte) bool {
	return slices.ContainsFunc(s.signers, func(k trust.Signer) bool { return trust.SignedBy(targets, k.Public()) })
}

// may fails unless the keys may sign for the roles.
func (s *signing) may(roles ...string) error {
	for _, role := range roles {
		if s.chain != nil && !s.chain.Root.Enough(role, s.signers) {
			return fmt.Errorf("%s: %w: root %d asks for %d of %d other keys for %s: see pakdb store keys list", s.w.at, ErrKeyRole,
				s.chain.Root.Version, s.chain.Root.Roles[role].Threshold, len(s.chain.Root.Roles[role].KeyIDs), role)
		}
	}
	return nil
}

// edit changes the builds that are signed, and signs all that follows from that. nil
// changes nothing: what is about to expire is signed anew. Another publisher may do the
// same meanwhile.
func (s *signing) edit(change func(*trust.Targets) error) error {
	for try := 0; ; try++ {
		err := s.read()
		if err == nil && s.stale && !s.anew {
			err = errStale
		}
		if err == nil && s.chain == nil {
			err = s.firstRoot()
		}
		if err == nil {
			err = s.once(change)
		}
		if !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}

// firstRoot writes the first root: the keys may sign everything, each by itself.
func (s *signing) firstRoot() error {
	root := &trust.Root{Head: trust.NewHead(trust.RoleRoot, 1, s.now.Add(longExpiry)), Consistent: true, Keys: map[string]trust.Key{}, Roles: map[string]trust.Role{}}
	var ids []string
	for _, k := range s.signers {
		id := k.Public().ID()
		root.Keys[id], ids = k.Public(), append(ids, id)
	}
	for _, role := range trust.Roles() {
		root.Roles[role] = trust.Role{KeyIDs: ids, Threshold: 1}
	}
	b, err := trust.Sign(root, s.signers)
	if err == nil {
		err = s.create(trust.Name(trust.RoleRoot, 1), b)
	}
	if err == nil {
		err = s.read()
	}
	return err
}

// create writes a file that must not be there. In a folder one that is there was never
// named: its publisher was stopped.
func (s *signing) create(name string, b []byte) error {
	if s.w.bucket == nil {
		return s.w.writeLast(name, b)
	}
	_, err := s.w.bucket.Put(s.w.bucket.ctx, name, bytes.NewReader(b), int64(len(b)), store.Absent)
	return err
}

const mostLast = 1 << 40 // version after which numbers go on: a thief may have signed the largest

// after returns the version after which a role's go on. If that is not the last one it is the
// time in seconds, more than any honest count: clients may have seen that by another key.
func (s *signing) after(role string) int64 {
	last := max(s.chain.Version(role), s.last[role])
	if last > mostLast && s.stale {
		return s.now.Unix()
	}
	return last
}

// numbered writes the next version of metadata, whose number nobody has yet.
func (s *signing) numbered(role string, make func(trust.Head) any) (meta trust.Meta, err error) {
	last := s.after(role)
	for n := last + 1; ; n++ {
		b, err := trust.Sign(make(trust.NewHead(role, n, s.now.Add(longExpiry))), s.signers)
		if err != nil {
			return meta, err
		}
		meta = trust.Meta{Version: n, Length: int64(len(b)), Hashes: trust.Hashes(b)}
		if err = s.create(trust.Name(role, n), b); !errors.Is(err, store.ErrRaced) || n > last+mostTries {
			return meta, err
		}
	}
}

// once does so, unless others were faster.
func (s *signing) once(change func(*trust.Targets) error) error {
	c := s.chain
	if err := s.may(trust.RoleTimestamp); err != nil {
		return err
	}
	if c.Root.Expires.Sub(s.now) < longExpiry/2 && c.Root.Enough(trust.RoleRoot, s.signers) {
		if err := s.renewRoot(); err != nil {
			return err
		}
	}
	targets := &trust.Targets{Targets: map[string]trust.Target{}}
	if c.Targets != nil {
		targets.Head, targets.Targets, targets.Channels = c.Targets.Head, maps.Clone(c.Targets.Targets), c.Targets.Channels
	}
	before, released := maps.Clone(targets.Targets), targets.Channels
	if change != nil {
		if err := change(targets); err != nil {
			return err
		}
	}
	snapshot := c.SnapshotMeta()
	left, mayAll := targets.Expires.Sub(s.now), s.may(trust.RoleTargets, trust.RoleSnapshot) == nil
	aging := left < s.expiry || mayAll && left < longExpiry/2 // a key for the timestamp alone goes on while it can
	if changed := change != nil && !(maps.EqualFunc(before, targets.Targets, trust.Target.Equal) && released.Equal(targets.Channels)); changed || s.stale || c.Targets == nil || aging {
		if err := s.may(trust.RoleTargets, trust.RoleSnapshot); err != nil {
			return err
		}
		meta, err := s.numbered(trust.RoleTargets, func(h trust.Head) any { targets.Head = h; return targets })
		if err != nil {
			return err
		}
		snapshot, err = s.numbered(trust.RoleSnapshot, func(h trust.Head) any {
			return &trust.Snapshot{Head: h, Meta: map[string]trust.Meta{trust.RoleTargets + ".json": meta}}
		})
		if err != nil {
			return err
		}
	}
	return s.stampIt(snapshot)
}

// stampIt replaces the timestamp: from now on clients get the snapshot.
func (s *signing) stampIt(snapshot trust.Meta) error {
	b, err := trust.Sign(&trust.Timestamp{Head: trust.NewHead(trust.RoleTimestamp, s.after(trust.RoleTimestamp)+1, s.now.Add(s.expiry)),
		Meta: map[string]trust.Meta{trust.RoleSnapshot + ".json": snapshot}}, s.signers)
	if err != nil {
		return err
	}
	if s.w.bucket == nil {
		return s.w.writeLast(trust.TimestampName, b)
	}
	_, err = s.w.bucket.Put(s.w.bucket.ctx, trust.TimestampName, bytes.NewReader(b), int64(len(b)), s.stamp)
	return err
}

// renewRoot writes the same root, good for longer.
func (s *signing) renewRoot() error {
	next := *s.chain.Root
	next.Head = trust.NewHead(trust.RoleRoot, next.Version+1, s.now.Add(longExpiry))
	b, err := trust.Sign(&next, s.signers)
	if err == nil {
		err = s.create(trust.Name(trust.RoleRoot, next.Version), b)
	}
	if err == nil {
		err = s.chain.NextRoot(b)
	}
	return err
}

// addTarget signs a manifest, which it writes where clients look for it.
func (s *signing) addTarget(t *trust.Targets, label string, manifest []byte) error {
	name := store.BuildName(label)
	one := trust.Target{Length: int64(len(manifest)), Hashes: trust.Hashes(manifest)}
	have, there := t.Targets[name]
	if one.Custom = have.Custom; there && one.Equal(have) {
		return nil
	}
	t.Targets[name] = one
	return s.w.writeLast(one.At(name), manifest)
}

// signBuilds signs what the list of builds has. Manifests that are not signed yet
// count if all says so, or if the signature beside them is by the key.
func (w *storeWriter) signBuilds(key *delta.SecretKey, all bool) error {
	s := w.signing(key)
	s.root, s.anew = w.root, all
	return s.edit(func(t *trust.Targets) error {
		index, _, err := w.listed()
		if err != nil {
			return err
		}
		labels := index.Builds
		names := manifests(labels)
		if err := t.Keep(labels, all); err != nil {
			return fmt.Errorf("%s: %w", s.w.at, err)
		}
		for i, name := range names {
			_, there := t.Targets[name]
			if fresh := labels[i] == w.fresh; there && !fresh {
				continue
			}
			b, _, err := w.from.File(name)
			if err != nil {
				return err
			}
			sigs, _, err := w.from.File(name + store.Signed)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if all || store.Verify(key.Public(), b, string(sigs), name) == nil {
				if err := s.addTarget(t, labels[i], b); err != nil {
					return err
				}
			}
		}
		t.Arrange(labels, w.fresh, all)
		return s.signChannels(t, index, all)
	})
}

// signChannels signs the channels of builds. What is signed already counts, not what the
// list of builds says, which anybody with access to the store may have written; but if all
// says so, or nothing was signed before.
func (s *signing) signChannels(t *trust.Targets, index *store.Index, all bool) (err error) {
	if all || s.chain.Targets == nil {
		t.Channels = index.Channels
	}
	if t.Channels, err = s.w.rollout.into(t.Channels, s.w.fresh, t.Labels()); err != nil {
		return err
	}
	for label := range t.Channels.Builds() {
		if _, there := t.Targets[store.BuildName(label)]; !there {
			return s.notListed(label)
		}
	}
	return nil
}

// maySign fails early for a key that may not sign builds of this store (all of them: also
// those that other keys signed), for a signed store without a key, and for a list of builds
// that lacks a signed one.
func (w *storeWriter) maySign(all bool) error {
	if w.key == nil {
		return w.staysSigned()
	}
	s := w.signing(w.key)
	s.root, s.anew = w.root, all
	err := s.read()
	if err == nil && s.stale {
		err = errStale
	}
	if err == nil || errors.Is(err, errStale) && all {
		err = s.may(trust.RoleTargets, trust.RoleSnapshot, trust.RoleTimestamp)
	}
	if err != nil || all {
		return err
	}
	index, _, err := w.listed()
	if errors.Is(err, fs.ErrNotExist) {
		index, err = &store.Index{}, nil
	}
	if err != nil {
		return err
	}
	return s.mayList(append(slices.Clone(index.Builds), w.fresh))
}

// mayList fails for a list of builds that could not be signed, since it lacks a build that
// was signed as the last of a platform, or that a signed channel gives out.
func (s *signing) mayList(labels []string) error {
	if s.chain == nil || s.chain.Targets == nil {
		return nil
	}
	signed := *s.chain.Targets
	signed.Targets = maps.Clone(signed.Targets)
	if err := signed.Keep(labels, false); err != nil {
		return fmt.Errorf("%s: %w", s.w.at, err)
	}
	for label := range signed.Channels.Builds() {
		if !slices.Contains(labels, label) {
			return s.notListed(label)
		}
	}
	return nil
}

func (s *signing) notListed(label string) error {
	return fmt.Errorf("%s: %w: a channel gives out %q, which the list of builds lacks, or which is not signed", s.w.at, store.ErrCorrupt, label)
}

// writeList writes the list of builds, which replaces that of a version in a bucket. Unless
// all says that it is signed as it is, it fails before it writes if the list could not be
// signed.
func (w *storeWriter) writeList(index *store.Index, version string, all bool) error {
	index.Trust = w.key != nil
	if w.key != nil && !all {
		s := w.signing(w.key)
		s.root = w.root
		err := s.read()
		if err == nil {
			err = s.mayList(index.Builds)
		}
		if err != nil {
			return w.raced(version, err)
		}
	}
	if w.bucket != nil {
		return w.change(store.IndexName, index, version)
	}
	return w.writeJSON(store.IndexName, index)
}

// raced returns err, or [store.ErrRaced] if the list of builds in a bucket is another one
// than that of a version: then what was signed meanwhile is of the newer list.
func (w *storeWriter) raced(version string, err error) error {
	if w.bucket == nil {
		return err
	}
	if _, now, e := w.from.File(store.IndexName); e == nil && now != version {
		return fmt.Errorf("%s: %w", store.IndexName, store.ErrRaced)
	}
	return err
}

// publishSigned signs the builds if the store is signed.
func (w *storeWriter) publishSigned() error {
	if w.key == nil {
		return nil
	}
	return w.signBuilds(w.key, false)
}

// trusted returns the names of the files of signed metadata that the current state
// needs: nil if there is none.
func (w *storeWriter) trusted(key *delta.SecretKey) (map[string]bool, error) {
	s := w.signing(key)
	s.root = w.root
	if err := s.read(); err != nil || s.chain == nil || s.chain.Targets == nil {
		return nil, err
	}
	need := map[string]bool{trust.TimestampName: true}
	for n := int64(1); n <= s.chain.Root.Version; n++ {
		need[trust.Name(trust.RoleRoot, n)] = true
	}
	snapshot, _ := s.chain.Snapshot()
	targets, _ := s.chain.TargetsAt()
	need[snapshot], need[targets] = true, true
	for name, t := range s.chain.Targets.Targets {
		need[t.At(name)] = true
	}
	return need, nil
}

// isTrust reports whether a file is one of signed metadata.
func isTrust(name string) bool {
	return strings.HasPrefix(name, trust.Folder) && path.Ext(name) == ".json"
}
