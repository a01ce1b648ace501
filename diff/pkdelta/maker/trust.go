package maker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"pakdb/codecs/compress"
	"pakdb/diff/pkdelta"
	"pakdb/internal/progress"
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
	recipe pkdelta.Recipe
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
func (t *trust) believes(c *pkdelta.Coder, m compress.Method, stored, content []byte) (pkdelta.Recipe, bool) {
	if !t.wanted || t.run < knownBlocks || t.recipe.Method != m || m != compress.Zlib {
		return pkdelta.Recipe{}, false
	}
	if !c.Zlib.Begins(stored, content, t.recipe.Zlib()) {
		return pkdelta.Recipe{}, false
	}
	t.used++
	return t.recipe, true
}

// patchFile is a file that a patch is written to, read from, and written to again.
type patchFile interface {
	io.ReadWriteSeeker
	Truncate(size int64) error
}

// makeProved makes a patch in a file of dir, and proves it.
func makeProved(ctx context.Context, out patchFile, old, new []pkdelta.Input, dir string, o *MakeOptions, t *trust) (h *pkdelta.Header, s *Stats, err error) {
	for {
		p, making := newProof(ctx, old, new)
		m, err := makePatch(making, old, new, out, dir, o, t, p)
		wrong := p.end(progress.Of(ctx), err == nil)
		switch {
		case wrong == nil && err != nil:
			return nil, nil, err
		case wrong == nil:
			wrong = readBack(ctx, out, m.h, m.ring.Texts)
		}
		if wrong == nil {
			return m.h, m.stats, nil
		}
		if t.used == 0 || ctx.Err() != nil {
			return nil, nil, fmt.Errorf("the patch was made, but applying it failed: %w", wrong)
		}
		*t = trust{}
		_, err = out.Seek(0, io.SeekStart)
		if err = errors.Join(err, out.Truncate(0)); err != nil {
			return nil, nil, err
		}
	}
}
