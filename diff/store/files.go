package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/pkdelta"
	"pakdb/internal/ordered"
	"pakdb/internal/progress"
	"pakdb/internal/safename"
)

// files publishes the files of a build, in the order of their names.
func (p *publisher) files(ctx context.Context, inputs []pkdelta.Input) ([]File, error) {
	inputs = slices.Clone(inputs)
	want := map[string]string{}
	for i, sum := range p.opt.Sums[:min(len(p.opt.Sums), len(inputs))] {
		want[inputs[i].Name] = sum
	}
	slices.SortFunc(inputs, func(a, b pkdelta.Input) int { return strings.Compare(a.Name, b.Name) })
	if err := checkNames(inputs); err != nil {
		return nil, err
	}
	files := make([]File, len(inputs))
	fresh := int64(0)
	progress.Step(ctx, stepHashing, sizeOf(inputs))
	for i, in := range inputs {
		sum, err := sumOf(ctx, in.ReaderAt, in.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if w := want[in.Name]; w != "" && w != sum {
			return nil, fmt.Errorf("%s: %w", in.Name, ErrChanged)
		}
		f := File{Path: in.Name, Size: in.Size, Sum: sum, Recipe: p.known[sum]}
		files[i] = f
		p.stats.Files++
		p.stats.Size += in.Size
		if f.Recipe == (recipeAt{}) {
			fresh += in.Size
		}
	}
	if !slices.ContainsFunc(files, func(f File) bool { return f.Recipe == recipeAt{} }) {
		return files, nil
	}
	registry := p.opt.Registry
	if registry == nil {
		registry = &codecs.Registry{}
	}
	all, err := layouts(ctx, inputs, registry, p.opt.Open)
	if err != nil {
		return nil, err
	}
	progress.Step(ctx, stepReading, fresh)
	for i, in := range inputs {
		f := &files[i]
		if f.Recipe = p.known[f.Sum]; f.Recipe != (recipeAt{}) {
			continue
		}
		if f.Recipe, err = p.file(ctx, in, f.Sum, all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		// It may have become another one since it was hashed, which nobody could make.
		again, err := sumOf(progress.Watch(ctx, nil), in.ReaderAt, in.Size)
		if err == nil && again != f.Sum {
			err = errChanged
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		p.known[f.Sum] = f.Recipe
	}
	return files, nil
}

// checkNames refuses names that would not be files of their own wherever the
// build is to go, before anything is read.
func checkNames(inputs []pkdelta.Input) error {
	if err := safename.CheckAll(inputs, func(in pkdelta.Input) string { return in.Name }); err != nil {
		return fmt.Errorf("cannot be in a build: %w", err)
	}
	for _, in := range inputs {
		if reserved(in.Name) {
			return fmt.Errorf("%q cannot be in a build: the name is kept for updates", in.Name)
		}
		if in.Size > maxFileSize {
			return fmt.Errorf("%q cannot be in a build: it has more than %d bytes", in.Name, int64(maxFileSize))
		}
	}
	return nil
}

// prepared is a group on its way into the store.
type prepared struct {
	group
	form
	before []byte // of the skeleton
	id     key
	data   []byte // nil: too much to be held
	chunks []int  // their sizes
	keys   []key
	err    error
}

// maxHeld is how much of a content is held in memory.
const maxHeld = 4 << 20

// file publishes one file and returns the place of its recipe.
func (p *publisher) file(ctx context.Context, in pkdelta.Input, sum string, list []group) (at recipeAt, err error) {
	p.path, p.used = in.Name, map[frameID]bool{}
	p.frames[sum] = p.used
	r := &fileRecipe{recipes: []form{{}}}
	var pieces []piece
	var names []named
	var skeleton []byte
	var places []int64
	pos := int64(0)
	coders := sync.Pool{New: func() any { return &pkdelta.Coder{} }}
	work := func(_ context.Context, g *prepared) {
		coder := coders.Get().(*pkdelta.Coder)
		g.prepare(in, coder)
		coders.Put(coder)
	}
	workers := runtime.GOMAXPROCS(0)
	err = ordered.Do(ctx, each(list), workers, 2*workers, work, func(g *prepared) error {
		if g.err != nil {
			return g.err
		}
		if b, ok := g.blankBehind(in, places); ok {
			g.group, g.data, g.form = b.group, b.content, form{Recipe: pkdelta.Recipe{Method: methodTables}}
			g.cut()
		}
		progress.Of(ctx).Add(g.gap + g.length())
		places = append(places, g.head.places(g.off-g.gap, int64(len(g.before)))...)
		pos = g.off + g.length()
		skeleton = append(skeleton, g.before...)
		ref, err := p.add(ctx, in, g)
		pieces = append(pieces, piece{int64(len(g.before)), ref, r.number(g.form), g.coded()})
		names = append(names, named{g.name, g.id, g.size})
		return err
	}, func(*prepared) {})
	if err != nil {
		return at, err
	}
	tail := make([]byte, in.Size-pos)
	if err := fill(in, tail, pos); err != nil {
		return at, err
	}
	skeleton = append(skeleton, tail...)
	n := int64(len(skeleton))
	g := &prepared{group: group{name: nameOf(skeletonName, 0), rest: true, size: n, block: n, stored: []int64{n}}, data: skeleton}
	g.cut()
	if r.skeleton, err = p.add(ctx, in, g); err != nil {
		return at, err
	}
	names = append(names, named{g.name, g.id, g.size})
	packed, err := deflate(marshalNames(names))
	if err != nil {
		return at, err
	}
	if err := p.writeNames(sum, packed); err != nil {
		return at, err
	}
	return p.tree(r, pieces)
}

func each(list []group) iter.Seq2[*prepared, error] {
	return func(yield func(*prepared, error) bool) {
		for _, g := range list {
			if !yield(&prepared{group: g}, nil) {
				return
			}
		}
	}
}

// number returns which of the recipes one is.
func (r *fileRecipe) number(x form) int {
	k := slices.Index(r.recipes, x)
	if k < 0 {
		k = len(r.recipes)
		r.recipes = append(r.recipes, x)
	}
	return k
}

// coded is the size of blocks where a recipe codes them.
func (g *group) coded() int64 {
	if g.method == compress.None || g.method == methodTables {
		return 0
	}
	return g.block
}

func fill(in io.ReaderAt, b []byte, off int64) error {
	if n, err := in.ReadAt(b, off); n < len(b) {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	return nil
}

// prepare finds the recipe that makes the group's blocks, decodes it and cuts it
// into chunks. Where no recipe does, it is taken as it is stored.
func (g *prepared) prepare(in io.ReaderAt, coder *pkdelta.Coder) {
	if g.size <= maxHeld {
		g.data = make([]byte, 0, g.size)
	}
	if !g.recognize(in, coder) {
		g.group, g.Recipe, g.data = g.asStored(), pkdelta.Recipe{}, nil
		if g.size <= maxHeld {
			g.data = make([]byte, 0, g.size)
		}
	}
	if g.method == compress.None && g.data != nil {
		g.data = g.data[:g.size]
		g.err = fill(in, g.data, g.off)
	}
	if g.err == nil {
		g.head, g.before, g.err = g.findHead(in, g.storedSum(in))
	}
	if g.data != nil && g.err == nil {
		g.cut()
	}
}

// cut cuts what is held of a content.
func (g *prepared) cut() {
	g.id, g.keys, g.chunks = keyOf(g.data), nil, nil
	for at := 0; at < len(g.data); {
		n := cutWhole(g.data[at:], at)
		g.keys = append(g.keys, keyOf(g.data[at:at+n]))
		g.chunks = append(g.chunks, n)
		at += n
	}
}

// recognize finds the recipe that makes all blocks of a group.
func (g *prepared) recognize(in io.ReaderAt, coder *pkdelta.Coder) bool {
	if g.method == compress.None {
		return true
	}
	var plain, stored []byte
	var likely []pkdelta.Recipe
	at := g.off
	for i := range g.stored {
		var err error
		if plain, stored, err = g.decode(in, i, at, plain, stored); err != nil {
			return false
		}
		found, ok := coder.Recognize(g.method, stored, plain, likely)
		if !ok || i > 0 && found != g.Recipe {
			return false
		}
		g.Recipe, likely = found, []pkdelta.Recipe{found}
		at += g.stored[i]
		if g.data != nil {
			g.data = append(g.data, plain...)
		}
	}
	return true
}

// add puts a content into the store, unless it is there, and returns where it
// is.
func (p *publisher) add(ctx context.Context, in io.ReaderAt, g *prepared) (ref contentRef, err error) {
	p.stats.Contents++
	var chunks []chunkRef
	put := func(k key, b []byte, to *packer) error {
		at, there := p.chunks[k]
		if !there {
			if at, err = to.add(rowChunk, k, b, 0); err != nil {
				return err
			}
			p.chunks[k] = at
			p.stats.Chunks++
		}
		p.used[at.id()] = true
		chunks = append(chunks, chunkRef{k.short(), at})
		return nil
	}
	if g.data != nil {
		to := &p.data
		_, changed, err := p.before.origin(ctx, p.path, named{g.name, g.id, g.size}, func() ([]byte, error) { return g.data, nil })
		if err != nil {
			return ref, err
		}
		if changed {
			to = &p.others
		}
		if g.rest { // differs in every other pak: others are not fetched for it
			to.cut()
			defer to.cut()
		}
		at := 0
		for i, n := range g.chunks {
			if err := put(g.keys[i], g.data[at:at+n], to); err != nil {
				return ref, err
			}
			at += n
		}
	} else {
		h := blake3.New()
		err := eachChunk(g.open(in), g.size, func(b []byte) error {
			_, _ = h.Write(b)
			return put(keyOf(b), b, &p.data)
		})
		if err != nil {
			return ref, err
		}
		g.id = key(h.Sum(nil)[:16])
	}
	ref = contentRef{id: g.id.short(), size: g.size}
	switch len(chunks) {
	case 0:
	case 1:
		ref.place = chunks[0].place
	default:
		ref.place, ref.depth, err = p.listOf(g.id, chunks, g.size)
	}
	return ref, err
}

// Lists end at chunks that say so, so that equal parts of two contents have
// equal lists.
const (
	leastInList = 512
	mostInList  = 4096
)

// listOf stores the list of chunks, or for a large content a list of lists.
func (p *publisher) listOf(id key, chunks []chunkRef, size int64) (at place, depth int, err error) {
	if len(chunks) <= mostInList {
		at, err = p.addList(id, marshalList(chunks), size)
		return at, 1, err
	}
	var parts []listRef
	for len(chunks) > 0 {
		n := 1
		for n < len(chunks) && n < mostInList && (n < leastInList || chunks[n-1].id%leastInList != 0) {
			n++
		}
		part := chunks[:n]
		chunks = chunks[n:]
		var ids []byte
		total := int64(0)
		for _, c := range part {
			ids = binary.LittleEndian.AppendUint64(ids, c.id)
			total += int64(c.size)
		}
		at, err := p.addList(keyOf(ids), marshalList(part), total)
		if err != nil {
			return place{}, 0, err
		}
		parts = append(parts, listRef{at, total})
	}
	at, err = p.addList(id, marshalLists(parts), size)
	return at, 2, err
}

// addList stores a list unless it is there.
func (p *publisher) addList(id key, b []byte, size int64) (place, error) {
	if have, there := p.listed[id]; there && have.content == size {
		return have.place, nil
	}
	if len(b) > maxChunk {
		return place{}, fmt.Errorf("%w: a content of %d bytes", errors.ErrUnsupported, size)
	}
	at, err := p.list.add(rowList, id, b, size)
	if err == nil {
		p.listed[id] = row{rowList, id, at, size}
	}
	return at, err
}

// part stores a part of a tree, unless it is there.
func (p *publisher) part(id key, b func() []byte) (at place, err error) {
	at, there := p.parts[id]
	if !there {
		at, err = p.list.add(rowPart, id, b(), 0)
		p.parts[id] = at
	}
	return at, err
}

// tree stores a recipe: the parts of its tree that are not there, and the root.
func (p *publisher) tree(r *fileRecipe, pieces []piece) (at recipeAt, err error) {
	r.parts, r.height, err = partsOf(pieces, func(id key, _ int, leaf, _ []piece, node []part) (place, error) {
		return p.part(id, func() []byte {
			if leaf != nil {
				return marshalLeaf(leaf)
			}
			return marshalNode(node)
		})
	})
	if err != nil {
		return at, err
	}
	if len(pieces) > maxPieces || r.height > maxHeight {
		return at, fmt.Errorf("%w: a file of %d contents", errors.ErrUnsupported, len(pieces))
	}
	root, err := p.list.add(rowPart, key{}, r.marshal(), 0)
	return recipeAt{root.pack, root.frame, root.at, root.size}, err
}
