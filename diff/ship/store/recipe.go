package store

import (
	"encoding/binary"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/internal/bin"
)

// A FileRecipe says how a file is made of contents: pieces, one after the
// other. Before each piece are bytes of the skeleton, which is what lies
// between the contents of archives: heads of entries, padding.
//
// The pieces of a file are the leaves of a tree, cut where their contents say
// so. A part of the tree is called by the pieces below it, without the places of
// their contents: a client that has an earlier version of the file knows its
// parts by looking at that, and fetches the others alone.
type FileRecipe struct {
	Recipes  []Form // the first stores bytes as they are
	Skeleton ContentRef
	Height   int // of the tree: of 0 the parts are leaves
	Parts    []Part
}

// Part is a leaf, which has pieces, or a node, which has parts.
type Part struct {
	ID    uint64
	Count int // of pieces below it
	Place
}

// Form is the form of stored contents: a recipe, and the bytes before them.
type Form struct {
	delta.Recipe
	Head HeadForm
}

// Piece is a content, stored block by block as a recipe says.
type Piece struct {
	Gap int64 // bytes of the skeleton before it
	ContentRef
	Recipe int
	Block  int64 // decoded bytes of a block but the last; 0 if it is stored as it is
}

const (
	leafBits    = 2
	nodeBits    = 3
	leastInPart = 2
	// MostInPart is how many pieces or parts a part of a recipe has at most.
	MostInPart  = 64
	mostRecipes = 1024
	// MaxHeight is how many floors a recipe may have.
	MaxHeight = 8
	// MaxPieces is how many pieces a file may have.
	MaxPieces = 1 << 24
)

// leaves cuts pieces into leaves.
func leaves(pieces []Piece) (list [][]Piece) {
	return runs(pieces, func(p Piece) bool { return p.ID>>(64-leafBits) == 0 })
}

// nodes cuts parts into nodes.
func nodes(parts []Part) (list [][]Part) {
	return runs(parts, func(p Part) bool { return p.ID>>(64-nodeBits) == 0 })
}

// runs ends a run after what says so.
func runs[T any](all []T, last func(T) bool) (list [][]T) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && n < MostInPart && (n < leastInPart || !last(all[n-1])) {
			n++
		}
		list = append(list, all[:n])
		all = all[n:]
	}
	return list
}

// LeafID is the id of a leaf: a hash of its pieces without their places.
func LeafID(pieces []Piece) Key {
	var b []byte
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.Gap))
		b = binary.LittleEndian.AppendUint64(b, p.ID)
		b = binary.AppendUvarint(b, uint64(p.Size))
		b = binary.AppendUvarint(b, uint64(p.Recipe))
		b = binary.AppendUvarint(b, uint64(p.Block))
	}
	return KeyOf(b)
}

// NodeID returns the id of a node: the key of its parts.
func NodeID(parts []Part) Key {
	var b []byte
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, p.ID)
		b = binary.AppendUvarint(b, uint64(p.Count))
	}
	return KeyOf(b)
}

// Count returns how many pieces parts have together.
func Count(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Count
	}
	return n
}

// MarshalLeaf writes columns, which compress better than rows.
func MarshalLeaf(pieces []Piece) []byte {
	b := binary.AppendUvarint(nil, uint64(len(pieces)))
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.Gap))
	}
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.Recipe))
	}
	for _, p := range pieces {
		b = binary.AppendUvarint(b, uint64(p.Block))
	}
	refs := make([]ContentRef, len(pieces))
	for i, p := range pieces {
		refs[i] = p.ContentRef
	}
	return appendContents(b, refs)
}

// appendContents writes contents, whose number is known.
func appendContents(b []byte, list []ContentRef) []byte {
	for _, c := range list {
		b = binary.LittleEndian.AppendUint64(b, c.ID)
	}
	for _, c := range list {
		b = binary.AppendUvarint(b, uint64(c.Size)<<2|uint64(c.Depth))
	}
	var before Place
	for _, c := range list {
		if c.Size > 0 {
			b = appendPlace(b, c.Place, before)
			before = c.Place
		}
	}
	return b
}

