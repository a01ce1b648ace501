package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"pakdb/diff/delta"
	"pakdb/diff/pkdelta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/progress"
)

// Check reads a whole store: every object and pack is what it is called or said
// to be, every chunk has its hash, and every build can be made of what is there.
// Findings are told one by one; the error is for what kept Check from looking.
func Check(ctx context.Context, dir string, finding func(name string, err error)) error {
	if err := isStore(dir); err != nil {
		return err
	}
	_, builds, err := readBuilds(dir)
	if err != nil {
		return err
	}
	c := newChecker(dir)
	numbers, err := packNumbers(dir)
	if err != nil {
		return err
	}
	watch := progress.Step(ctx, stepChecking, int64(len(numbers)+len(builds))*maxPack)
	for _, n := range numbers {
		if err := ctx.Err(); err != nil {
			return err
		}
		watch.Add(maxPack)
		if err := c.pack(n); err != nil {
			finding(packName(n), err)
		}
	}
	for _, b := range builds {
		watch.Add(maxPack)
		if err := c.build(progress.Watch(ctx, nil), b); err != nil {
			finding(buildName(b.Label), err)
		}
	}
	return ctx.Err()
}

// isStore returns ErrNoStore for a folder without a list of builds, which may be
// anyone's.
func isStore(dir string) error {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(indexName)))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: there is no %s", dir, ErrNoStore, indexName)
	}
	return err
}

type checker struct {
	storeReader
	done  map[recipeAt]error
	coded map[string]error // lists of deltas
	names map[uint64]key   // of chunks and lists, by their ids
}

func newChecker(dir string) *checker {
	return &checker{
		storeReader: storeReader{dir: dir, chunks: map[key]place{}, lists: map[key]row{}, packs: tables{}},
		done:        map[recipeAt]error{}, coded: map[string]error{}, names: map[uint64]key{},
	}
}

// pack checks all chunks of a pack.
func (c *checker) pack(number int) error {
	b, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(packName(number))))
	if err != nil {
		return err
	}
	info, rows, err := parsePack(b, number)
	if err != nil {
		return err
	}
	c.packs[number] = info
	var frame []byte
	at := -1
	for _, r := range rows {
		if r.frame != at {
			at = r.frame
			off, n, err := info.span(at)
			if err != nil {
				return err
			}
			if frame, err = inflateFrame(b[off : off+n]); err != nil {
				return err
			}
		}
		p, err := bytesAt(frame, r.place)
		if err != nil {
			return err
		}
		switch {
		case r.kind == rowList:
			c.lists[r.key] = r
		case r.kind == rowPart:
			continue
		case keyOf(p) != r.key:
			return fmt.Errorf("%w: a chunk at %d of frame %d is not what its key says", ErrCorrupt, r.at, r.frame)
		default:
			c.chunks[r.key] = r.place
		}
		c.names[r.key.short()] = r.key
	}
	return nil
}

// build checks that everything that a build is made of is there.
func (c *checker) build(ctx context.Context, b *Build) error {
	t, err := readTables(c.dir, b.Tables)
	if err != nil {
		return err
	}
	if err := c.there(b.places, t); err != nil {
		return fmt.Errorf("the list of files: %w", err)
	}
	for _, d := range b.Deltas {
		if _, err := pkdelta.VerifyFile(ctx, filepath.Join(c.dir, "d", d.Name)); err != nil {
			return fmt.Errorf("%s: %w", deltaName(d.Name), err)
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
func (c *checker) file(f *File, t tables) error {
	return c.places(f, func(p place) error { return c.there([]place{p}, t) })
}

// there checks that packs are as the tables say.
func (c *checker) there(places []place, t tables) error {
	for _, p := range places {
		said, have := t[p.pack], c.packs[p.pack]
		if have.sum != said.sum || !slices.Equal(have.ends, said.ends) || p.frame >= len(have.ends) {
			return fmt.Errorf("%w: %s is needed, which is not there or another", ErrCorrupt, packName(p.pack))
		}
	}
	return nil
}

// deltas applies the deltas of a list.
func (c *checker) deltas(ctx context.Context, object string) error {
	plain, err := readObject(c.dir, object)
	if err != nil {
		return err
	}
	list, err := parseDeltaList(plain)
	if err != nil {
		return err
	}
	for i := range list.files {
		f := &list.files[i]
		if err := f.check(c.dir); err != nil {
			return fmt.Errorf("%s: %w", f.name(), err)
		}
	}
	for _, d := range list.deltas {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.delta(list, d); err != nil {
			return fmt.Errorf("%s at %d: %w", list.files[d.file].name(), d.off, err)
		}
	}
	return nil
}

// check compares a file of deltas with its name.
func (f *deltaFile) check(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.name())))
	if err != nil {
		return err
	}
	if int64(len(b)) != f.size || keyOf(b) != f.sum {
		return fmt.Errorf("%w: it is not what its name says", ErrCorrupt)
	}
	return nil
}

