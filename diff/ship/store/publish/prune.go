package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// Pruned tells what a pruning removed.
type Pruned struct {
	Builds []string
	Files  int   // packs and objects
	Size   int64 // their bytes

	Waiting int // files of a bucket that nothing needs, until the grace time is over
}

// Prune removes all builds but the last keep that were published and those that a channel
// gives out, and the packs
// and objects that no build needs any more. A pack stays as long as one of its
// chunks is needed. The builds that stay are checked first: nothing is removed
// from a store that is damaged. key signs the list of builds; it is nil for a store
// that is not signed. root is as in [SignOptions].
//
// A bucket may be written meanwhile: a file goes when it was not needed for the grace
// time, in which every publisher that may use it must be done. Each pruning remembers in
// the bucket what it found not needed.
func Prune(ctx context.Context, dir string, keep int, grace time.Duration, key *delta.SecretKey, root []byte) (*Pruned, error) {
	s, err := openSource(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := s.close(); err != nil {
		return nil, err
	}
	w, done, err := openWriter(ctx, dir, key, atomicfile.Open)
	if err != nil {
		return nil, err
	}
	defer done()
	w.root = root
	if err := w.maySign(false); err != nil {
		return nil, err
	}
	var found error
	if _, err := Check(ctx, dir, func(name string, err error) { found = errors.Join(found, fmt.Errorf("%s: %w", name, err)) }); err != nil {
		return nil, err
	}
	if found != nil {
		return nil, found
	}
	if w.bucket != nil {
		return w.pruneRemote(ctx, keep, grace, time.Now())
	}
	index, builds, err := store.ReadBuilds(w.from)
	if err != nil {
		return nil, err
	}
	out := &Pruned{}
	index.Builds, out.Builds = kept(index, keep)
	need, err := needed(w, slices.DeleteFunc(builds, func(b *store.Build) bool { return slices.Contains(out.Builds, b.Label) }))
	if err != nil {
		return nil, err
	}
	to := w.out
	if err := tidy(to); err != nil {
		return nil, err
	}
	if err := w.writeList(index, "", false); err != nil {
		return nil, err
	}
	if err := w.publishSigned(); err != nil {
		return nil, err
	}
	if err := removeUntrusted(w); err != nil {
		return nil, err
	}
	if err := removeUnlisted(to, index); err != nil {
		return nil, err
	}
	return out, out.sweep(to, need)
}

// removeUnlisted removes the manifests of builds that the list has not: of those
// that were pruned, also by a pruning that was stopped, and of those of which a
// publisher was stopped before it listed them. What they need goes after them.
func removeUnlisted(to *atomicfile.Dir, index *store.Index) error {
	listed := map[string]bool{path.Base(store.IndexName): true}
	for _, label := range index.Builds {
		listed[label+".json"] = true
	}
	entries, err := os.ReadDir(to.Path("builds"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), store.Signed)
		if listed[name] || path.Ext(name) != ".json" {
			continue
		}
		if err := to.Remove("builds/" + e.Name()); err != nil {
			return err
		}
	}
	return to.Sync()
}

// removeUntrusted removes signed metadata that was replaced, and the manifests that only
// it named.
func removeUntrusted(w *storeWriter) error {
	if w.key == nil {
		return nil
	}
	need, err := w.trusted(w.key)
	if err != nil || need == nil {
		return err
	}
	for _, folder := range []string{"trust", "trust/builds"} {
		entries, err := os.ReadDir(w.out.Path(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			name := folder + "/" + e.Name()
			if need[name] || !isTrust(name) || e.IsDir() {
				continue
			}
			if err := w.out.Remove(name); err != nil {
				return err
			}
		}
	}
	return w.out.Sync()
}

// needed returns the names of all packs and objects that builds are made of.
func needed(w *storeWriter, builds []*store.Build) (map[string]bool, error) {
	numbers, err := packNumbers(w.at)
	if err != nil {
		return nil, err
	}
	infos := store.Tables{}
	for _, n := range numbers {
		if infos[n], _, err = store.ReadPack(w.from, n); err != nil {
			return nil, err
		}
	}
	return neededBy(w.from, infos, builds)
}

// neededBy does so, where the packs are known.
func neededBy(from *store.Reader, infos store.Tables, builds []*store.Build) (map[string]bool, error) {
	c := newChecker(from)
	c.Packs = infos
	need := map[string]bool{}
	for _, b := range builds {
		need[store.ObjectName(b.Lists)], need[store.ObjectName(b.Past)] = true, true
		for _, t := range b.Tables {
			need[store.ObjectName(t.Object)] = true
		}
		for _, d := range b.Deltas {
			need[store.DeltaName(d.Name)] = true
		}
		for _, ref := range b.Contents {
			need[store.ObjectName(ref.Object)] = true
			plain, err := store.ReadObject(from, ref.Object)
			if err != nil {
				return nil, err
			}
			list, err := store.ParseDeltaList(plain)
			if err != nil {
				return nil, err
			}
			for _, f := range list.Files {
				need[f.Name()] = true
			}
		}
		for _, f := range b.Files {
			need[store.NamesName(f.Sum)] = true
		}
	}
	return need, c.recipePlaces(builds, func(p store.Place) { need[store.PackName(p.Pack)] = true })
}

// sweep removes packs and objects that are not needed.
func (p *Pruned) sweep(to *atomicfile.Dir, need map[string]bool) error {
	for _, folder := range []string{"m", "p", "d", "n"} {
		entries, err := os.ReadDir(to.Path(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if need[folder+"/"+e.Name()] {
				continue
			}
			st, err := e.Info()
			if err != nil {
				return err
			}
			if err := to.Remove(folder + "/" + e.Name()); err != nil {
				return err
			}
			p.Files++
			p.Size += st.Size()
		}
	}
	return to.Sync()
}
