package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/trust"
)

// CheckSignatures returns how many manifests of a store there are, the list of builds
// among them, and how many are signed. In a store with signed metadata that is what the
// metadata names, in others what has a signature beside it. If key is not nil, its owner
// must have signed: a root of the metadata, or each manifest. What is not signed, or by
// another, is told to finding; without a key, what metadata names and is not there.
func CheckSignatures(ctx context.Context, dir string, key *delta.PublicKey, finding func(name string, err error)) (signed, of int, err error) {
	s, err := openSource(ctx, dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	index, _, err := store.ReadBuilds(s.from)
	if err != nil {
		return 0, 0, err
	}
	of = len(index.Builds) + 1
	_, _, err = s.from.File(trust.Name(trust.RoleRoot, 1))
	switch {
	case err == nil:
		signed, err = checkTrust(s, key, index, finding)
	case errors.Is(err, fs.ErrNotExist):
		if index.Trust {
			finding(trust.Name(trust.RoleRoot, 1), fmt.Errorf("%w: it is not there, though the list of builds says that the store is signed", store.ErrCorrupt))
		}
		signed, err = checkBeside(s.from, key, index, finding)
	}
	return signed, of, err
}

// checkBeside looks at the signatures beside manifests.
func checkBeside(from *store.Reader, key *delta.PublicKey, index *store.Index, finding func(string, error)) (signed int, err error) {
	for _, name := range append([]string{store.IndexName}, manifests(index.Builds)...) {
		there, err := beside(from, key, name, finding)
		if err != nil {
			return signed, err
		}
		if there {
			signed++
		}
	}
	return signed, nil
}

// beside reports whether a manifest has a signature beside it. One that is not by the key
// is told to finding.
func beside(from *store.Reader, key *delta.PublicKey, name string, finding func(string, error)) (there bool, err error) {
	text, _, err := from.File(name)
	if err != nil {
		return false, err
	}
	sigs, _, err := from.File(name + store.Signed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if key != nil {
		if err := store.Verify(key, text, string(sigs), name); err != nil {
			finding(name, err)
		}
	}
	return err == nil, nil
}

// checkTrust reads signed metadata as a client does that begins with a key, and compares
// what it names with what is there. A publication that was stopped leaves a list of builds,
// or a manifest, that older clients read and the metadata does not name yet: it has a
// signature beside it.
func checkTrust(src *source, key *delta.PublicKey, index *store.Index, finding func(string, error)) (signed int, err error) {
	from := src.from
	w := &storeWriter{at: src.at, from: from, bucket: src.remote}
	s := w.signing()
	if s.root, err = rootBy(from, key); err == nil {
		err = s.read()
	}
	switch {
	case errors.Is(err, trust.ErrSignature), errors.Is(err, trust.ErrMetadata), errors.Is(err, trust.ErrMixed), errors.Is(err, trust.ErrRollback),
		errors.Is(err, store.ErrCorrupt), errors.Is(err, fs.ErrNotExist):
		finding(trust.TimestampName, err)
		return 0, nil
	case err != nil:
		return 0, err
	case s.stale:
		finding(trust.TimestampName, errStale)
		return 0, nil
	case s.chain.Targets == nil:
		finding(trust.TimestampName, fmt.Errorf("%w: it is not there: it was removed, or the first signing was stopped; pakdb store sign --all signs the store", store.ErrCorrupt))
		return 0, nil
	}
	targets := s.chain.Targets
	named := map[string]bool{store.IndexName: slices.Equal(targets.Labels(), index.Builds)}
	for _, name := range manifests(index.Builds) {
		if target, ok := targets.Targets[name]; ok {
			text, _, err := from.File(name)
			if err != nil {
				return signed, err
			}
			named[name] = target.Fits(name, text) == nil
		}
	}
	for _, name := range append([]string{store.IndexName}, manifests(index.Builds)...) {
		there := named[name]
		if !there {
			if there, err = beside(from, key, name, finding); err != nil {
				return signed, err
			}
		}
		if there {
			signed++
		} else if key == nil {
			finding(name, fmt.Errorf("%w: neither the signed metadata names it, nor is a signature beside it", store.ErrUnsigned))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(targets.Targets)) { // what clients read
		target := targets.Targets[name]
		text, _, err := from.File(target.At(name))
		if err == nil {
			err = target.Fits(name, text)
		}
		if err != nil {
			finding(target.At(name), err)
		}
	}
	return signed, nil
}

// rootBy returns the root that a client with a key begins with: the first that is by
// it. Without a key it is the first of all.
func rootBy(from *store.Reader, key *delta.PublicKey) ([]byte, error) {
	for n := int64(1); n <= trust.MostRoots; n++ {
		b, _, err := from.File(trust.Name(trust.RoleRoot, n))
		if errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return nil, err
		}
		if key == nil {
			return b, nil
		}
		k := TrustKey(key)
		if _, err := trust.Start(b, &k); err == nil {
			return b, nil
		} else if !errors.Is(err, trust.ErrSignature) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: none of the store's roots is by that key", trust.ErrSignature)
}
