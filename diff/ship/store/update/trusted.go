package update

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

// The classes of errors of signed metadata.
var (
	ErrMetadata  = trust.ErrMetadata  // damaged
	ErrSignature = trust.ErrSignature // not signed by the keys of its role
	ErrRollback  = trust.ErrRollback  // earlier than the metadata that the folder remembers
	ErrExpired   = trust.ErrExpired
	ErrMixed     = trust.ErrMixed // a file has other bytes than the metadata says
)

// MemoryName is the file of a folder that remembers the signed metadata seen last.
const MemoryName = trust.MemoryName

// truster finds out whom a folder trusts, and what the store has by their word.
type truster struct {
	r      *Remote
	mu     sync.Mutex
	chain  *trust.Chain // nil: the store is not signed, or in the old way
	dir    string       // whose memory the chain began with
	doubts []string
}

// Doubts returns what a user should know about the signatures of the store, a line each.
func (r *Remote) Doubts() []string {
	r.trust.mu.Lock()
	defer r.trust.mu.Unlock()
	list := slices.Clone(r.trust.doubts)
	if c := r.trust.chain; c != nil {
		for _, line := range c.Expired() {
			list = append(list, "the store's signed metadata: "+line)
		}
	}
	return list
}

// doubt adds a line to what a user should know, once.
func (t *truster) doubt(text string) {
	if !slices.Contains(t.doubts, text) {
		t.doubts = append(t.doubts, text)
	}
}

// Remembers reports whether a folder remembers whom it trusts.
func Remembers(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, trust.MemoryName))
	return err == nil
}

