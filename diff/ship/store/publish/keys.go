package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// SignOptions for [Sign] and [Renew].
type SignOptions struct {
	Root   []byte        // the root to begin with; nil: the store's first
	Expiry time.Duration // of the timestamp; 0: [DefaultExpiry]
}

// Sign signs a store as it is: every build of its list, by whatever keys it is signed. A
// store without signed metadata gets its first root, by which the key may sign
// everything.
func Sign(ctx context.Context, dir string, key *delta.SecretKey, opt SignOptions) error {
	w, done, err := openSigned(ctx, dir, key, opt)
	if err != nil {
		return err
	}
	defer done()
	if err := w.maySign(true); err != nil {
		return err
	}
	index, version, err := w.listed()
	if err != nil {
		return err
	}
	if err := w.writeList(index, version, true); err != nil {
		return err
	}
	return w.signBuilds(key, true)
}

func openSigned(ctx context.Context, dir string, key *delta.SecretKey, opt SignOptions) (*storeWriter, func(), error) {
	s, err := openSource(ctx, dir) // that it is a store
	if err != nil {
		return nil, nil, err
	}
	if err := s.close(); err != nil {
		return nil, nil, err
	}
	w, done, err := openWriter(ctx, dir, key, atomicfile.Open)
	if err == nil {
		w.root, w.expiry = opt.Root, opt.Expiry
	}
	return w, done, err
}

// Renew says that the builds of a store are still the current ones: its timestamp is
// good for longer. So is what else is about to expire, if the key may sign that.
func Renew(ctx context.Context, dir string, key *delta.SecretKey, opt SignOptions) error {
	w, done, err := openSigned(ctx, dir, key, opt)
	if err != nil {
		return err
	}
	defer done()
	s := w.signing(key)
	s.root = opt.Root
	if err := s.read(); err != nil {
		return err
	}
	if s.chain == nil {
		return fmt.Errorf("%s: %w", dir, store.ErrUnsigned)
	}
	return s.edit(nil)
}

// RootChange says how the next root of a store differs from the last.
type RootChange struct {
	Role      string             // whose keys change: one of [trust.Roles]; "" none
	Add       []*delta.PublicKey // keys that may sign for it
	Remove    []string           // ids of keys that may not any more, or their beginnings
	Threshold int                // how many of the keys must sign; 0: as before
}

// ErrThreshold is the error for a root that more keys must sign.
var ErrThreshold = errors.New("more keys must sign the root")

// Rotate writes the next root of a store, signed by the keys. As many as the threshold
// says of the last root's keys and of its own must sign: if they are fewer, nothing is
// written, the error is [ErrThreshold], and the root that was made is returned. With
// draft that is the root which more keys sign.
func Rotate(ctx context.Context, dir string, keys []*delta.SecretKey, change RootChange, draft []byte) (root []byte, err error) {
	w, done, err := openSigned(ctx, dir, nil, SignOptions{})
	if err != nil {
		return nil, err
	}
	defer done()
	s := w.signing(keys...)
	if s.root, _, err = w.from.File(trust.Name(trust.RoleRoot, 1)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, store.ErrUnsigned)
	} else if err != nil {
		return nil, err
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	if root, err = s.nextRoot(change, draft); err != nil {
		return nil, err
	}
	next, err := trust.ParseRoot(root)
	if err != nil {
		return nil, err
	}
	last := s.chain.Root
	if err := s.chain.NextRoot(root); errors.Is(err, trust.ErrSignature) {
		return root, fmt.Errorf("%w: %w", ErrThreshold, err)
	} else if err != nil {
		return nil, err
	}
	if err := s.create(trust.Name(trust.RoleRoot, next.Version), root); err != nil || s.stale || s.chain.Targets == nil {
		return root, err
	}
	// The list of builds was sound by the last root, and is so by one with the same keys. Else
	// their owner signs it at once.
	if same := func(role string) bool { return slices.Equal(last.Roles[role].KeyIDs, next.Roles[role].KeyIDs) }; same(trust.RoleTargets) && same(trust.RoleSnapshot) && same(trust.RoleTimestamp) {
		return root, nil
	}
	if err := s.may(trust.RoleTargets, trust.RoleSnapshot, trust.RoleTimestamp); err != nil {
		return root, nil
	}
	s.stale = true
	return root, s.once(nil)
}