// delta applies a delta. One from a content that no build has any more is never
// asked for.
func (c *checker) delta(list *deltaList, d contentDelta) error {
	id, there := c.names[d.old]
	if !there {
		return nil
	}
	old, err := c.content(id, d.oldSize)
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(c.dir, filepath.FromSlash(list.files[d.file].name())))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	stream := make([]byte, d.n)
	if err := fill(f, stream, d.off); err != nil {
		return err
	}
	new, err := io.ReadAll(newDeltaReader(&delta.Decoder{}, stream, bytes.NewReader(old), d.newSize))
	if err == nil && keyOf(new).short() != d.new {
		err = fmt.Errorf("%w: a delta makes something else", ErrCorrupt)
	}
	return err
}

// places calls use with all places that a file is made of, of which a store may
// say so many that they are not held.
func (c *checker) places(of *File, use func(place) error) error {
	at := of.Recipe.place()
	b, err := c.read(at)
	if err != nil {
		return err
	}
	r, err := parseRecipe(b)
	if err != nil {
		return err
	}
	if n := int64(count(r.parts)); n > of.Size {
		return fmt.Errorf("%w: %d pieces of a file of %d bytes", ErrCorrupt, n, of.Size)
	}
	if err := use(at); err != nil {
		return err
	}
	if err := c.contentPlaces(r.skeleton, use); err != nil {
		return err
	}
	return c.partPlaces(r, r.parts, r.height, use)
}

