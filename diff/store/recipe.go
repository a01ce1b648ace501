package store

import (
	"encoding/binary"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/pkdelta"
	"pakdb/internal/fields"
)

// A fileRecipe says how a file is made of contents: pieces, one behind the
// other. Before each piece stand bytes of the skeleton, which is what lies
// between the contents of archives: heads of entries, padding.
//
// The pieces of a file are the leaves of a tree, cut where their contents say
// so. A part of the tree is called by the pieces below it, without the places of
// their contents: a client that has an earlier version of the file knows its
// parts by looking at that, and fetches the others alone.
type fileRecipe struct {
	recipes  []form // the first stores bytes as they are
	skeleton contentRef
	height   int // of the tree: of 0 the parts are leaves
	parts    []part
}

// part is a leaf, which has pieces, or a node, which has parts.
type part struct {
	id    uint64
	count int // of pieces below it
	place
}

// form is how contents are stored: a recipe, and what stands before them.
type form struct {
	pkdelta.Recipe
	head headForm
}

// piece is a content, stored block by block as a recipe says.
type piece struct {
	gap int64 // bytes of the skeleton before it
	contentRef
	recipe int
	block  int64 // decoded bytes of a block but the last; 0 if it is stored as it is
}

const (
	leafBits    = 2
	nodeBits    = 3
	leastInPart = 2
	mostInPart  = 64
	mostRecipes = 1024
	maxHeight   = 8
	maxPieces   = 1 << 24
)

// leaves cuts pieces into leaves.
func leaves(pieces []piece) (list [][]piece) {
	return runs(pieces, func(p piece) bool { return p.id>>(64-leafBits) == 0 })
}

// nodes cuts parts into nodes.
func nodes(parts []part) (list [][]part) {
	return runs(parts, func(p part) bool { return p.id>>(64-nodeBits) == 0 })
}

// runs ends a run behind what says so.
func runs[T any](all []T, last func(T) bool) (list [][]T) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && n < mostInPart && (n < leastInPart || !last(all[n-1])) {
			n++
		}
		list = append(list, all[:n])
		all = all[n:]
	}
	return list
}

// leafID is what a leaf is called by: all of its pieces but where they are.
func leafID(pieces []piece) key {
	var b []byte
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.gap))
		b = binary.LittleEndian.AppendUint64(b, p.id)
		b = binary.AppendUvarint(b, uint64(p.size))
		b = binary.AppendUvarint(b, uint64(p.recipe))
		b = binary.AppendUvarint(b, uint64(p.block))
	}
	return keyOf(b)
}

func nodeID(parts []part) key {
	var b []byte
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, p.id)
		b = binary.AppendUvarint(b, uint64(p.count))
	}
	return keyOf(b)
}

func count(parts []part) (n int) {
	for _, p := range parts {
		n += p.count
	}
	return n
}

// marshalLeaf writes columns, which compress better than rows.
func marshalLeaf(pieces []piece) []byte {
	b := binary.AppendUvarint(nil, uint64(len(pieces)))
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.gap))
	}
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.recipe))
	}
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.block))
	}
	refs := make([]contentRef, len(pieces))
	for i, p := range pieces {
		refs[i] = p.contentRef
	}
	return appendContents(b, refs)
}

// appendContents writes contents, whose number is known.
func appendContents(b []byte, list []contentRef) []byte {
	for _, c := range list {
		b = binary.LittleEndian.AppendUint64(b, c.id)
	}
	for _, c := range list {
		b = binary.AppendUvarint(b, uint64(c.size)<<2|uint64(c.depth))
	}
	var before place
	for _, c := range list {
		if c.size > 0 {
			b = appendPlace(b, c.place, before)
			before = c.place
		}
	}
	return b
}

// parseLeaf reads a leaf of a file that has these recipes.
func parseLeaf(b []byte, recipes []form) ([]piece, error) {
	f := fields.New(b, ErrCorrupt)
	pieces := make([]piece, f.Count("pieces", mostInPart, 1+1+1+8+1))
	for i := range pieces {
		pieces[i].gap = f.Number("gap", 1<<50)
	}
	for i := range pieces {
		pieces[i].recipe = int(f.Number("recipe", int64(len(recipes))-1))
	}
	for i := range pieces {
		p := &pieces[i]
		p.block = f.Number("size of blocks", maxBlock)
		if f.Err() == nil && recipes[p.recipe].inBlocks() != (p.block > 0) {
			f.Fail("blocks of %d bytes", p.block)
		}
	}
	for i, c := range readContents(f, len(pieces)) {
		p := &pieces[i]
		p.contentRef = c
		if f.Err() == nil && (c.size == 0 && recipes[p.recipe] != (form{}) || !recipes[p.recipe].head.fits(p.gap)) {
			f.Fail("a content of %d bytes behind %d", c.size, p.gap)
		}
		if f.Err() == nil && recipes[p.recipe].head&headBlocks != 0 && p.least() > maxHeadBlocks {
			f.Fail("a record of %d blocks", p.least())
		}
	}
	return pieces, end(f)
}

func end(f *fields.Reader) error {
	if f.Err() == nil && f.Len() > 0 {
		f.Fail("%d bytes too many", f.Len())
	}
	return f.Err()
}

