package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/internal/stored"
)

// Checked is how much a [Check] looked at.
type Checked struct {
	Builds int
	Files  int   // of all builds
	Size   int64 // bytes of these files
	Packs  int
	Stored int64 // bytes of the packs
}

// Check reads a whole store: every object and pack is what it is called or said
// to be, every chunk has its hash, and every build can be made of the store.
// Findings are reported one by one; the error is for what kept Check from looking. It does
// not look at signatures: see [CheckSignatures].
func Check(ctx context.Context, dir string, finding func(name string, err error)) (seen *Checked, err error) {
	s, err := openSource(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	_, builds, err := store.ReadBuilds(s.from)
	if err != nil {
		return nil, err
	}
	c := newChecker(s.from)
	c.source = s
	numbers, err := s.packNumbers(builds)
	if err != nil {
		return nil, err
	}
	seen = &Checked{Builds: len(builds), Packs: len(numbers)}
	watch := stored.Step(ctx, store.StepChecking, int64(len(numbers)+len(builds))*store.MaxPack)
	for _, n := range numbers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		watch.Add(store.MaxPack)
		size, err := c.pack(n)
		seen.Stored += size
		if err != nil {
			finding(store.PackName(n), err)
		}
	}
	for _, b := range builds {
		for _, f := range b.Files {
			seen.Files, seen.Size = seen.Files+1, seen.Size+f.Size
		}
		watch.Add(store.MaxPack)
		if err := c.build(stored.WatchProgress(ctx, nil), b); err != nil {
			finding(store.BuildName(b.Label), err)
		}
	}
	return seen, ctx.Err()
}

type checker struct {
	store.StoreReader
	source *source // that is checked
	done   map[store.RecipeAt]error
	coded  map[string]error     // lists of deltas
	names  map[uint64]store.Key // of chunks and lists, by their ids
}

func newChecker(from *store.Reader) *checker {
	return &checker{
		StoreReader: store.StoreReader{From: from, Chunks: map[store.Key]store.SmallPlace{}, Lists: map[store.Key]store.Listed{}, Packs: store.Tables{}},
		done:        map[store.RecipeAt]error{}, coded: map[string]error{}, names: map[uint64]store.Key{},
	}
}

// pack checks all chunks of a pack, and returns the size of its file.
func (c *checker) pack(number int) (size int64, err error) {
	b, _, err := c.From.File(store.PackName(number))
	if err != nil {
		return size, err
	}
	size = int64(len(b))
	info, rows, err := store.ParsePack(b, number)
	if err != nil {
		return size, err
	}
	c.Packs[number] = info
	var frame []byte
	at := -1
	for _, r := range rows {
		if r.Frame != at {
			at = r.Frame
			off, n, err := info.Span(at)
			if err != nil {
				return size, err
			}
			if frame, err = store.InflateFrame(b[off : off+n]); err != nil {
				return size, err
			}
		}
		p, err := store.BytesAt(frame, r.Place)
		if err != nil {
			return size, err
		}
		switch {
		case r.Kind == store.RowList:
			c.Lists[r.Key] = store.Listed{SmallPlace: r.Small(), Content: r.Content}
		case r.Kind == store.RowPart:
			continue
		case store.KeyOf(p) != r.Key:
			return size, fmt.Errorf("%w: a chunk at %d of frame %d is not what its key says", store.ErrCorrupt, r.At, r.Frame)
		default:
			c.Chunks[r.Key] = r.Small()
		}
		c.names[r.Key.Short()] = r.Key
	}
	return size, nil
}

