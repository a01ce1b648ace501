package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// Pruned reports what a pruning removed.
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

// marksName is the file of a bucket that says since when files are not needed. A
// publisher that began before then may still use them.
const marksName = ".prune.json"

// marks are names of files and since when nothing needs them, in seconds since 1970.
type marks map[string]int64

// pruneRemote prunes a bucket, which others may write meanwhile.
func (w *storeWriter) pruneRemote(ctx context.Context, keep int, grace time.Duration, now time.Time) (*Pruned, error) {
	out := &Pruned{}
	if err := w.shorten(out, keep); err != nil {
		return out, err
	}
	if err := w.publishSigned(); err != nil { // without the builds that are gone
		return out, err
	}
	since, version, err := w.marks()
	if err != nil {
		return out, err
	}
	for try := 0; ; try++ {
		labels, need, err := w.needed()
		if err != nil {
			return out, err
		}
		next := marks{}
		removed, err := w.unneeded(ctx, need, func(in store.Info) bool {
			next[in.Name] = now.Unix()
			if t, ok := since[in.Name]; ok {
				next[in.Name] = min(t, now.Unix())
			}
			// Services give seconds alone, so that no grace time asks nothing.
			return grace == 0 || now.Sub(time.Unix(next[in.Name], 0)) >= grace && now.Sub(in.Written) >= grace
		})
		if err != nil {
			return out, err
		}
		// What was published while that was found may need some of it.
		if again, _, err := w.listed(); err != nil {
			return out, err
		} else if !slices.Equal(again.Builds, labels) && try < mostTries {
			continue
		}
		for _, in := range removed {
			if err := w.bucket.Remove(ctx, in.Name); err != nil {
				return out, err
			}
			delete(next, in.Name)
			out.Files++
			out.Size += in.Size
		}
		out.Waiting = len(next)
		return out, w.mark(next, version)
	}
}

// shorten takes all builds but the last from the list.
func (w *storeWriter) shorten(out *Pruned, keep int) error {
	for try := 0; ; try++ {
		index, version, err := w.listed()
		if err != nil {
			return err
		}
		if index.Builds, out.Builds = kept(index, keep); len(out.Builds) == 0 {
			return nil
		}
		if err = w.writeList(index, version, false); err == nil || !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}

// listed returns the list of the builds that the store has, and its version.
func (w *storeWriter) listed() (index *store.Index, version string, err error) {
	b, version, err := w.from.File(store.IndexName)
	if err == nil {
		index, err = store.ParseIndex(b)
	}
	return index, version, err
}

// needed returns the names of all files that the builds are made of, manifests included.
func (w *storeWriter) needed() (labels []string, need map[string]bool, err error) {
	index, builds, err := store.ReadBuilds(w.from)
	if err != nil {
		return nil, nil, err
	}
	infos, err := listedPacks(w.from, builds)
	if err != nil {
		return nil, nil, err
	}
	if need, err = neededBy(w.from, infos, builds); err != nil {
		return nil, nil, err
	}
	for _, name := range append([]string{store.IndexName}, manifests(index.Builds)...) {
		need[name], need[name+store.Signed] = true, true
	}
	if w.key != nil {
		signed, err := w.trusted(w.key)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(need, signed)
	}
	return index.Builds, need, nil
}

func manifests(labels []string) (names []string) {
	for _, label := range labels {
		names = append(names, store.BuildName(label))
	}
	return names
}

// unneeded returns the files of a store that are not needed and of which old says that
// they may go: manifests first, then what these need.
func (w *storeWriter) unneeded(ctx context.Context, need map[string]bool, old func(store.Info) bool) (list []store.Info, err error) {
	folders := []string{"builds", "m", "p", "d", "n"}
	if need[trust.TimestampName] {
		folders = append(folders, strings.TrimSuffix(trust.Folder, "/"))
	}
	for _, folder := range folders {
		err := w.bucket.List(ctx, folder, func(in store.Info) error {
			manifest := path.Ext(strings.TrimSuffix(in.Name, store.Signed)) == ".json"
			if !need[in.Name] && (folder != "builds" || manifest) && (folder+"/" != trust.Folder || isTrust(in.Name)) && old(in) {
				list = append(list, in)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (w *storeWriter) marks() (m marks, version string, err error) {
	b, version, err := w.from.File(marksName)
	if errors.Is(err, fs.ErrNotExist) {
		return marks{}, store.Absent, nil
	}
	if err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return marks{}, version, nil // all wait anew
	}
	return m, version, nil
}

// mark writes what waits. If another pruning did meanwhile, its marks are as good.
func (w *storeWriter) mark(m marks, version string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = w.bucket.Put(w.bucket.ctx, marksName, bytes.NewReader(b), int64(len(b)), version)
	if errors.Is(err, store.ErrRaced) {
		return nil
	}
	return err
}
