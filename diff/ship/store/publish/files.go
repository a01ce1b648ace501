package publish

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
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/safename"
	"pakdb/internal/stored"
)

// files publishes the files of a build, in the order of their names.
func (p *publisher) files(ctx context.Context, inputs []delta.Input) ([]store.File, error) {
	inputs = slices.Clone(inputs)
	want := map[string]string{}
	for i, sum := range p.opt.Sums[:min(len(p.opt.Sums), len(inputs))] {
		want[inputs[i].Name] = sum
	}
	slices.SortFunc(inputs, func(a, b delta.Input) int { return strings.Compare(a.Name, b.Name) })
	if err := checkNames(inputs); err != nil {
		return nil, err
	}
	files := make([]store.File, len(inputs))
	fresh := int64(0)
	stored.Step(ctx, store.StepHashing, delta.SizeOfInputs(inputs))
	for i, in := range inputs {
		sum, err := store.SumOf(ctx, in.ReaderAt, in.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		if w := want[in.Name]; w != "" && w != sum {
			return nil, fmt.Errorf("%s: %w", in.Name, store.ErrChanged)
		}
		f := store.File{Path: in.Name, Size: in.Size, Sum: sum, Recipe: p.known[sum]}
		files[i] = f
		p.stats.Files++
		p.stats.Size += in.Size
		if f.Recipe == (store.RecipeAt{}) {
			fresh += in.Size
		}
	}
	if !slices.ContainsFunc(files, func(f store.File) bool { return f.Recipe == store.RecipeAt{} }) {
		return files, nil
	}
	registry := p.opt.Registry
	if registry == nil {
		registry = &codecs.Registry{}
	}
	all, err := store.Layouts(ctx, inputs, registry, p.opt.Open)
	if err != nil {
		return nil, err
	}
	stored.Step(ctx, store.StepReading, fresh)
	for _, i := range p.optional.Order(inputs) {
		in, f := inputs[i], &files[i]
		if f.Recipe = p.known[f.Sum]; f.Recipe != (store.RecipeAt{}) {
			continue
		}
		if f.Recipe, err = p.file(ctx, in, f.Sum, all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		// It may have become another one since it was hashed, which nobody could make.
		again, err := store.SumOf(stored.WatchProgress(ctx, nil), in.ReaderAt, in.Size)
		if err == nil && again != f.Sum {
			err = update.ErrChanged
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		p.known[f.Sum] = f.Recipe
	}
	return files, nil
}

// setModes says which files of a build are executable. Where the system of the publisher has
// no such permission, they are as in the build before, if that says it.
func setModes(b *store.Build, inputs []delta.Input, earlier []*store.Build) {
	known := map[string]bool{}
	switch n := len(earlier); {
	case delta.Modes(inputs):
		for _, in := range inputs {
			known[in.Name] = atomicfile.IsExec(in.Mode)
		}
	case n > 0 && earlier[n-1].Modes:
		for _, f := range earlier[n-1].Files {
			known[f.Path] = f.Exec
		}
	default:
		return
	}
	b.Modes = true
	for i := range b.Files {
		b.Files[i].Exec = known[b.Files[i].Path]
	}
}

// checkNames refuses names that would not be files of their own wherever the
// build is to go, before anything is read.
func checkNames(inputs []delta.Input) error {
	if err := safename.CheckAll(inputs, func(in delta.Input) string { return in.Name }); err != nil {
		return fmt.Errorf("cannot be in a build: %w", err)
	}
	for _, in := range inputs {
		if store.Reserved(in.Name) {
			return fmt.Errorf("%q cannot be in a build: the name is kept for updates", in.Name)
		}
		if in.Size > store.MaxFileSize {
			return fmt.Errorf("%q cannot be in a build: it has more than %d bytes", in.Name, int64(store.MaxFileSize))
		}
	}
	return nil
}

// prepared is a group on its way into the store.
type prepared struct {
	store.Group
	store.Form
	before     []byte // of the skeleton
	id         store.Key
	data       []byte // nil: too much to be held, or remembered
	chunks     []MemoChunk
	err        error
	key        store.Key // of the memo; zero: not to be added to it
	remembered bool      // the memo has id and chunks, and the store has these
}

// file publishes one file and returns the place of its recipe.
func (p *publisher) file(ctx context.Context, in delta.Input, sum string, list []store.Group) (at store.RecipeAt, err error) {
	p.path, p.used = in.Name, map[store.FrameID]int{}
	p.frames[sum] = p.used
	r, pos := &store.FileRecipe{Recipes: []store.Form{{}}}, int64(0)
	var pieces []store.Piece
	var names []store.Named
	var skeleton []byte
	var places []int64
	coders := sync.Pool{New: func() any { return &delta.Coder{} }}
	work := func(_ context.Context, g *prepared) {
		coder := coders.Get().(*delta.Coder)
		g.prepare(in, coder, p.memo)
		coders.Put(coder)
	}
	err = process.InOrder(ctx, each(list), runtime.GOMAXPROCS(0), 2*runtime.GOMAXPROCS(0), work, func(g *prepared) error {
		if g.err != nil {
			return g.err
		}
		if b, ok := g.BlankBehind(in, places); ok {
			g.Group, g.data, g.Form = b.Group, b.Content, store.Form{Recipe: delta.Recipe{Method: store.MethodTables}}
			g.cut()
		}
		stored.ProgressOf(ctx).Add(g.Gap + g.Length())
		places = append(places, g.Head.Places(g.Off-g.Gap, int64(len(g.before)))...)
		pos = g.Off + g.Length()
		skeleton = append(skeleton, g.before...)
		ref, err := p.add(ctx, in, g)
		pieces = append(pieces, store.Piece{Gap: int64(len(g.before)), ContentRef: ref, Recipe: r.Number(g.Form), Block: g.Coded()})
		names = append(names, store.Named{Name: g.Name, Key: g.id, Size: g.Size})
		return err
	}, func(*prepared) {})
	if err != nil {
		return at, err
	}
	tail := make([]byte, in.Size-pos)
	if err := stored.ReadAt(in, tail, pos); err != nil {
		return at, err
	}
	skeleton = append(skeleton, tail...)
	n := int64(len(skeleton))
	g := &prepared{Group: store.Group{Name: store.NameOf(store.SkeletonName, 0), Rest: true, Size: n, Block: n, Stored: []int64{n}}, data: skeleton}
	g.cut()
	if r.Skeleton, err = p.add(ctx, in, g); err != nil {
		return at, err
	}
	names = append(names, store.Named{Name: g.Name, Key: g.id, Size: g.Size})
	packed, err := deflater.Deflate(store.MarshalNames(names))
	if err != nil {
		return at, err
	}
	if err := p.out.writeNames(sum, packed); err != nil {
		return at, err
	}
	return p.tree(r, pieces)
}

func each(list []store.Group) iter.Seq2[*prepared, error] {
	return func(yield func(*prepared, error) bool) {
		for _, g := range list {
			if !yield(&prepared{Group: g}, nil) {
				return
			}
		}
	}
}

// prepare finds the recipe that makes the group's blocks, decodes it and cuts it into chunks,
// unless m has it. Where no recipe does, it is taken as it is stored.
func (g *prepared) prepare(in io.ReaderAt, coder *delta.Coder, m *Memo) {
	if g.Method != compress.None && len(g.Stored) > 0 {
		if g.key, g.err = MemoKeyOf(in, &g.Group); g.err != nil {
			return
		}
		if e, ok := m.Find(g.key); ok {
			g.remembered, g.Recipe, g.id, g.chunks = true, e.Recipe, e.ID, e.Chunks
			if e.Recipe == (delta.Recipe{}) {
				g.Group = g.AsStored()
			}
			g.Head, g.before, g.err = g.FindHead(in, g.StoredSum(in))
			return
		}
	}
	if g.Size <= store.MaxHeld {
		g.data = make([]byte, 0, g.Size)
	}
	if !g.recognize(in, coder) {
		g.Group, g.Recipe, g.data = g.AsStored(), delta.Recipe{}, nil
		if g.Size <= store.MaxHeld {
			g.data = make([]byte, 0, g.Size)
		}
	}
	if g.Method == compress.None && g.data != nil {
		g.data = g.data[:g.Size]
		g.err = stored.ReadAt(in, g.data, g.Off)
	}
	if g.err == nil {
		g.Head, g.before, g.err = g.FindHead(in, g.StoredSum(in))
	}
	if g.data != nil && g.err == nil {
		g.cut()
	}
}

// cut cuts what is held of a content.
func (g *prepared) cut() {
	g.id, g.chunks = store.KeyOf(g.data), nil
	for at := 0; at < len(g.data); {
		n := store.CutWhole(g.data[at:], at)
		g.chunks = append(g.chunks, MemoChunk{Key: store.KeyOf(g.data[at : at+n]), Size: n})
		at += n
	}
}

// holds reports whether all chunks are in the store.
func (p *publisher) holds(chunks []MemoChunk) bool {
	return !slices.ContainsFunc(chunks, func(c MemoChunk) bool { return p.chunks[c.Key] == store.SmallPlace{} })
}

// recognize finds the recipe that makes all blocks of a group.
func (g *prepared) recognize(in io.ReaderAt, coder *delta.Coder) bool {
	if g.Method == compress.None {
		return true
	}
	var plain, stored []byte
	var likely []delta.Recipe
	at := g.Off
	for i := range g.Stored {
		var err error
		if plain, stored, err = g.Decode(in, i, at, plain, stored); err != nil {
			return false
		}
		found, ok := coder.Recognize(g.Method, stored, plain, likely)
		if !ok || i > 0 && found != g.Recipe {
			return false
		}
		g.Recipe, likely = found, []delta.Recipe{found}
		at += g.Stored[i]
		if g.data != nil {
			g.data = append(g.data, plain...)
		}
	}
	return true
}

// add puts a content into the store, unless it is there, and returns where it
// is.
func (p *publisher) add(ctx context.Context, in io.ReaderAt, g *prepared) (ref store.ContentRef, err error) {
	p.stats.Contents++
	var chunks []store.ChunkRef
	put := func(k store.Key, b []byte, to *packer) error {
		have, there := p.chunks[k]
		at := have.Place()
		if !there {
			if at, err = to.add(store.RowChunk, k, b, 0); err != nil {
				return err
			}
			p.chunks[k] = at.Small()
			p.stats.Chunks++
		}
		p.used[at.ID()] += at.Size
		chunks = append(chunks, store.ChunkRef{ID: k.Short(), Place: at})
		return nil
	}
	switch {
	case g.remembered:
		p.stats.Remembered++
		for _, c := range g.chunks {
			_ = put(c.Key, nil, nil) // it is there
		}
	case g.data != nil:
		to := &p.data
		_, changed, err := p.before.Origin(ctx, p.path, store.Named{Name: g.Name, Key: g.id, Size: g.Size}, func() ([]byte, error) { return g.data, nil })
		if err != nil {
			return ref, err
		}
		if changed {
			to = &p.others
		}
		if g.Rest { // differs in every other pak: others are not fetched for it
			to.cut()
			defer to.cut()
		}
		at := 0
		for _, c := range g.chunks {
			if err := put(c.Key, g.data[at:at+c.Size], to); err != nil {
				return ref, err
			}
			at += c.Size
		}
	default:
		h := blake3.New()
		err := store.EachChunk(g.Open(in), g.Size, func(b []byte) error {
			_, _ = h.Write(b)
			g.chunks = append(g.chunks, MemoChunk{Key: store.KeyOf(b), Size: len(b)})
			return put(g.chunks[len(g.chunks)-1].Key, b, &p.data)
		})
		if err != nil {
			return ref, err
		}
		g.id = store.Key(h.Sum(nil)[:16])
	}
	if g.key != (store.Key{}) && !g.remembered && (g.Method == compress.None) == (g.Recipe == delta.Recipe{}) {
		p.memo.Add(g.key, MemoEntry{Recipe: g.Recipe, ID: g.id, Chunks: g.chunks})
	}
	ref = store.ContentRef{ID: g.id.Short(), Size: g.Size}
	switch len(chunks) {
	case 0:
	case 1:
		ref.Place = chunks[0].Place
	default:
		ref.Place, ref.Depth, err = p.listOf(g.id, chunks, g.Size)
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
func (p *publisher) listOf(id store.Key, chunks []store.ChunkRef, size int64) (at store.Place, depth int, err error) {
	if len(chunks) <= mostInList {
		at, err = p.addList(id, store.MarshalList(chunks), size)
		return at, 1, err
	}
	var parts []store.ListRef
	for len(chunks) > 0 {
		n := 1
		for n < len(chunks) && n < mostInList && (n < leastInList || chunks[n-1].ID%leastInList != 0) {
			n++
		}
		part := chunks[:n]
		chunks = chunks[n:]
		var ids []byte
		total := int64(0)
		for _, c := range part {
			ids = binary.LittleEndian.AppendUint64(ids, c.ID)
			total += int64(c.Size)
		}
		at, err := p.addList(store.KeyOf(ids), store.MarshalList(part), total)
		if err != nil {
			return store.Place{}, 0, err
		}
		parts = append(parts, store.ListRef{Place: at, Content: total})
	}
	at, err = p.addList(id, store.MarshalLists(parts), size)
	return at, 2, err
}

// addList stores a list unless it is there.
func (p *publisher) addList(id store.Key, b []byte, size int64) (store.Place, error) {
	if have, there := p.listed[id]; there && have.Content == size {
		return have.Place(), nil
	}
	if len(b) > store.MaxChunk {
		return store.Place{}, fmt.Errorf("%w: a content of %d bytes", errors.ErrUnsupported, size)
	}
	at, err := p.list.add(store.RowList, id, b, size)
	if err == nil {
		p.listed[id] = store.Listed{SmallPlace: at.Small(), Content: size}
	}
	return at, err
}

// part stores a part of a tree, unless it is there.
func (p *publisher) part(id store.Key, b func() []byte) (at store.Place, err error) {
	if have, there := p.parts[id]; there {
		return have.Place(), nil
	}
	at, err = p.list.add(store.RowPart, id, b(), 0)
	p.parts[id] = at.Small()
	return at, err
}

// tree stores a recipe: the parts of its tree that are not there, and the root.
func (p *publisher) tree(r *store.FileRecipe, pieces []store.Piece) (at store.RecipeAt, err error) {
	r.Parts, r.Height, err = store.PartsOf(pieces, func(id store.Key, _ int, leaf, _ []store.Piece, node []store.Part) (store.Place, error) {
		return p.part(id, func() []byte {
			if leaf != nil {
				return store.MarshalLeaf(leaf)
			}
			return store.MarshalNode(node)
		})
	})
	if err != nil {
		return at, err
	}
	if len(pieces) > store.MaxPieces || r.Height > store.MaxHeight {
		return at, fmt.Errorf("%w: a file of %d contents", errors.ErrUnsupported, len(pieces))
	}
	root, err := p.list.add(store.RowPart, store.Key{}, r.Marshal(), 0)
	return store.RecipeAt{root.Pack, root.Frame, root.At, root.Size}, err
}
