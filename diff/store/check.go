package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
	"github.com/zeebo/blake3"

	"pakdb/diff/patch"
)

// Check reads a whole store: every object and pack is what it is called or said
// to be, every chunk has its hash, and every build can be made of what is there.
// Findings are told one by one; the error is for what kept Check from looking.
func Check(ctx context.Context, dir string, finding func(name string, err error)) error {
	_, builds, err := readBuilds(dir)
	if err != nil {
		return err
	}
	c := &checker{dir: dir, finding: finding, packs: tables{}, frames: map[frameID][]byte{}}
	numbers, err := packNumbers(dir)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.pack(n); err != nil {
			finding(packName(n), err)
		}
	}
	for _, b := range builds {
		if err := c.build(ctx, b); err != nil {
			finding(buildName(b.Label), err)
		}
	}
	return ctx.Err()
}

type checker struct {
	dir     string
	finding func(name string, err error)
	packs   tables
	frames  map[frameID][]byte // of lists
	done    map[string]bool    // recipes
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
		p, err := part(map[frameID][]byte{r.place.id(): frame}, r.place)
		if err != nil {
			return err
		}
		if r.kind == rowList {
			c.frames[r.place.id()] = frame
		} else if keyOf(p) != r.key {
			return fmt.Errorf("%w: a chunk at %d of frame %d is not what its key says", ErrCorrupt, r.at, r.frame)
		}
	}
	return nil
}

func (c *checker) object(id string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(c.dir, "m", id))
	if err != nil {
		return nil, err
	}
	plain, err := inflate(b, maxRecipe)
	if err != nil {
		return nil, err
	}
	if sum := blake3.Sum256(plain); hex.EncodeToString(sum[:]) != id {
		return nil, fmt.Errorf("%w: %s is not what its name says", ErrCorrupt, objectName(id))
	}
	return plain, nil
}

// build checks that everything that a build is made of is there.
func (c *checker) build(ctx context.Context, b *Build) error {
	plain, err := c.object(b.Tables)
	if err != nil {
		return err
	}
	t, err := parseTables(plain)
	if err != nil {
		return err
	}
	for _, d := range b.Deltas {
		if _, err := patch.VerifyFile(ctx, filepath.Join(c.dir, "d", d.Name)); err != nil {
			return fmt.Errorf("%s: %w", deltaName(d.Name), err)
		}
	}
	for _, f := range b.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.done[f.Recipe] {
			continue
		}
		places, err := c.places(f.Recipe)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		for _, p := range places {
			said, have := t[p.pack], c.packs[p.pack]
			if have.sum != said.sum || !slices.Equal(have.frames, said.frames) || p.frame >= len(have.frames) {
				return fmt.Errorf("%w: %s needs %s, which is not there or another", ErrCorrupt, f.Path, packName(p.pack))
			}
		}
		if c.done == nil {
			c.done = map[string]bool{}
		}
		c.done[f.Recipe] = true
	}
	return nil
}

// places returns all places that a recipe's file is made of.
func (c *checker) places(id string) (all []place, err error) {
	plain, err := c.object(id)
	if err != nil {
		return nil, err
	}
	r, err := parseRecipe(plain)
	if err != nil {
		return nil, err
	}
	for _, ref := range append(r.contents, r.skeleton) {
		if ref.size == 0 {
			continue
		}
		all = append(all, ref.place)
		lists := []listRef{{ref.place, ref.size}}
		if ref.depth == 0 {
			continue
		}
		b, err := part(c.frames, ref.place)
		if err != nil {
			return nil, err
		}
		if ref.depth == 2 {
			if lists, err = parseLists(b, ref.size); err != nil {
				return nil, err
			}
		}
		for _, l := range lists {
			if b, err = part(c.frames, l.place); err != nil {
				return nil, err
			}
			chunks, err := parseList(b, l.content)
			if err != nil {
				return nil, err
			}
			all = append(all, l.place)
			for _, x := range chunks {
				all = append(all, x.place)
			}
		}
	}
	return all, nil
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
// from a store that is damaged.
// key signs the list of builds; nil leaves it without a signature.
func Prune(ctx context.Context, dir string, keep int, key *patch.SecretKey) (*Pruned, error) {
	lock := flock.New(filepath.Join(dir, ".lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s is being written by another process", dir), err)
	}
	defer func() { _ = lock.Unlock() }()
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
	p := &publisher{dir: dir, opt: &PublishOptions{Key: key}}
	if err := p.writeJSON(indexName, index); err != nil {
		return nil, err
	}
	for _, label := range out.Builds {
		name := filepath.Join(dir, filepath.FromSlash(buildName(label)))
		if err := os.Remove(name + signed); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return out, out.sweep(dir, need)
}

// needed returns the names of all packs and objects that builds are made of.
func needed(dir string, builds []*Build) (map[string]bool, error) {
	c := &checker{dir: dir, packs: tables{}, frames: map[frameID][]byte{}}
	numbers, err := packNumbers(dir)
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		if err := c.pack(n); err != nil {
			return nil, err
		}
	}
	need := map[string]bool{}
	for _, b := range builds {
		need[objectName(b.Tables)] = true
		for _, d := range b.Deltas {
			need[deltaName(d.Name)] = true
		}
		for _, f := range b.Files {
			if need[objectName(f.Recipe)] {
				continue
			}
			need[objectName(f.Recipe)] = true
			places, err := c.places(f.Recipe)
			if err != nil {
				return nil, err
			}
			for _, p := range places {
				need[packName(p.pack)] = true
			}
		}
	}
	return need, nil
}

// sweep removes packs and objects that are not needed.
func (p *Pruned) sweep(dir string, need map[string]bool) error {
	for _, folder := range []string{"m", "p", "d"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
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
			if err := os.Remove(filepath.Join(dir, folder, e.Name())); err != nil {
				return err
			}
			p.Files++
			p.Size += st.Size()
		}
	}
	return nil
}
