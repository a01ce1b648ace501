package maker

import (
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/inside"
)

// block is a decoded extent.
type block struct {
	content []byte
	recipe  delta.Recipe
	made    bool // by the recipe
}

// maxMisses is how many blocks in a row may have no recipe, after which few are tried.
const maxMisses = 64

// recognizer finds out by which recipes the blocks of a file were made.
type recognizer struct {
	file   *inside.Layout
	coder  *delta.Coder
	trust  *trust
	likely []delta.Recipe // used before, the latest first
	misses int            // blocks that no recipe gave, in a row
}

// decode decodes extent j into content, which has its size, and finds its recipe.
func (r *recognizer) decode(j int, content []byte) (b block, err error) {
	x := &r.file.Extents[j]
	stored, err := r.file.Read(x.Off, x.Coded)
	if err != nil {
		return b, err
	}
	b.content = content
	if x.Size == 0 { // a block of nothing is something, which no recipe is asked to make
		return b, nil
	}
	clear(content) // what is not decoded is always the same
	if compress.Decode(x.Method, b.content, stored) != nil || r.misses > maxMisses && j%maxMisses != 0 {
		return b, nil
	}
	if b.recipe, b.made = r.trust.believes(r.coder, x.Method, stored, b.content); b.made {
		return b, nil
	}
	if b.recipe, b.made = r.coder.Recognize(x.Method, stored, b.content, r.likely); b.made {
		r.misses = 0
		r.prefer(b.recipe)
	} else {
		r.misses++
	}
	r.trust.saw(b, len(stored))
	return b, nil
}

// prefer moves a recipe to the front of those that are tried first.
func (r *recognizer) prefer(by delta.Recipe) {
	if len(r.likely) > 0 && r.likely[0] == by {
		return
	}
	r.likely = slices.DeleteFunc(r.likely, func(have delta.Recipe) bool { return have == by })
	r.likely = slices.Insert(r.likely, 0, by)
	r.likely = r.likely[:min(len(r.likely), 4)]
}
