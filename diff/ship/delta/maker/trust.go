package maker

import (
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
)

// To recognise a recipe takes coding a block again, and to prove a patch takes it
// once more. Archives are made by one tool: where a row of blocks was made by one
// recipe, the next ones are believed to be when they begin as they would. That is
// no proof, but the patch is proved all the same before it gets its name. Should
// it fail, it is made again without believing anything.

// knownBlocks is how many blocks in a row must be recognised by one recipe before
// the next is believed. Blocks that are short or nearly empty come out the same by
// many.
const knownBlocks = 8

// knownBytes is what such a block must have, stored.
const knownBytes = 1 << 10

// trust is what a maker believes.
type trust struct {
	wanted bool // what is made will be proved
	recipe delta.Recipe
	run    int // blocks that it made, in a row
	used   int // blocks that were believed
}

// saw takes note of a block that was recognised, or was not.
func (t *trust) saw(b block, stored int) {
	switch {
	case !b.made || b.recipe != t.recipe:
		t.recipe, t.run = b.recipe, 0
	case stored >= knownBytes:
		t.run++
	}
}

// believes returns the recipe of a block if it need not be proved.
func (t *trust) believes(c *delta.Coder, m compress.Method, stored, content []byte) (delta.Recipe, bool) {
	if !t.wanted || t.run < knownBlocks || t.recipe.Method != m || m != compress.Zlib {
		return delta.Recipe{}, false
	}
	if !c.Zlib.Begins(stored, content, t.recipe.Zlib()) {
		return delta.Recipe{}, false
	}
	t.used++
	return t.recipe, true
}
