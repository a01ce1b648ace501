package update

import (
	"context"
	"fmt"
	"strings"

	"pakdb/diff/ship/store"
)

// recipeGroup is how many recipes are read at a time.
const recipeGroup = 1024

// maxKnown bounds the ways of packing for which the parts of trees are made that
// the folder's files have: each takes as much memory as these have pieces. Builds
// have some; of recipes of further ways all parts are fetched.
const maxKnown = 16

// recipeReader reads recipes.
type recipeReader struct {
	frames *frameReader
	local  *localFiles
	known  map[string]map[uint64][]store.Piece // parts of trees that the folder has, by ways of packing
}

// readRecipes reads the recipes of files.
func readRecipes(ctx context.Context, frames *frameReader, local *localFiles, files []*target) error {
	r := &recipeReader{frames, local, map[string]map[uint64][]store.Piece{}}
	for len(files) > 0 {
		n := min(recipeGroup, len(files))
		if err := r.read(ctx, files[:n]); err != nil {
			return err
		}
		files = files[n:]
	}
	return nil
}

// read reads recipes, level by level: the parts of their trees that are not in
// files of the folder.
func (r *recipeReader) read(ctx context.Context, files []*target) error {
	roots := make([]store.Place, len(files))
	var ahead []store.FrameID
	for i, f := range files {
		roots[i] = f.Recipe.Place()
		list, err := r.frames.before(ctx, roots[i].ID())
		if err != nil {
			return err
		}
		ahead = append(ahead, list...)
	}
	trees := make([]*tree, len(files))
	err := r.frames.eachList(ctx, roots, ahead, func(i int, b []byte) (err error) {
		if files[i].recipe, err = store.ParseRecipe(b); err == nil {
			trees[i], err = r.newTree(files[i])
		}
		return files[i].inRecipe(err)
	})
	if err != nil {
		return err
	}
	for missing := missingParts(trees); len(missing) > 0; missing = missingParts(trees) {
		if err := r.fill(ctx, trees, missing); err != nil {
			return err
		}
	}
	for _, t := range trees {
		if err := t.file.inRecipe(t.end()); err != nil {
			return err
		}
	}
	return nil
}

// inRecipe says in which recipe an error is.
func (t *target) inRecipe(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the recipe of %s: %w", t.Path, err)
}

// fill reads the next parts of trees.
func (r *recipeReader) fill(ctx context.Context, trees []*tree, missing []store.Place) error {
	parts := make([][]byte, len(missing))
	err := r.frames.eachList(ctx, missing, nil, func(i int, b []byte) error {
		parts[i] = append([]byte(nil), b...)
		return nil
	})
	for _, t := range trees {
		if err == nil {
			parts, err = t.fill(parts)
			err = t.file.inRecipe(err)
		}
	}
	return err
}

// tree is a recipe's while it is being read, from the first piece on.
type tree struct {
	mem   *store.Budget
	file  *target
	known map[uint64][]store.Piece // parts that the folder has
	slots []slot                   // what comes after the file's pieces
	made  int64                    // bytes that the pieces have at least
	gaps  int64
}

// slot is a part whose pieces are known, or not yet.
type slot struct {
	store.Part
	height int
	pieces []store.Piece
}

// newTree begins to read a tree.
func (r *recipeReader) newTree(f *target) (*tree, error) {
	var methods strings.Builder
	for _, form := range f.recipe.Recipes {
		methods.WriteString(string(form.Method) + "\x00")
	}
	if r.known[methods.String()] == nil && len(r.known) < maxKnown {
		r.known[methods.String()] = r.local.Parts(f.recipe)
	}
	t := &tree{mem: &r.frames.mem, file: f, known: r.known[methods.String()]}
	if n := int64(store.Count(f.recipe.Parts)); n > f.Size {
		return nil, fmt.Errorf("%w: %d pieces of a file of %d bytes", store.ErrCorrupt, n, f.Size)
	}
	if err := t.grow(f.recipe.Parts, f.recipe.Height); err != nil {
		return nil, err
	}
	return t, t.settle()
}

// grow adds the parts of a node.
func (t *tree) grow(parts []store.Part, height int) error {
	for _, p := range parts {
		s := slot{Part: p, height: height}
		if have := t.known[p.ID]; len(have) == p.Count {
			s.pieces = have
		}
		t.slots = append(t.slots, s)
	}
	return t.mem.Take(store.HeldSlot * int64(len(parts)))
}

// missingParts are the places that are to be read next, some at a time.
func missingParts(trees []*tree) (list []store.Place) {
	for _, t := range trees {
		for _, s := range t.slots {
			if len(list) == store.Wave {
				return list
			}
			if s.pieces == nil {
				list = append(list, s.Place)
			}
		}
	}
	return list
}

// fill takes what is at the first places that were missing, and returns what is
// left for other trees.
func (t *tree) fill(parts [][]byte) (left [][]byte, err error) {
	old := t.slots
	t.slots = make([]slot, 0, len(old))
	for _, s := range old {
		if s.pieces != nil || len(parts) == 0 {
			t.slots = append(t.slots, s)
			continue
		}
		if err := t.part(s, parts[0]); err != nil {
			return nil, err
		}
		parts = parts[1:]
	}
	return parts, t.settle()
}

// part reads a part.
func (t *tree) part(s slot, b []byte) (err error) {
	if s.height > 0 {
		parts, err := store.ParseNode(b)
		if err == nil && store.Count(parts) != s.Count {
			err = fmt.Errorf("%w: a node of %d pieces has %d", store.ErrCorrupt, s.Count, store.Count(parts))
		}
		if err == nil && store.NodeID(parts).Short() != s.ID {
			err = fmt.Errorf("%w: a node that is not what its id says", store.ErrCorrupt)
		}
		if err != nil {
			return err
		}
		t.mem.Give(store.HeldSlot)
		return t.grow(parts, s.height-1)
	}
	if s.pieces, err = store.ParseLeaf(b, t.file.recipe.Recipes); err == nil && len(s.pieces) != s.Count {
		err = fmt.Errorf("%w: a leaf of %d pieces has %d", store.ErrCorrupt, s.Count, len(s.pieces))
	}
	if err == nil && store.LeafID(s.pieces).Short() != s.ID {
		err = fmt.Errorf("%w: a leaf that is not what its id says", store.ErrCorrupt)
	}
	t.slots = append(t.slots, s)
	return err
}

// settle gives the file the pieces before which none is missing. Each has a byte of
// the file or more, so that a tree which shares its parts ends with the file.
func (t *tree) settle() error {
	for len(t.slots) > 0 && t.slots[0].pieces != nil {
		pieces := t.slots[0].pieces
		for i := range pieces {
			p := &pieces[i]
			t.gaps += p.Gap
			t.made = store.SumSizes(t.made, p.Least())
			if t.gaps > t.file.recipe.Skeleton.Size || t.made > t.file.Size {
				return fmt.Errorf("%w: pieces of %d bytes or more, and gaps of %d, where the file has %d and the skeleton %d", store.ErrCorrupt,
					t.made, t.gaps, t.file.Size, t.file.recipe.Skeleton.Size)
			}
		}
		t.file.pieces = append(t.file.pieces, pieces...)
		t.slots = t.slots[1:]
		t.mem.Give(store.HeldSlot)
		if err := t.mem.Take(store.HeldPiece * int64(len(pieces))); err != nil {
			return err
		}
	}
	return nil
}

// end fails unless the tree was read to its end.
func (t *tree) end() error {
	if len(t.slots) > 0 {
		return fmt.Errorf("%w: a tree that has no end", store.ErrCorrupt)
	}
	return nil
}
