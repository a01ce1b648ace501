package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// Copied is what a [Copy] did.
type Copied struct {
	Builds int
	Files  int64 // that were copied
	Size   int64 // their bytes
	Had    int64 // files that the copy had
}

// ErrOtherStore means that a place has a store which is no copy of another one.
var ErrOtherStore = errors.New("a store of other builds")

// copies is how many files are copied at once.
const copies = 8

// Copy makes the store at to a copy of the one at from: folders, buckets and web servers. One
// that is written to takes PUT; the token, unless it is "", is sent to it. Packs and objects, whose names are never used again, come first, then manifests, signed
// metadata, the list of builds, and the timestamp: whenever it stops, clients see the state of
// before or after, and the next call goes on. Files that only builds of before need stay until
// [Prune]. It fails with [ErrOtherStore] if to has builds of which from has none.
func Copy(ctx context.Context, from, to, token string) (*Copied, error) {
	files, err := store.OpenFiles(from, store.NewClient(copies), os.Getenv)
	if err != nil {
		return nil, err
	}
	src := &copying{ctx: ctx, files: files, from: store.NewReader(ctx, files)}
	if err := isStore(src.from, from); err != nil {
		return nil, err
	}
	before, last, err := src.heads()
	if err != nil {
		return nil, err
	}
	w, done, err := openCopy(ctx, to, token)
	if err != nil {
		return nil, err
	}
	defer done()
	src.w = w
	if err := src.sameStore(to); err != nil {
		return nil, err
	}
	if err := tidy(w.out); err != nil {
		return nil, err
	}
	if err := src.contents(); err != nil {
		return nil, err
	}
	if err := w.out.Sync(); err != nil {
		return nil, err
	}
	if _, err := w.size(trust.TimestampName); errors.Is(err, fs.ErrNotExist) {
		slices.Reverse(last) // a list of builds says that there is one
	} else if err != nil {
		return nil, err
	}
	for _, h := range slices.Concat(before, slices.Concat(last...)) {
		if err := src.head(h); err != nil {
			return nil, err
		}
	}
	return &Copied{Builds: len(src.builds), Files: src.copied.Load(), Size: src.size.Load(), Had: src.had.Load()}, nil
}

// openCopy opens what is written to.
func openCopy(ctx context.Context, to, token string) (*storeWriter, func(), error) {
	if !store.IsWeb(to) {
		return openWriter(ctx, to, nil, atomicfile.Make)
	}
	bucket, out, err := openUpload(ctx, to, token)
	if err != nil {
		return nil, nil, err
	}
	w := &storeWriter{at: to, bucket: bucket, out: out, from: store.NewReader(ctx, bucket)}
	return w, func() { _, _ = w.out.Close(), bucket.scratch.Close() }, nil
}

type copying struct {
	ctx    context.Context
	files  store.Files
	from   *store.Reader
	builds []*store.Build
	labels map[string][]byte // manifests by label
	w      *storeWriter

	copied, size, had atomic.Int64
}

// head is a small file that others are found by. With beside, the old signatures stay after it.
type head struct {
	name   string
	b      []byte
	beside bool
}