// build checks that everything that a build is made of is there.
func (c *checker) build(ctx context.Context, b *store.Build) error {
	t, err := store.ReadTables(c.From, b.Tables)
	if err != nil {
		return err
	}
	if err := c.there(b.Places, t); err != nil {
		return fmt.Errorf("the list of files: %w", err)
	}
	for _, d := range b.Deltas {
		if err := c.source.verifyDelta(ctx, store.DeltaName(d.Name)); err != nil {
			return fmt.Errorf("%s: %w", store.DeltaName(d.Name), err)
		}
	}
	for _, ref := range b.Contents {
		if _, done := c.coded[ref.Object]; !done {
			c.coded[ref.Object] = c.deltas(ctx, ref.Object)
		}
		if err := c.coded[ref.Object]; err != nil {
			return fmt.Errorf("deltas from %q: %w", ref.From, err)
		}
	}
	for _, f := range b.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		err, done := c.done[f.Recipe]
		if !done {
			err = c.file(&f, t)
			c.done[f.Recipe] = err
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

// file checks that a file's packs are there, as the tables say.
func (c *checker) file(f *store.File, t store.Tables) error {
	return c.places(f, func(p store.Place) error { return c.there([]store.Place{p}, t) })
}

// there checks that packs are as the tables say.
func (c *checker) there(places []store.Place, t store.Tables) error {
	for _, p := range places {
		said, have := t[p.Pack], c.Packs[p.Pack]
		if have.Sum != said.Sum || !slices.Equal(have.Ends, said.Ends) || p.Frame >= len(have.Ends) {
			return fmt.Errorf("%w: %s is needed, which is not there or another", store.ErrCorrupt, store.PackName(p.Pack))
		}
	}
	return nil
}

// deltas applies the deltas of a list.
func (c *checker) deltas(ctx context.Context, object string) error {
	plain, err := store.ReadObject(c.From, object)
	if err != nil {
		return err
	}
	list, err := store.ParseDeltaList(plain)
	if err != nil {
		return err
	}
	for i := range list.Files {
		f := &list.Files[i]
		if err := f.Check(c.From); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	for _, d := range list.Deltas {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.delta(list, d); err != nil {
			return fmt.Errorf("%s at %d: %w", list.Files[d.File].Name(), d.Off, err)
		}
	}
	return nil
}

// delta applies a delta. One from a content that no build has any more is never
// asked for.
func (c *checker) delta(list *store.DeltaList, d store.ContentDelta) error {
	id, there := c.names[d.Old]
	if !there {
		return nil
	}
	old, err := c.Content(id, d.OldSize)
	if err != nil {
		return err
	}
	stream, err := c.From.Part(list.Files[d.File].Name(), d.Off, d.N)
	if err != nil {
		return err
	}
	new, err := io.ReadAll(store.NewDeltaReader(&coder.Decoder{}, stream, bytes.NewReader(old), d.NewSize))
	if err == nil && store.KeyOf(new).Short() != d.New {
		err = fmt.Errorf("%w: a delta makes something else", store.ErrCorrupt)
	}
	return err
}

// places calls use with all places that a file is made of, of which a store may
// say so many that they are not held.
func (c *checker) places(of *store.File, use func(store.Place) error) error {
	at := of.Recipe.Place()
	b, err := c.Read(at)
	if err != nil {
		return err
	}
	r, err := store.ParseRecipe(b)
	if err != nil {
		return err
	}
	if n := int64(store.Count(r.Parts)); n > of.Size {
		return fmt.Errorf("%w: %d pieces of a file of %d bytes", store.ErrCorrupt, n, of.Size)
	}
	if err := use(at); err != nil {
		return err
	}
	if err := c.contentPlaces(r.Skeleton, use); err != nil {
		return err
	}
	return c.partPlaces(r, r.Parts, r.Height, use)
}

// partPlaces does so for parts of a tree.
func (c *checker) partPlaces(r *store.FileRecipe, parts []store.Part, height int, use func(store.Place) error) error {
	for _, p := range parts {
		b, err := c.Read(p.Place)
		if err == nil {
			err = use(p.Place)
		}
		if err != nil {
			return err
		}
		if height > 0 {
			below, err := store.ParseNode(b)
			if err == nil && (store.Count(below) != p.Count || store.NodeID(below).Short() != p.ID) {
				err = fmt.Errorf("%w: a node that is not what its id says", store.ErrCorrupt)
			}
			if err == nil {
				err = c.partPlaces(r, below, height-1, use)
			}
			if err != nil {
				return err
			}
			continue
		}
		pieces, err := store.ParseLeaf(b, r.Recipes)
		if err == nil && (len(pieces) != p.Count || store.LeafID(pieces).Short() != p.ID) {
			err = fmt.Errorf("%w: a leaf that is not what its id says", store.ErrCorrupt)
		}
		for i := range pieces {
			if err == nil {
				err = c.contentPlaces(pieces[i].ContentRef, use)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contentPlaces does so for a content's list and chunks.
func (c *checker) contentPlaces(ref store.ContentRef, use func(store.Place) error) error {
	if ref.Size == 0 {
		return nil
	}
	if err := use(ref.Place); err != nil || ref.Depth == 0 {
		return err
	}
	lists := []store.ListRef{{Place: ref.Place, Content: ref.Size}}
	if ref.Depth == 2 {
		b, err := c.Read(ref.Place)
		if err != nil {
			return err
		}
		if lists, err = store.ParseLists(b, ref.Size); err != nil {
			return err
		}
	}
	for _, l := range lists {
		b, err := c.Read(l.Place)
		if err == nil {
			err = use(l.Place)
		}
		if err != nil {
			return err
		}
		chunks, err := store.ParseList(b, l.Content)
		if err != nil {
			return err
		}
		for _, x := range chunks {
			if err := use(x.Place); err != nil {
				return err
			}
		}
	}
	return nil
}

// recipePlaces calls use with all places that the lists of files and the recipes
// of builds are made of.
func (c *checker) recipePlaces(builds []*store.Build, use func(store.Place)) error {
	done := map[store.RecipeAt]bool{}
	for _, b := range builds {
		for _, p := range b.Places {
			use(p)
		}
		for _, f := range b.Files {
			if done[f.Recipe] {
				continue
			}
			done[f.Recipe] = true
			err := c.places(&f, func(p store.Place) error { use(p); return nil })
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
	}
	return nil
}

// CheckSignatures returns how many manifests of a store there are, the list of builds
// among them, and how many are signed. In a store with signed metadata that is what the
// metadata names, in others what has a signature beside it. If key is not nil, its owner
// must have signed: a root of the metadata, or each manifest. What is not signed, or by
// another, goes to finding; without a key, what metadata names and is not there.
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
// goes to finding.
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
// what it names with the files. A publication that was stopped leaves a list of builds,
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