// ParseLeaf reads a leaf of a file that has these recipes.
func ParseLeaf(b []byte, recipes []Form) ([]Piece, error) {
	f := bin.NewFields(b, ErrCorrupt)
	pieces := make([]Piece, f.Count("pieces", MostInPart, 1+1+1+8+1))
	for i := range pieces {
		pieces[i].Gap = f.Number("gap", 1<<50)
	}
	for i := range pieces {
		pieces[i].Recipe = int(f.Number("recipe", int64(len(recipes))-1))
	}
	for i := range pieces {
		p := &pieces[i]
		p.Block = f.Number("size of blocks", maxBlock)
		if f.Err() == nil && recipes[p.Recipe].InBlocks() != (p.Block > 0) {
			f.Fail("blocks of %d bytes", p.Block)
		}
	}
	for i, c := range readContents(f, len(pieces)) {
		p := &pieces[i]
		p.ContentRef = c
		if f.Err() == nil && (c.Size == 0 && recipes[p.Recipe] != (Form{}) || !recipes[p.Recipe].Head.fits(p.Gap)) {
			f.Fail("a content of %d bytes after %d", c.Size, p.Gap)
		}
		if f.Err() == nil && recipes[p.Recipe].Head&HeadBlocks != 0 && p.Least() > maxHeadBlocks {
			f.Fail("a record of %d blocks", p.Least())
		}
	}
	return pieces, end(f)
}

func end(f *bin.Fields) error {
	if f.Err() == nil && f.Len() > 0 {
		f.Fail("%d bytes too many", f.Len())
	}
	return f.Err()
}

func readContents(f *bin.Fields, n int) []ContentRef {
	list := make([]ContentRef, n)
	for i := range list {
		list[i].ID = f.Uint64()
	}
	for i := range list {
		v := f.Number("size of a content", 1<<52)
		list[i].Size, list[i].Depth = v>>2, int(v&3)
		if list[i].Depth > 2 {
			f.Fail("depth of a list")
		}
	}
	var before Place
	for i := range list {
		if c := &list[i]; c.Size > 0 {
			c.Place = readPlace(f, before)
			before = c.Place
			if c.Depth == 0 && int64(c.Place.Size) != c.Size {
				f.Fail("a content of %d bytes in a chunk of %d", c.Size, c.Place.Size)
			}
		}
	}
	return list
}

// MarshalNode writes the parts of a node.
func MarshalNode(parts []Part) []byte {
	b := binary.AppendUvarint(nil, uint64(len(parts)))
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, p.ID)
	}
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(p.Count))
	}
	var before Place
	for _, p := range parts {
		b = appendPlace(b, p.Place, before)
		before = p.Place
	}
	return b
}

func readNode(f *bin.Fields) []Part {
	parts := make([]Part, f.Count("parts", MostInPart, 8+1+2))
	for i := range parts {
		parts[i].ID = f.Uint64()
	}
	for i := range parts {
		if parts[i].Count = int(f.Number("count of pieces", MaxPieces)); parts[i].Count == 0 {
			f.Fail("a part without pieces")
		}
	}
	var before Place
	for i := range parts {
		parts[i].Place = readPlace(f, before)
		before = parts[i].Place
	}
	return parts
}

// ParseNode reads the parts of a node.
func ParseNode(b []byte) ([]Part, error) {
	f := bin.NewFields(b, ErrCorrupt)
	parts := readNode(f)
	return parts, end(f)
}

// Marshal writes the root.
func (r *FileRecipe) Marshal() []byte {
	b := binary.AppendUvarint(nil, uint64(len(r.Recipes)))
	for _, x := range r.Recipes {
		b = binary.AppendUvarint(b, uint64(len(x.Method)))
		b = append(b, x.Method...)
		b = append(b, x.Params[:]...)
		b = append(b, byte(x.Head))
	}
	b = appendContents(b, []ContentRef{r.Skeleton})
	b = binary.AppendUvarint(b, uint64(r.Height))
	return append(b, MarshalNode(r.Parts)...)
}

