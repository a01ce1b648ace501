package store

import (
	"encoding/binary"
	"fmt"

	"pakdb/codecs/compress"
	"pakdb/diff/patch"
	"pakdb/internal/fields"
)

// A fileRecipe says how a file is made of contents: pieces, one behind the
// other. Before each piece stand bytes of the skeleton, which is what lies
// between the contents of archives: heads of entries, padding.
type fileRecipe struct {
	recipes  []patch.Recipe
	contents []contentRef
	skeleton contentRef
	pieces   []piece
}

// piece is a content, stored block by block as a recipe says.
type piece struct {
	gap     int64 // bytes of the skeleton before it
	content int
	recipe  int
	block   int64 // decoded bytes of a block but the last
}

const (
	recipeMagic = "pkrecipe\x01"
	maxRecipe   = 64 << 20 // bytes, decoded
)

// marshal writes columns, which compress better than rows.
func (r *fileRecipe) marshal() []byte {
	b := []byte(recipeMagic)
	b = binary.AppendUvarint(b, uint64(len(r.recipes)))
	for _, x := range r.recipes {
		b = binary.AppendUvarint(b, uint64(len(x.Method)))
		b = append(b, x.Method...)
		b = append(b, x.Params[:]...)
	}
	b = appendContents(b, []contentRef{r.skeleton})
	b = appendContents(b, r.contents)
	b = binary.AppendUvarint(b, uint64(len(r.pieces)))
	for _, p := range r.pieces {
		b = binary.AppendUvarint(b, uint64(p.gap))
	}
	next := 0
	for _, p := range r.pieces {
		b = binary.AppendVarint(b, int64(p.content-next))
		next = p.content + 1
	}
	for _, p := range r.pieces {
		b = binary.AppendUvarint(b, uint64(p.recipe))
	}
	for _, p := range r.pieces {
		b = binary.AppendUvarint(b, uint64(p.block))
	}
	return b
}

func appendContents(b []byte, list []contentRef) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
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

// parseRecipe reads the recipe of a file of size bytes.
func parseRecipe(b []byte) (*fileRecipe, error) {
	f := fields.New(b, ErrCorrupt)
	if string(f.Bytes(len(recipeMagic))) != recipeMagic {
		f.Fail("not the recipe of a file")
	}
	r := &fileRecipe{recipes: make([]patch.Recipe, f.Count("recipes", maxNumber, 1+4))}
	for i := range r.recipes {
		r.recipes[i].Method = compress.Method(f.Bytes(int(f.Number("name of a method", 64))))
		copy(r.recipes[i].Params[:], f.Bytes(4))
	}
	if s := readContents(f); len(s) == 1 {
		r.skeleton = s[0]
	} else {
		f.Fail("%d skeletons", len(s))
	}
	r.contents = readContents(f)
	r.pieces = make([]piece, f.Count("pieces", maxNumber, 4))
	left := r.skeleton.size
	for i := range r.pieces {
		r.pieces[i].gap = f.Number("gap", max(left, 0))
		left -= r.pieces[i].gap
	}
	next := 0
	for i := range r.pieces {
		next += int(f.Signed("content", maxNumber))
		if next < 0 || next >= len(r.contents) {
			f.Fail("content %d of %d", next, len(r.contents))
			break
		}
		r.pieces[i].content = next
		next++
	}
	for i := range r.pieces {
		r.pieces[i].recipe = int(f.Number("recipe", max(int64(len(r.recipes))-1, 0)))
	}
	for i := range r.pieces {
		r.pieces[i].block = f.Number("size of blocks", 1<<50)
	}
	if f.Err() == nil && f.Len() > 0 {
		f.Fail("%d bytes behind a recipe", f.Len())
	}
	if err := f.Err(); err != nil {
		return r, err
	}
	return r, r.check()
}

func readContents(f *fields.Reader) []contentRef {
	list := make([]contentRef, f.Count("contents", maxNumber, 8+1))
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

// check refuses blocks that would take too much memory: only those that a recipe
// codes are held as a whole.
func (r *fileRecipe) check() error {
	for _, p := range r.pieces {
		if p.recipe >= len(r.recipes) {
			return fmt.Errorf("%w: recipe %d of %d", ErrCorrupt, p.recipe, len(r.recipes))
		}
		if m := r.recipes[p.recipe].Method; m != compress.None && (p.block > maxBlock || p.block < 1) {
			return fmt.Errorf("%w: blocks of %d bytes", ErrCorrupt, p.block)
		}
	}
	return nil
}