func readContents(f *fields.Reader, n int) []contentRef {
	list := make([]contentRef, n)
	for i := range list {
		list[i].id = f.Uint64()
	}
	for i := range list {
		v := f.Number("size of a content", 1<<52)
		list[i].size, list[i].depth = v>>2, int(v&3)
		if list[i].depth > 2 {
			f.Fail("depth of a list")
		}
	}
	var before place
	for i := range list {
		if c := &list[i]; c.size > 0 {
			c.place = readPlace(f, before)
			before = c.place
			if c.depth == 0 && int64(c.place.size) != c.size {
				f.Fail("a content of %d bytes in a chunk of %d", c.size, c.place.size)
			}
		}
	}
	return list
}

// marshalNode writes the parts of a node.
func marshalNode(parts []part) []byte {
	b := binary.AppendUvarint(nil, uint64(len(parts)))
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, p.id)
	}
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(p.count))
	}
	var before place
	for _, p := range parts {
		b = appendPlace(b, p.place, before)
		before = p.place
	}
	return b
}

func readNode(f *fields.Reader) []part {
	parts := make([]part, f.Count("parts", mostInPart, 8+1+2))
	for i := range parts {
		parts[i].id = f.Uint64()
	}
	for i := range parts {
		if parts[i].count = int(f.Number("count of pieces", maxPieces)); parts[i].count == 0 {
			f.Fail("a part without pieces")
		}
	}
	var before place
	for i := range parts {
		parts[i].place = readPlace(f, before)
		before = parts[i].place
	}
	return parts
}

// parseNode reads the parts of a node.
func parseNode(b []byte) ([]part, error) {
	f := fields.New(b, ErrCorrupt)
	parts := readNode(f)
	return parts, end(f)
}

// marshal writes the root.
func (r *fileRecipe) marshal() []byte {
	b := binary.AppendUvarint(nil, uint64(len(r.recipes)))
	for _, x := range r.recipes {
		b = binary.AppendUvarint(b, uint64(len(x.Method)))
		b = append(b, x.Method...)
		b = append(b, x.Params[:]...)
		b = append(b, byte(x.head))
	}
	b = appendContents(b, []contentRef{r.skeleton})
	b = binary.AppendUvarint(b, uint64(r.height))
	return append(b, marshalNode(r.parts)...)
}

// parseRecipe reads a root.
func parseRecipe(b []byte) (*fileRecipe, error) {
	f := fields.New(b, ErrCorrupt)
	r := &fileRecipe{recipes: make([]form, f.Count("recipes", mostRecipes, 1+4+1))}
	for i := range r.recipes {
		x := &r.recipes[i]
		x.Method = compress.Method(f.Text("name of a method", 64))
		copy(x.Params[:], f.Bytes(len(x.Params)))
		if x.head = headForm(f.Number("form of heads", int64(headForms))); !x.head.valid(x.Method) {
			f.Fail("a head of the form %d", x.head)
		}
	}
	if len(r.recipes) == 0 || r.recipes[0] != (form{}) {
		f.Fail("the first recipe does something")
	}
	r.skeleton = readContents(f, 1)[0]
	r.height = int(f.Number("height of a tree", maxHeight))
	r.parts = readNode(f)
	if f.Err() == nil && count(r.parts) > maxPieces {
		f.Fail("%d pieces", count(r.parts))
	}
	return r, end(f)
}

// inBlocks reports whether a recipe codes contents block by block.
func (x *form) inBlocks() bool { return x.Method != compress.None && x.Method != methodTables }

// numberFor returns the first of the recipes that is of a method and has such
// heads: what a client takes a content for that it has.
func (r *fileRecipe) numberFor(m compress.Method, head headForm) int {
	return slices.IndexFunc(r.recipes, func(x form) bool { return x.Method == m && x.head == head })
}

// likelyFor returns the recipe that contents of a method most probably have, with a
// head: a packer that writes one block size for all writes that of the recipe only
// where there are several blocks.
func (r *fileRecipe) likelyFor(m compress.Method, several bool) int {
	best := -1
	for i, x := range r.recipes {
		if x.Method == m && x.head != 0 && (best < 0 || (r.recipes[best].head&headBlockSize != 0) != several && (x.head&headBlockSize != 0) == several) {
			best = i
		}
	}
	return best
}

// partsOf calls use for every leaf and node of a tree over pieces, from the
// bottom up, with the pieces below it, and returns the topmost parts.
func partsOf(pieces []piece, use func(id key, height int, leaf, below []piece, node []part) (place, error)) (parts []part, height int, err error) {
	at := 0
	for _, leaf := range leaves(pieces) {
		p := part{count: len(leaf)}
		id := leafID(leaf)
		if p.place, err = use(id, 0, leaf, leaf, nil); err != nil {
			return nil, 0, err
		}
		p.id = id.short()
		parts = append(parts, p)
	}
	for len(parts) > mostInPart {
		height++
		var above []part
		at = 0
		for _, node := range nodes(parts) {
			p := part{count: count(node)}
			id := nodeID(node)
			if p.place, err = use(id, height, nil, pieces[at:at+p.count], node); err != nil {
				return nil, 0, err
			}
			p.id = id.short()
			at += p.count
			above = append(above, p)
		}
		parts = above
	}
	return parts, height, nil
}