// ParseRecipe reads a root.
func ParseRecipe(b []byte) (*FileRecipe, error) {
	f := bin.NewFields(b, ErrCorrupt)
	r := &FileRecipe{Recipes: make([]Form, f.Count("recipes", mostRecipes, 1+4+1))}
	for i := range r.Recipes {
		x := &r.Recipes[i]
		x.Method = compress.Method(f.Text("name of a method", 64))
		copy(x.Params[:], f.Bytes(len(x.Params)))
		if x.Head = HeadForm(f.Number("form of heads", int64(headForms))); !x.Head.valid(x.Method) {
			f.Fail("a head of the form %d", x.Head)
		}
	}
	if len(r.Recipes) == 0 || r.Recipes[0] != (Form{}) {
		f.Fail("the first recipe does something")
	}
	r.Skeleton = readContents(f, 1)[0]
	r.Height = int(f.Number("height of a tree", MaxHeight))
	r.Parts = readNode(f)
	if f.Err() == nil && Count(r.Parts) > MaxPieces {
		f.Fail("%d pieces", Count(r.Parts))
	}
	return r, end(f)
}

// InBlocks reports whether a recipe codes contents block by block.
func (x *Form) InBlocks() bool { return x.Method != compress.None && x.Method != MethodTables }

// NumberFor returns the first of the recipes that is of a method and has such
// heads: what a client takes a content for that it has.
func (r *FileRecipe) NumberFor(m compress.Method, head HeadForm) int {
	return slices.IndexFunc(r.Recipes, func(x Form) bool { return x.Method == m && x.Head == head })
}

// LikelyFor returns the recipe that contents of a method most probably have, with a
// head: a packer that writes one block size for all writes that of the recipe only
// where there are several blocks.
func (r *FileRecipe) LikelyFor(m compress.Method, several bool) int {
	best := -1
	for i, x := range r.Recipes {
		if x.Method == m && x.Head != 0 && (best < 0 || (r.Recipes[best].Head&HeadBlockSize != 0) != several && (x.Head&HeadBlockSize != 0) == several) {
			best = i
		}
	}
	return best
}

// PartsOf calls use for every leaf and node of a tree over pieces, from the
// bottom up, with the pieces below it, and returns the topmost parts.
func PartsOf(pieces []Piece, use func(id Key, height int, leaf, below []Piece, node []Part) (Place, error)) (parts []Part, height int, err error) {
	at := 0
	for _, leaf := range leaves(pieces) {
		p := Part{Count: len(leaf)}
		id := LeafID(leaf)
		if p.Place, err = use(id, 0, leaf, leaf, nil); err != nil {
			return nil, 0, err
		}
		p.ID = id.Short()
		parts = append(parts, p)
	}
	for len(parts) > MostInPart {
		height++
		var above []Part
		at = 0
		for _, node := range nodes(parts) {
			p := Part{Count: Count(node)}
			id := NodeID(node)
			if p.Place, err = use(id, height, nil, pieces[at:at+p.Count], node); err != nil {
				return nil, 0, err
			}
			p.ID = id.Short()
			at += p.Count
			above = append(above, p)
		}
		parts = above
	}
	return parts, height, nil
}

// Number returns which of the recipes one is.
func (r *FileRecipe) Number(x Form) int {
	k := slices.Index(r.Recipes, x)
	if k < 0 {
		k = len(r.Recipes)
		r.Recipes = append(r.Recipes, x)
	}
	return k
}

// Least is how many bytes of the file a piece makes at least, without its gap.
func (p *Piece) Least() int64 {
	if p.Block > 0 { // a block of any coding has a byte
		return (p.Size + p.Block - 1) / p.Block
	}
	return min(p.Size, 1)
}