// optional reads a file that need not be there.
func (c *copying) optional(name string) ([]byte, error) {
	b, _, err := c.from.File(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// heads reads all files that change, in the order in which they are written: a state that the
// store had, whatever is published meanwhile. The last are the list of builds with its
// signatures, and the timestamp.
func (c *copying) heads() (before []head, last [][]head, err error) {
	stamp, err := c.optional(trust.TimestampName)
	if err != nil {
		return nil, nil, err
	}
	signed, err := c.trust(stamp)
	if err != nil {
		return nil, nil, err
	}
	list, err := c.signed(store.IndexName)
	if err != nil {
		return nil, nil, err
	}
	if _, c.builds, err = store.ReadBuilds(c.from); err != nil {
		return nil, nil, err
	}
	c.labels = map[string][]byte{}
	for _, b := range c.builds {
		manifest, err := c.signed(store.BuildName(b.Label))
		if err != nil {
			return nil, nil, err
		}
		before = append(before, manifest...)
		c.labels[b.Label] = manifest[len(manifest)/2].b
	}
	last = [][]head{list}
	if stamp != nil {
		last = append(last, []head{{name: trust.TimestampName, b: stamp}})
	}
	return append(before, signed...), last, nil
}

// signed reads a manifest, and its signatures if it has any: they are written before it beside
// those of the manifest that is replaced, and alone after it, so that one fits at any time.
func (c *copying) signed(name string) (all []head, err error) {
	b, _, err := c.from.File(name)
	if err != nil {
		return nil, err
	}
	manifest := head{name: name, b: b}
	sig, err := c.optional(name + store.Signed)
	if sig == nil {
		return []head{manifest}, err
	}
	name += store.Signed
	return []head{{name: name, b: sig, beside: true}, manifest, {name: name, b: sig}}, err
}

// trust reads the signed metadata that a timestamp leads to, and all roots.
func (c *copying) trust(stamp []byte) (all []head, err error) {
	if stamp == nil {
		return nil, nil
	}
	add := func(name string) (b []byte, err error) {
		b, _, err = c.from.File(name)
		all = append(all, head{name: name, b: b})
		return b, err
	}
	for n := int64(1); n <= trust.MostRoots; n++ {
		name := trust.Name(trust.RoleRoot, n)
		b, err := c.optional(name)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		all = append(all, head{name: name, b: b})
	}
	type metadata struct {
		Signed struct {
			Meta    map[string]struct{ Version int64 }
			Targets map[string]struct{ Hashes map[string]string }
		}
	}
	at := stamp
	for _, role := range []string{trust.RoleSnapshot, trust.RoleTargets} {
		var m metadata
		if err := json.Unmarshal(at, &m); err != nil {
			return nil, fmt.Errorf("%w: %w", trust.ErrMetadata, err)
		}
		if at, err = add(trust.Name(role, m.Signed.Meta[role+".json"].Version)); err != nil {
			return nil, err
		}
	}
	var m metadata
	if err := json.Unmarshal(at, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", trust.ErrMetadata, err)
	}
	targets := all
	all = nil
	for _, name := range slices.Sorted(maps.Keys(m.Signed.Targets)) {
		if _, err := add(trust.Folder + path.Dir(name) + "/" + m.Signed.Targets[name].Hashes["sha256"] + "." + path.Base(name)); err != nil {
			return nil, err
		}
	}
	return append(all, targets...), nil
}

// sameStore fails if the place has builds, and none of them as the store has it.
func (c *copying) sameStore(to string) error {
	_, theirs, err := store.ReadBuilds(c.w.from)
	if err != nil || len(theirs) == 0 {
		return err
	}
	for _, b := range theirs {
		manifest, _, err := c.w.from.File(store.BuildName(b.Label))
		if err != nil {
			return err
		}
		if bytes.Equal(manifest, c.labels[b.Label]) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrOtherStore, to)
}

// contents copies packs, objects, deltas and, where they are at hand, names for publishers.
func (c *copying) contents() error {
	infos := store.Tables{}
	for _, b := range c.builds {
		t, err := store.ReadTables(c.from, b.Tables)
		if err != nil {
			return err
		}
		maps.Copy(infos, t)
	}
	need, err := neededBy(c.from, infos, c.builds)
	if err != nil {
		return err
	}
	delete(need, store.ObjectName("")) // of builds that have nothing of the kind
	names := slices.Sorted(maps.Keys(need))
	watch := stored.Step(c.ctx, "copying", int64(len(names)))
	g, _ := errgroup.WithContext(c.ctx)
	g.SetLimit(copies)
	for _, name := range names {
		g.Go(func() error {
			err := c.file(name)
			if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(name, "n/") {
				err = nil // servers need not give them
			}
			watch.Add(1)
			return err
		})
	}
	return g.Wait()
}

// fileTries is how often a file is asked for.
const fileTries = 3

// file copies a file that never changes, unless the copy has it.
func (c *copying) file(name string) error {
	if n, err := c.w.size(name); err == nil && c.isWhole(name, n) {
		c.had.Add(1)
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for try := 1; ; try++ {
		err := c.fetch(name)
		var none *store.NotGiven
		switch {
		case err == nil:
			return c.w.made(name)
		case errors.As(err, &none) && none.Absent:
			return fmt.Errorf("%s: %w", c.files.At(name), fs.ErrNotExist)
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case try == fileTries || !errors.Is(err, errSource):
			return fmt.Errorf("%s: %w", c.files.At(name), err)
		}
	}
}

// isWhole reports whether a file that the copy has is no rest of an upload that broke off,
// which some web servers keep.
func (c *copying) isWhole(name string, size int64) bool {
	if !store.IsWeb(c.w.at) {
		return true
	}
	a, err := c.files.Open(c.ctx, store.Ask{Name: name, N: -1})
	if err != nil {
		return false // which fetching it says again
	}
	_ = a.Close()
	return a.Size < 0 || a.Size == size
}

// errSource marks errors of the store that is copied: another try may get through.
var errSource = errors.New("reading the store")

func (c *copying) fetch(name string) (err error) {
	a, err := c.files.Open(c.ctx, store.Ask{Name: name, N: -1})
	if err != nil {
		return fmt.Errorf("%w: %w", errSource, err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := c.w.out.MkdirAll(path.Dir(name)); err != nil {
		return err
	}
	f, err := c.w.out.Create(name, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	n, err := io.Copy(f, sourceReader{a})
	if err == nil && a.Size >= 0 && n != a.Size {
		err = fmt.Errorf("%w: %w", errSource, io.ErrUnexpectedEOF)
	}
	if err = errors.Join(err, f.Chmod(0o644)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	c.copied.Add(1)
	c.size.Add(n)
	return f.Place()
}

type sourceReader struct{ r io.Reader }

func (s sourceReader) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", errSource, err)
	}
	return n, err
}

// head writes a small file, unless the copy has it as it is.
func (c *copying) head(h head) error {
	old, version, err := c.w.from.File(h.name)
	switch {
	case err == nil && bytes.Equal(old, h.b):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case h.beside && old != nil:
		list := store.Signatures(string(old))
		h.b = append(bytes.Clone(h.b), strings.Join(list[:min(len(list), store.MostSignatures-1)], "")...)
	default:
		c.copied.Add(1)
		c.size.Add(int64(len(h.b)))
	}
	if c.w.bucket == nil {
		return c.w.writeLast(h.name, h.b)
	}
	if old == nil {
		version = store.Absent
	}
	_, err = c.w.bucket.Put(c.ctx, h.name, bytes.NewReader(h.b), int64(len(h.b)), version)
	return err
}