// partPlaces does so for parts of a tree.
func (c *checker) partPlaces(r *fileRecipe, parts []part, height int, use func(place) error) error {
	for _, p := range parts {
		b, err := c.read(p.place)
		if err == nil {
			err = use(p.place)
		}
		if err != nil {
			return err
		}
		if height > 0 {
			below, err := parseNode(b)
			if err == nil && (count(below) != p.count || nodeID(below).short() != p.id) {
				err = fmt.Errorf("%w: a node that is not what its id says", ErrCorrupt)
			}
			if err == nil {
				err = c.partPlaces(r, below, height-1, use)
			}
			if err != nil {
				return err
			}
			continue
		}
		pieces, err := parseLeaf(b, r.recipes)
		if err == nil && (len(pieces) != p.count || leafID(pieces).short() != p.id) {
			err = fmt.Errorf("%w: a leaf that is not what its id says", ErrCorrupt)
		}
		for i := range pieces {
			if err == nil {
				err = c.contentPlaces(pieces[i].contentRef, use)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contentPlaces does so for a content's list and chunks.
func (c *checker) contentPlaces(ref contentRef, use func(place) error) error {
	if ref.size == 0 {
		return nil
	}
	if err := use(ref.place); err != nil || ref.depth == 0 {
		return err
	}
	lists := []listRef{{ref.place, ref.size}}
	if ref.depth == 2 {
		b, err := c.read(ref.place)
		if err != nil {
			return err
		}
		if lists, err = parseLists(b, ref.size); err != nil {
			return err
		}
	}
	for _, l := range lists {
		b, err := c.read(l.place)
		if err == nil {
			err = use(l.place)
		}
		if err != nil {
			return err
		}
		chunks, err := parseList(b, l.content)
		if err != nil {
			return err
		}
		for _, x := range chunks {
			if err := use(x.place); err != nil {
				return err
			}
		}
	}
	return nil
}

// Pruned tells what a pruning removed.
type Pruned struct {
	Builds []string
	Files  int   // packs and objects
	Size   int64 // their bytes
}

// Prune removes all builds but the last keep that were published, and the packs
// and objects that no build needs any more. A pack stays as long as one of its
// chunks is needed. The builds that stay are checked first: nothing is removed
// from a store that is damaged. key signs the list of builds; it is nil for a store
// that is not signed.
func Prune(ctx context.Context, dir string, keep int, key *pkdelta.SecretKey) (*Pruned, error) {
	if err := isStore(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s is being written by another process", dir), err)
	}
	defer func() { _ = lock.Unlock() }()
	if err := staysSigned(dir, key); err != nil {
		return nil, err
	}
	var found error
	if err := Check(ctx, dir, func(name string, err error) { found = errors.Join(found, fmt.Errorf("%s: %w", name, err)) }); err != nil {
		return nil, err
	}
	if found != nil {
		return nil, found
	}
	index, builds, err := readBuilds(dir)
	if err != nil {
		return nil, err
	}
	n := max(0, len(builds)-max(keep, 1))
	need, err := needed(dir, builds[n:])
	if err != nil {
		return nil, err
	}
	out := &Pruned{Builds: index.Builds[:n]}
	index.Builds = index.Builds[n:]
	to, err := atomicfile.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = to.Close() }()
	if err := tidy(to); err != nil {
		return nil, err
	}
	p := &publisher{dir: dir, out: to, opt: &PublishOptions{Key: key}}
	if err := p.writeJSON(indexName, index); err != nil {
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
func removeUnlisted(to *atomicfile.Dir, index *Index) error {
	listed := map[string]bool{path.Base(indexName): true}
	for _, label := range index.Builds {
		listed[label+".json"] = true
	}
	entries, err := os.ReadDir(to.Path("builds"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), signed)
		if listed[name] || path.Ext(name) != ".json" {
			continue
		}
		if err := to.Remove("builds/" + e.Name()); err != nil {
			return err
		}
	}
	return to.Sync()
}

// needed returns the names of all packs and objects that builds are made of.
func needed(dir string, builds []*Build) (map[string]bool, error) {
	c := newChecker(dir)
	numbers, err := packNumbers(dir)
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		if c.packs[n], _, err = readPack(dir, n); err != nil {
			return nil, err
		}
	}
	need := map[string]bool{}
	for _, b := range builds {
		need[objectName(b.Lists)], need[objectName(b.Past)] = true, true
		for _, t := range b.Tables {
			need[objectName(t.Object)] = true
		}
		for _, d := range b.Deltas {
			need[deltaName(d.Name)] = true
		}
		for _, ref := range b.Contents {
			need[objectName(ref.Object)] = true
			plain, err := readObject(dir, ref.Object)
			if err != nil {
				return nil, err
			}
			list, err := parseDeltaList(plain)
			if err != nil {
				return nil, err
			}
			for _, f := range list.files {
				need[f.name()] = true
			}
		}
		for _, f := range b.Files {
			need[namesName(f.Sum)] = true
		}
	}
	return need, c.recipePlaces(builds, func(p place) { need[packName(p.pack)] = true })
}

// recipePlaces calls use with all places that the lists of files and the recipes
// of builds are made of.
func (c *checker) recipePlaces(builds []*Build, use func(place)) error {
	done := map[recipeAt]bool{}
	for _, b := range builds {
		for _, p := range b.places {
			use(p)
		}
		for _, f := range b.Files {
			if done[f.Recipe] {
				continue
			}
			done[f.Recipe] = true
			err := c.places(&f, func(p place) error { use(p); return nil })
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
	}
	return nil
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
