package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/trust"
)

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
			// Seconds are all that services tell, so that of no grace time nothing is asked.
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
