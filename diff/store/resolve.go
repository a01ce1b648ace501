package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pakdb/diff/patch"
)

// contentID tells contents apart.
type contentID struct {
	id   uint64
	size int64
}

// wanted is a content that the folder has not.
type wanted struct {
	contentRef
	delta  *contentDelta // that makes it from a content of the folder, or nil
	from   deltaFile     // that has the delta
	listed bool          // chunks are known
	chunks []chunkRef
	coded  bool    // the delta is what is fetched
	stream located // of the delta
}

// resolve finds, for each content of each file to be made, whether the folder
// has it, and where it does not, which is the cheapest of a delta and of chunks.
func (u *Update) resolve(ctx context.Context, usable []*deltaUse) error {
	if err := u.recipes(ctx); err != nil {
		return err
	}
	u.want()
	if err := u.contentDeltas(ctx); err != nil {
		return err
	}
	if err := u.lookFurther(ctx); err != nil {
		return err
	}
	if err := u.lists(ctx); err != nil {
		return err
	}
	if err := u.cheaper(ctx, usable); err != nil {
		return err
	}
	return u.plan(ctx)
}

// recipes reads the recipes of the files to be made, level by level: the parts
// of their trees that are not in files of the folder.
func (u *Update) recipes(ctx context.Context) error {
	roots := map[frameID]bool{}
	for _, f := range u.todo {
		if !f.byDelta {
			if err := u.withTree(ctx, f.Recipe.place().id(), roots); err != nil {
				return err
			}
		}
	}
	frames, err := u.fetchNow(ctx, roots)
	if err != nil {
		return err
	}
	known := map[string]map[uint64][]piece{}
	var trees []*tree
	for _, f := range u.todo {
		if f.byDelta {
			continue
		}
		b, err := frames.at(f.Recipe.place())
		if err != nil {
			return err
		}
		if f.recipe, err = parseRecipe(b); err != nil {
			return fmt.Errorf("the recipe of %s: %w", f.Path, err)
		}
		var methods strings.Builder
		for _, r := range f.recipe.recipes {
			methods.WriteString(string(r.Method) + "\x00")
		}
		if known[methods.String()] == nil {
			known[methods.String()] = u.local.parts(f.recipe)
		}
		t := &tree{file: f, known: known[methods.String()]}
		t.grow(f.recipe.parts, f.recipe.height)
		trees = append(trees, t)
	}
	for range maxHeight + 1 {
		need := map[frameID]bool{}
		for _, t := range trees {
			for _, s := range t.slots {
				if s.pieces == nil {
					need[s.place.id()] = true
				}
			}
		}
		if len(need) == 0 {
			break
		}
		if frames, err = u.fetchNow(ctx, need); err != nil {
			return err
		}
		for _, t := range trees {
			if err := t.fill(frames); err != nil {
				return fmt.Errorf("the recipe of %s: %w", t.file.Path, err)
			}
		}
	}
	for _, t := range trees {
		if err := t.finish(); err != nil {
			return fmt.Errorf("the recipe of %s: %w", t.file.Path, err)
		}
	}
	return nil
}

// tree is a recipe's while it is being read.
type tree struct {
	file  *fileUpdate
	known map[uint64][]piece // parts that the folder has
	slots []slot
}

// slot is a part whose pieces are known, or not yet.
type slot struct {
	part
	height int
	pieces []piece
}

// grow adds the parts of a node.
func (t *tree) grow(parts []part, height int) {
	for _, p := range parts {
		s := slot{part: p, height: height}
		if have := t.known[p.id]; len(have) == p.count {
			s.pieces = have
		}
		t.slots = append(t.slots, s)
	}
}

// fill reads the parts that frames have, one level of them.
func (t *tree) fill(frames frameSet) error {
	old := t.slots
	t.slots = make([]slot, 0, len(old))
	for _, s := range old {
		if s.pieces != nil {
			t.slots = append(t.slots, s)
			continue
		}
		b, err := frames.at(s.place)
		if err != nil {
			return err
		}
		if s.height > 0 {
			parts, err := parseNode(b)
			if err == nil && count(parts) != s.count {
				err = fmt.Errorf("%w: a node of %d pieces has %d", ErrCorrupt, s.count, count(parts))
			}
			if err != nil {
				return err
			}
			t.grow(parts, s.height-1)
			continue
		}
		if s.pieces, err = parseLeaf(b, t.file.recipe.recipes); err == nil && len(s.pieces) != s.count {
			err = fmt.Errorf("%w: a leaf of %d pieces has %d", ErrCorrupt, s.count, len(s.pieces))
		}
		if err != nil {
			return err
		}
		t.slots = append(t.slots, s)
	}
	return nil
}

// finish gives the file its pieces.
func (t *tree) finish() error {
	between := int64(0)
	for _, s := range t.slots {
		if s.pieces == nil {
			return fmt.Errorf("%w: a tree that is too high", ErrCorrupt)
		}
		for _, p := range s.pieces {
			if between += p.gap; between > t.file.recipe.skeleton.size {
				return fmt.Errorf("%w: gaps of more than the skeleton", ErrCorrupt)
			}
		}
		t.file.pieces = append(t.file.pieces, s.pieces...)
	}
	return nil
}