// nextRoot makes the root after the last one, or signs a draft of it.
func (s *signing) nextRoot(change RootChange, draft []byte) ([]byte, error) {
	if draft != nil {
		r, err := trust.ParseRoot(draft)
		if err == nil && r.Version != s.chain.Root.Version+1 {
			err = fmt.Errorf("%w: the draft is root %d, and the store has root %d", trust.ErrRollback, r.Version, s.chain.Root.Version)
		}
		if err != nil {
			return nil, err
		}
		return trust.AddSignatures(draft, s.signers)
	}
	next := *s.chain.Root
	next.Head = trust.NewHead(trust.RoleRoot, next.Version+1, s.now.Add(longExpiry))
	next.Keys, next.Roles = maps.Clone(next.Keys), maps.Clone(next.Roles)
	roles := []string{change.Role}
	switch {
	case change.Role == "":
		roles = nil
	case change.Role == RolePublish:
		roles = []string{trust.RoleTargets, trust.RoleSnapshot, trust.RoleTimestamp}
	case !slices.Contains(trust.Roles(), change.Role):
		return nil, fmt.Errorf("%w: no role %q: root, publish, targets, snapshot and timestamp are", ErrKeyRole, change.Role)
	}
	if change.Threshold > 1 && change.Role != trust.RoleRoot {
		return nil, fmt.Errorf("%w: pakdb publish signs with one key: only the root may need several", errors.ErrUnsupported)
	}
	removed := map[string]bool{}
	for _, name := range roles {
		role := next.Roles[name]
		role.KeyIDs = slices.DeleteFunc(slices.Clone(role.KeyIDs), func(id string) bool {
			gone := slices.ContainsFunc(change.Remove, func(r string) bool { return len(r) >= 8 && len(r) <= len(id) && id[:len(r)] == r })
			removed[id] = removed[id] || gone
			return gone
		})
		for _, k := range change.Add {
			key := TrustKey(k)
			next.Keys[key.ID()] = key
			if !slices.Contains(role.KeyIDs, key.ID()) {
				role.KeyIDs = append(role.KeyIDs, key.ID())
			}
		}
		if change.Threshold > 0 {
			role.Threshold = change.Threshold
		}
		next.Roles[name] = role
	}
	for _, r := range change.Remove {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(removed)), func(id string) bool { return removed[id] && len(id) >= len(r) && id[:len(r)] == r }) {
			return nil, fmt.Errorf("%w: no key %s of %s to be removed (eight digits or more name one)", ErrKeyRole, r, change.Role)
		}
	}
	maps.DeleteFunc(next.Keys, func(id string, _ trust.Key) bool { // those of no role
		return !slices.ContainsFunc(trust.Roles(), func(name string) bool { return slices.Contains(next.Roles[name].KeyIDs, id) })
	})
	return trust.Sign(&next, s.signers)
}

// RolePublish means the roles of publishers: targets, snapshot, timestamp.
const RolePublish = "publish"

// Trusted is the signed metadata of a store.
type Trusted struct {
	Root    *trust.Root
	Text    []byte                   // of the last root
	Version map[string]int64         // by role
	Expires map[string]time.Time     // by role
	Builds  []string                 // that are signed, in the order of publication
	Targets map[string]*trust.Target // by label
}

// ReadTrust reads the signed metadata of a store as a client does. It begins with root,
// or with the store's first if that is nil. The error wraps [store.ErrUnsigned] if there
// is none.
func ReadTrust(ctx context.Context, dir string, root []byte) (t *Trusted, err error) {
	src, err := openSource(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	w := &storeWriter{at: dir, from: src.from, bucket: src.remote}
	s := w.signing()
	if s.root = root; root == nil {
		if s.root, _, err = src.from.File(trust.Name(trust.RoleRoot, 1)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", dir, store.ErrUnsigned)
		} else if err != nil {
			return nil, err
		}
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	c := s.chain
	if c.Targets == nil && !s.stale {
		return nil, fmt.Errorf("%s: %w: there is no %s; pakdb store sign --all signs the store", dir, store.ErrCorrupt, trust.TimestampName)
	}
	t = &Trusted{Root: c.Root, Version: map[string]int64{}, Expires: maps.Clone(c.Expires()), Targets: map[string]*trust.Target{}}
	if t.Text, _, err = src.from.File(trust.Name(trust.RoleRoot, c.Root.Version)); err != nil {
		return nil, err
	}
	for _, role := range trust.Roles() {
		t.Version[role] = c.Version(role)
	}
	if c.Targets != nil {
		t.Builds = c.Targets.Labels()
		for _, label := range t.Builds {
			one := c.Targets.Targets[store.BuildName(label)]
			t.Targets[label] = &one
		}
	}
	return t, nil
}
