package publish

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/zeebo/blake3"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

// openWriter opens a store for writing, of which a folder keeps other publishers out.
func openWriter(ctx context.Context, location string, key *delta.SecretKey, open func(context.Context, string) (*atomicfile.Dir, error)) (w *storeWriter, closing func(), err error) {
	w = &storeWriter{at: location, key: key}
	if store.IsBucket(location) {
		if w.bucket, w.out, err = openRemote(ctx, location); err != nil {
			return nil, nil, err
		}
		w.from = store.NewReader(ctx, w.bucket)
		return w, func() { _, _ = w.out.Close(), w.bucket.scratch.Close() }, nil
	}
	if w.out, err = open(ctx, location); err != nil {
		return nil, nil, err
	}
	unlock, err := lock(location)
	if err != nil {
		return nil, nil, errors.Join(err, w.out.Close())
	}
	w.from = store.NewReader(ctx, store.Folder(location))
	return w, func() { unlock(); _ = w.out.Close() }, nil
}

// size returns the size of a file of the store; the error wraps fs.ErrNotExist if there
// is none.
func (w *storeWriter) size(name string) (int64, error) {
	if w.bucket != nil {
		in, err := w.bucket.Stat(w.bucket.ctx, name)
		return in.Size, err
	}
	st, err := w.out.Stat(name)
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// eachTrust calls use for the names of the files of signed metadata.
func (w *storeWriter) eachTrust(use func(name string)) error {
	folder := strings.TrimSuffix(trust.Folder, "/")
	if w.bucket != nil {
		return w.bucket.List(w.bucket.ctx, folder, func(in store.Info) error { use(in.Name); return nil })
	}
	entries, err := os.ReadDir(store.Folder(w.at).At(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		use(trust.Folder + e.Name())
	}
	return err
}

// made gets each file that was made in the folder.
func (w *storeWriter) made(name string) error {
	if w.bucket == nil {
		return nil
	}
	return w.bucket.upload(w.out, name)
}

// deflater compresses the packs and objects of all publications: what encoders hold takes
// longer to make than a small build to publish.
var deflater store.Deflater

// storeWriter writes files of a store.
type storeWriter struct {
	at      string           // location of the store
	out     *atomicfile.Dir  // its folder, or one for what is made for a bucket
	bucket  *remote          // nil: it is a folder
	from    *store.Reader    // the store
	key     *delta.SecretKey // signs manifests; nil: the store is not signed
	written int64            // bytes of packs, objects and deltas

	fresh   string        // label of the build that is published
	root    []byte        // of the signed metadata, if it came another way
	expiry  time.Duration // of the timestamp; 0: as usual
	rollout *Rollout      // of the build; nil: channels stay as they are
}

// writeJSON writes a manifest. Its signature is there before it, beside the old
// one's: whenever this is stopped, the store has a signature that fits.
func (w *storeWriter) writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if err := w.out.Sync(); err != nil { // what it names
		return err
	}
	if w.key == nil {
		if err := w.out.Remove(name + store.Signed); err != nil {
			return err
		}
		return w.writeLast(name, b)
	}
	fresh := w.key.Sign(b, name)
	both := fresh
	if old, err := w.out.ReadFile(name + store.Signed); err == nil {
		list := store.Signatures(string(old))
		both += strings.Join(list[:min(len(list), store.MostSignatures-1)], "")
	}
	if err := w.writeLast(name+store.Signed, []byte(both)); err != nil {
		return err
	}
	if err := w.writeLast(name, b); err != nil {
		return err
	}
	return w.writeLast(name+store.Signed, []byte(fresh))
}

// writeLast writes a file, and waits until it has its name on the disk.
func (w *storeWriter) writeLast(name string, b []byte) error {
	if err := w.writeFile(name, b); err != nil {
		return err
	}
	return w.out.Sync()
}

// writeFile writes a file of the store, which is on the disk when w.out was synced.
func (w *storeWriter) writeFile(name string, b []byte) error { return w.write(name, b, true) }

// write writes a file of the store, which is whole as soon as it has its name.
func (w *storeWriter) write(name string, b []byte, sync bool) (err error) {
	if w.bucket != nil {
		return w.bucket.put(name, b)
	}
	if err := w.out.MkdirAll(path.Dir(name)); err != nil {
		return err
	}
	f, err := w.out.Create(name, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return f.Place()
}

// writeNames writes the names of a file's contents without waiting for the disk:
// there may be a file for each of thousands, and they may get lost.
func (w *storeWriter) writeNames(sum string, b []byte) error {
	return w.write(store.NamesName(sum), b, false)
}

// tidy removes what a publisher that was stopped left unfinished.
func tidy(out *atomicfile.Dir) error {
	for _, folder := range []string{".", "builds", "d", "m", "n", "p", "trust", "trust/builds"} {
		entries, err := os.ReadDir(out.Path(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !atomicfile.IsTemp(e.Name()) {
				continue
			}
			if err := out.RemoveAll(path.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// object writes an object and returns its name.
func (w *storeWriter) object(plain []byte) (string, error) {
	if len(plain) > store.MaxObject {
		return "", fmt.Errorf("%w: a table of %d bytes", errors.ErrUnsupported, len(plain))
	}
	sum := blake3.Sum256(plain)
	id := hex.EncodeToString(sum[:])
	if w.bucket == nil {
		if _, err := w.out.Stat(store.ObjectName(id)); err == nil {
			return id, nil
		}
	}
	b, err := deflater.Deflate(plain)
	if err != nil {
		return "", err
	}
	w.written += int64(len(b))
	return id, w.writeFile(store.ObjectName(id), b)
}

// json writes an object of rows, a line each.
func (w *storeWriter) json(list []store.File) (string, error) {
	b := []byte("[")
	for i, f := range list {
		row, err := json.Marshal(f)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, '\n'), row...)
	}
	return w.object(append(b, "\n]\n"...))
}

// staysSigned returns ErrSigned for a store whose list of builds would lose its
// signature: clients that ask for one could not update any more.
func (w *storeWriter) staysSigned() error {
	var name string
	for _, name = range []string{store.IndexName + store.Signed, trust.TimestampName, ""} {
		if name == "" {
			return nil
		}
		if _, err := w.size(name); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("%s: %w: publishing needs the key; if no client asks for signatures, remove %s", w.at, store.ErrSigned, name)
}

// lock keeps other publishers out of a store.
func lock(dir string) (unlock func(), err error) {
	l := flock.New(filepath.Join(dir, ".lock"))
	if err := regular.Check(l.Path()); err != nil {
		return nil, err
	}
	if ok, err := l.TryLock(); err != nil {
		return nil, err
	} else if !ok {
		return nil, fmt.Errorf("%s is being written by another process", dir)
	}
	return func() { _ = l.Unlock() }, nil
}

// change replaces a manifest of that version, with its signature before it and beside
// those of others.
func (w *storeWriter) change(name string, v any, version string) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if w.key == nil {
		_, err := w.bucket.Put(w.bucket.ctx, name, bytes.NewReader(b), int64(len(b)), version)
		return err
	}
	fresh := w.key.Sign(b, name)
	if err := w.addSignature(name+store.Signed, fresh); err != nil {
		return err
	}
	if _, err := w.bucket.Put(w.bucket.ctx, name, bytes.NewReader(b), int64(len(b)), version); err != nil {
		return err
	}
	return w.addSignature(name+store.Signed, fresh) // others may have pushed it out
}

// addSignature puts a signature before those that are there.
func (w *storeWriter) addSignature(name, fresh string) error {
	for try := 0; ; try++ {
		old, version, err := w.from.File(name)
		if errors.Is(err, fs.ErrNotExist) {
			version = store.Absent
		} else if err != nil {
			return err
		}
		list := slices.DeleteFunc(store.Signatures(string(old)), func(s string) bool { return s == fresh })
		all := fresh + strings.Join(list[:min(len(list), store.MostSignatures-1)], "")
		if all == string(old) {
			return nil
		}
		_, err = w.bucket.Put(w.bucket.ctx, name, strings.NewReader(all), int64(len(all)), version)
		if err == nil || !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}

// source is a store that is looked at, wherever it lies.
type source struct {
	at     string
	files  store.Files
	from   *store.Reader
	remote *remote // nil: a folder
}

// openSource opens a store to look at it. The error wraps [store.ErrNoStore] if there is
// none.
func openSource(ctx context.Context, location string) (s *source, err error) {
	s = &source{at: location, files: store.Folder(location)}
	if store.IsBucket(location) {
		var out *atomicfile.Dir
		if s.remote, out, err = openRemote(ctx, location); err != nil {
			return nil, err
		}
		s.files = s.remote
		if err := out.Close(); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	s.from = store.NewReader(ctx, s.files)
	if err := isStore(s.from, location); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *source) close() error {
	if s.remote == nil {
		return nil
	}
	return s.remote.scratch.Close()
}

// isStore returns ErrNoStore for a place without a list of builds, which may be
// anyone's.
func isStore(from *store.Reader, location string) error {
	_, _, err := from.File(store.IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: there is no %s", location, store.ErrNoStore, store.IndexName)
	}
	return err
}

// packNumbers returns the packs that are there, in their order. Of a bucket these are
// those of its builds: others may be of publishers at work.
func (s *source) packNumbers(builds []*store.Build) (numbers []int, err error) {
	if s.remote == nil {
		return packNumbers(s.at)
	}
	infos, err := listedPacks(s.from, builds)
	if err != nil {
		return nil, err
	}
	err = s.remote.List(s.remote.ctx, "p", func(in store.Info) error {
		n, err := strconv.Atoi(strings.TrimPrefix(in.Name, "p/"))
		if _, listed := infos[n]; err == nil && listed && store.PackName(n) == in.Name {
			numbers = append(numbers, n)
		}
		return nil
	})
	slices.Sort(numbers)
	return numbers, err
}

// verifyDelta reads a patch between files and compares it with its hashes.
func (s *source) verifyDelta(ctx context.Context, name string) (err error) {
	a, err := s.files.Open(ctx, store.Ask{Name: name, N: -1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := delta.Verify(ctx, a); err != nil {
		return delta.Named(s.files.At(name), err)
	}
	return nil
}

// listedPacks returns the packs that builds have.
func listedPacks(from *store.Reader, builds []*store.Build) (store.Tables, error) {
	infos := store.Tables{}
	for _, b := range builds {
		t, err := store.ReadTables(from, b.Tables)
		if err != nil {
			return nil, err
		}
		for n, info := range t {
			infos[n] = info
		}
	}
	return infos, nil
}