// contentsOf calls use for the contents of a file.
func (f *fileUpdate) contentsOf(use func(contentRef)) {
	for _, p := range f.pieces {
		use(p.contentRef)
	}
	use(f.recipe.skeleton)
}

// want collects the contents that the folder has not.
func (u *Update) want() {
	u.wanted = map[contentID]*wanted{}
	for _, f := range u.todo {
		if f.byDelta {
			continue
		}
		f.contentsOf(func(c contentRef) {
			if _, here := u.local.find(c.id, c.size); !here && c.size > 0 {
				u.wanted[contentID{c.id, c.size}] = &wanted{contentRef: c}
			}
		})
	}
}

// perMissing is how many bytes of unchanged files are read at most for each that
// would have to be fetched otherwise.
const perMissing = 8

// lookFurther reads files that are as they should be, since what is missing
// elsewhere may have moved out of one of them: the smaller ones first.
func (u *Update) lookFurther(ctx context.Context) error {
	left := perMissing * u.undiffed()
	files := slices.Clone(u.right)
	slices.SortStableFunc(files, func(a, b patch.Input) int { return cmp.Compare(a.Size, b.Size) })
	n := 0
	for n < len(files) && files[n].Size <= left {
		left -= files[n].Size
		u.Bill.Looked += files[n].Size
		n++
	}
	if err := u.local.read(ctx, files[:n]); err != nil {
		return err
	}
	for id := range u.wanted {
		if _, here := u.local.find(id.id, id.size); here {
			delete(u.wanted, id)
		}
	}
	return nil
}

// undiffed is how much of the missing contents no delta makes.
func (u *Update) undiffed() (n int64) {
	for _, w := range u.wanted {
		if w.delta == nil {
			n += w.size
		}
	}
	return n
}

// contentDeltas finds deltas for what is missing, as long as a list of them costs
// less than what they may save.
func (u *Update) contentDeltas(ctx context.Context) error {
	if len(u.local.files) == 0 {
		return nil
	}
	for _, ref := range u.Build.Contents {
		if ref.Size > u.undiffed()/4 {
			continue
		}
		b, err := u.r.object(ctx, ref.Object)
		if err != nil {
			return err
		}
		list, err := parseDeltaList(b)
		if err != nil {
			return fmt.Errorf("%s: %w", objectName(ref.Object), err)
		}
		for i := range list.deltas {
			d := &list.deltas[i]
			w := u.wanted[contentID{d.new, d.newSize}]
			if w == nil || w.delta != nil && w.delta.n <= d.n {
				continue
			}
			if _, here := u.local.find(d.old, d.oldSize); here {
				w.delta, w.from = d, list.files[d.file]
			}
		}
	}
	return nil
}

// evident reports that a delta is so small that to know the chunks would not pay.
func (w *wanted) evident() bool { return w.delta != nil && w.delta.n < w.size/16 }

// lists reads which chunks the missing contents have: at most two rounds, since
// lists of lists have lists without lists.
func (u *Update) lists(ctx context.Context) error {
	var deep []*wanted
	need := map[frameID]bool{}
	for _, id := range u.sorted() {
		w := u.wanted[id]
		switch {
		case w.depth == 0:
			w.listed, w.chunks = true, []chunkRef{{w.id, w.place}}
		case !w.evident():
			deep = append(deep, w)
			need[w.place.id()] = true
		}
	}
	frames, err := u.fetchNow(ctx, need)
	if err != nil {
		return err
	}
	need = map[frameID]bool{}
	parts := make([][]listRef, len(deep))
	for i, w := range deep {
		b, err := frames.at(w.place)
		if err != nil {
			return err
		}
		w.listed = true
		if w.depth == 1 {
			if w.chunks, err = parseList(b, w.size); err != nil {
				return err
			}
			continue
		}
		if parts[i], err = parseLists(b, w.size); err != nil {
			return err
		}
		for _, p := range parts[i] {
			need[p.place.id()] = true
		}
	}
	if frames, err = u.fetchNow(ctx, need); err != nil {
		return err
	}
	for i, w := range deep {
		for _, p := range parts[i] {
			b, err := frames.at(p.place)
			if err != nil {
				return err
			}
			chunks, err := parseList(b, p.content)
			if err != nil {
				return err
			}
			w.chunks = append(w.chunks, chunks...)
		}
	}
	return nil
}

// sorted returns the contents that are wanted, in one order.
func (u *Update) sorted() []contentID {
	ids := make([]contentID, 0, len(u.wanted))
	for _, f := range u.todo {
		if f.byDelta || f.recipe == nil {
			continue
		}
		f.contentsOf(func(c contentRef) { ids = append(ids, contentID{c.id, c.size}) })
	}
	seen := map[contentID]bool{}
	return slices.DeleteFunc(ids, func(id contentID) bool {
		was := seen[id]
		seen[id] = true
		return was || u.wanted[id] == nil
	})
}