// recall reads the memory of a folder; nil if there is none.
func recall(root fs.FS) (*trust.Chain, error) {
	f, err := root.Open(trust.MemoryName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, trust.MostMemory+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return trust.Recall(b)
}

// open brings the chain of a folder up to date, of none if dir is "". It asks each time:
// a launcher that runs for days is to see new builds, and that the last list has expired.
// The chain is nil if the store is not signed, or in the old way.
func (t *truster) open(ctx context.Context, dir string) (chain *trust.Chain, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.r.opt.Own {
		return nil, nil
	}
	if t.chain != nil && t.dir == dir && (dir == "" || !Remembers(dir)) {
		chain, err = t.chain.Again()
	} else {
		chain, err = t.begin(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	if chain == nil {
		t.chain = nil
		return nil, nil
	}
	return chain, t.refresh(ctx, chain, dir)
}

// begin returns the root to begin with, nil if there is none. The memory of the folder
// decides; without one the root that was given, or one by the key.
func (t *truster) begin(ctx context.Context, dir string) (chain *trust.Chain, err error) {
	if dir != "" {
		if chain, err = recall(regular.FS(dir)); err != nil {
			return nil, &trustError{err, dir}
		}
	}
	key := t.key()
	switch {
	case chain != nil && key != nil && !chain.Knows(*key):
		return nil, &trustError{fmt.Errorf("%w: the folder trusts a store whose owner has not this key", trust.ErrSignature), dir}
	case chain != nil && t.r.opt.Root != nil:
		given, err := trust.Start(t.r.opt.Root, nil)
		if err != nil {
			return nil, err
		}
		if !chain.Meets(given) {
			return nil, &trustError{fmt.Errorf("%w: the folder trusts a store with another root", trust.ErrSignature), dir}
		}
		return chain, nil
	case chain != nil:
		return chain, nil
	case t.r.opt.Root != nil:
		return trust.Start(t.r.opt.Root, key)
	case key != nil:
		return t.find(ctx, key)
	}
	return nil, nil
}

func (t *truster) key() *trust.Key {
	if t.r.key == nil {
		return nil
	}
	k := trust.NewKey(ed25519.PublicKey(t.r.key.Key[:]))
	return &k
}

// find returns the first root that is by a key; without a key the first of all. It is nil
// for a store that has none.
func (t *truster) find(ctx context.Context, key *trust.Key) (chain *trust.Chain, err error) {
	for n := int64(1); n <= trust.MostRoots; n++ {
		b, err := t.r.get(ctx, &want{name: trust.Name(trust.RoleRoot, n), n: -1, most: trust.MostRoot, optional: true, fresh: true, check: func(b []byte) error {
			r, err := trust.ParseRoot(b)
			if err == nil && r.Version != n {
				err = fmt.Errorf("%w: root %d", trust.ErrMixed, r.Version)
			}
			return err
		}})
		switch {
		case errors.Is(err, errAbsent) && n == 1:
			if key != nil {
				t.doubt("the store has signatures without metadata: its list of builds may be an old one; its owner should run pakdb store sign --all")
			}
			return nil, nil
		case errors.Is(err, errAbsent):
			return nil, fmt.Errorf("%w: none of the store's roots is by that key", trust.ErrSignature)
		case err != nil:
			return nil, err
		}
		if chain, err = trust.Start(b, key); err == nil || !errors.Is(err, trust.ErrSignature) {
			return chain, err
		}
	}
	return nil, fmt.Errorf("%w: none of %d roots is by that key", trust.ErrSignature, trust.MostRoots)
}

// pin begins with the store's own first root, since nothing else is known.
func (t *truster) pin(ctx context.Context, dir string) (*trust.Chain, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	chain, err := t.find(ctx, nil)
	if err != nil || chain == nil {
		return nil, errors.Join(err, errUntrusted)
	}
	t.doubt("the folder accepts the keys that the store states, and only these from now on: --trust names another key or root")
	return chain, t.refresh(ctx, chain, dir)
}

// errUntrusted is for a list of builds that says that there is metadata, where none is.
var errUntrusted = fmt.Errorf("%w: the list of builds says that there is signed metadata, and there is none", store.ErrCorrupt)

// refresh fetches what is newer than the chain, in TUF's order.
func (t *truster) refresh(ctx context.Context, c *trust.Chain, dir string) error {
	opt, now := &t.r.opt, t.r.clock.now()
	c.Now, c.AllowExpired, c.AllowRollback = now, opt.AllowExpired, opt.AllowRollback
	known, err := c.Root.Version, error(nil)
	for range trust.MostRoots {
		_, err = t.r.get(ctx, &want{name: trust.Name(trust.RoleRoot, c.Root.Version+1), n: -1, most: trust.MostRoot, optional: true, fresh: true, check: c.NextRoot})
		if err != nil {
			break
		}
	}
	if c.Root.Version > known && dir != "" && Remembers(dir) {
		keepRoot(ctx, c, dir) // where it cannot be written down nothing can be updated either
	}
	if err == nil || errors.Is(err, errAbsent) {
		err = c.RootsDone()
	}
	if err != nil {
		return &trustError{err, dir}
	}
	_, err = t.r.get(ctx, &want{name: trust.TimestampName, n: -1, most: trust.MostTimestamp, fresh: true, check: c.SetTimestamp})
	if err == nil {
		name, length := c.Snapshot()
		_, err = t.r.get(ctx, &want{name: name, n: -1, most: length, check: c.SetSnapshot})
	}
	if err == nil {
		name, length := c.TargetsAt()
		_, err = t.r.get(ctx, &want{name: name, n: -1, most: length, check: c.SetTargets})
	}
	if err != nil {
		return &trustError{err, dir}
	}
	t.chain, t.dir = c, dir
	return nil
}

// keepRoot writes a new root down for a folder that remembers another one, before
// anything else is fetched: a key that was removed must not count again because the rest
// does not come, and the next server has not that root.
func keepRoot(ctx context.Context, c *trust.Chain, dir string) {
	release, err := apply.Lock(dir)
	if err != nil {
		return // another update of the folder is at work, and writes it down
	}
	defer func() { _ = release() }()
	out, err := atomicfile.Open(ctx, dir)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	old, err := recall(out.FS())
	if err != nil || old == nil || old.Root.Version >= c.Root.Version {
		return
	}
	if b, err := c.Remember(); err == nil {
		_ = out.Replace(trust.MemoryName, b)
	}
}

// current returns the chain, nil if the store is not signed or in the old way.
func (t *truster) current() *trust.Chain {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.chain
}

// build returns the manifest of a build that the metadata names.
func (t *truster) build(ctx context.Context, c *trust.Chain, label string) (build *store.Build, err error) {
	name := store.BuildName(label)
	target, ok := c.Targets.Targets[name]
	if !ok {
		return nil, &noBuild{label, c.Targets.Labels()}
	}
	_, err = t.r.get(ctx, &want{name: target.At(name), n: -1, most: target.Length, check: func(b []byte) error {
		if err := target.Fits(name, b); err != nil {
			return err
		}
		var err error
		if build, err = store.ParseBuild(b); err == nil && build.Label != label {
			err = fmt.Errorf("%w: the manifest of %q", trust.ErrMixed, build.Label)
		}
		if err == nil {
			build.Sum = store.KeyOf(b)
		}
		return err
	}})
	return build, err
}

// remember writes down whom the folder trusts and what it has seen. It fails if another
// update has seen more meanwhile.
func remember(d *disk, c *trust.Chain) error {
	if c == nil {
		return nil
	}
	b, err := c.Remember()
	if err != nil {
		return err
	}
	old, err := recall(d.out.FS())
	if err != nil {
		return &trustError{err, d.name}
	}
	if old != nil && !c.AllowRollback && c.Forgets(old) {
		return &trustError{fmt.Errorf("%w: another update of the folder has seen a newer state", trust.ErrRollback), d.name}
	}
	return d.out.Replace(trust.MemoryName, b)
}

// trustError is the error for metadata that the folder does not take.
type trustError struct {
	err error
	dir string
}

func (e *trustError) Error() string { return e.err.Error() }
func (e *trustError) Unwrap() error { return e.err }

// Hint says what to do.
func (e *trustError) Hint() string {
	memory := filepath.Join(e.dir, trust.MemoryName)
	var answer *wrongError
	isAnswer, remembers := errors.As(e.err, &answer), e.dir != "" && Remembers(e.dir)
	switch {
	case errors.Is(e.err, trust.ErrRollback):
		return "the server, or a proxy, has an earlier state of the store: try another copy of it; use --allow rollback if its owner went back"
	case errors.Is(e.err, trust.ErrExpired):
		return "its owner runs pakdb store sign; if this clock is right, the server may keep newer builds back: --allow expired takes what it has"
	case errors.Is(e.err, trust.ErrSignature) && remembers:
		return "if the store has a new owner, and you trust them, remove " + memory + " and pass their key by --trust"
	case errors.Is(e.err, trust.ErrSignature):
		return "check the key or the root that was given; if it is the publisher's, the server, or a proxy, answers with data that others signed"
	case errors.Is(e.err, trust.ErrMetadata) && !isAnswer:
		return "remove " + memory + " and pass the key of the store's owner by --trust"
	case (errors.Is(e.err, fs.ErrNotExist) || isAnswer && answer.absent) && remembers:
		return "the folder trusts signed metadata, which this store has not: remove " + memory + " to trust another store"
	}
	var own interface{ Hint() string }
	if errors.As(e.err, &own) {
		return own.Hint()
	}
	return ""
}
