package store

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs/compress"
	"pakdb/diff/patch"
	"pakdb/internal/ordered"
)

// make makes a file, unless an earlier try has.
func (u *Update) make(ctx context.Context, f *fileUpdate) error {
	if u.isMade(ctx, f) {
		return nil
	}
	file, err := u.root.OpenFile(f.work(), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	err = u.write(ctx, f, file)
	return errors.Join(err, file.Sync(), file.Close())
}

// output hashes what it writes, and writes no more than a file may have.
type output struct {
	w    *bufio.Writer
	h    *blake3.Hasher
	left int64
}

func (o *output) Write(p []byte) (int, error) {
	if o.left -= int64(len(p)); o.left < 0 {
		return 0, fmt.Errorf("%w: a recipe makes more than its file", ErrCorrupt)
	}
	_, _ = o.h.Write(p)
	return o.w.Write(p)
}

// block is a part of a file on its way into it.
type block struct {
	recipe patch.Recipe
	plain  []byte
	stored []byte
	err    error
}

// write makes a file: one goroutine reads contents, all processors code their
// blocks, and one writes them in order.
func (u *Update) write(ctx context.Context, f *fileUpdate, file io.Writer) error {
	out := &output{bufio.NewWriterSize(file, 1<<20), blake3.New(), f.Size}
	coders := sync.Pool{New: func() any { return &patch.Coder{} }}
	work := func(_ context.Context, b *block) {
		if b.recipe.Method == compress.None {
			b.stored = b.plain
			return
		}
		coder := coders.Get().(*patch.Coder)
		b.stored, b.err = coder.Encode(nil, b.plain, b.recipe)
		coders.Put(coder)
	}
	workers := runtime.GOMAXPROCS(0)
	err := ordered.Do(ctx, u.blocks(f), workers, 4*workers, work, func(b *block) error {
		if b.err != nil {
			return b.err
		}
		patch.Watching(ctx).Add(int64(len(b.stored)))
		_, err := out.Write(b.stored)
		return err
	}, func(*block) {})
	if err != nil {
		return err
	}
	if err := out.w.Flush(); err != nil {
		return err
	}
	if sum := hex.EncodeToString(out.h.Sum(nil)); out.left != 0 || sum != f.Sum {
		return fmt.Errorf("%w: what was made is not the file: %d bytes short, BLAKE3 %s", ErrCorrupt, out.left, sum)
	}
	return nil
}

// plainBlock is how much is handed on at once of what no recipe codes.
const plainBlock = 256 << 10

// blocks are what a file is made of, in its order.
func (u *Update) blocks(f *fileUpdate) func(yield func(*block, error) bool) {
	return func(yield func(*block, error) bool) {
		ended := errors.New("ended")
		give := func(r io.Reader, n, size int64, recipe patch.Recipe) error {
			for n > 0 {
				b := &block{recipe: recipe, plain: make([]byte, min(n, size))}
				if _, err := io.ReadFull(r, b.plain); err != nil {
					return fmt.Errorf("%w: a content ends early: %w", ErrCorrupt, err)
				}
				n -= int64(len(b.plain))
				if !yield(b, nil) {
					return ended
				}
			}
			return nil
		}
		if err := u.eachBlock(f, give); err != nil && err != ended {
			yield(nil, err)
		}
	}
}

func (u *Update) eachBlock(f *fileUpdate, give func(r io.Reader, n, size int64, recipe patch.Recipe) error) error {
	skeleton, err := u.content(f.recipe.skeleton)
	if err != nil {
		return err
	}
	left := f.recipe.skeleton.size
	for _, p := range f.pieces {
		left -= p.gap
		if err := give(skeleton, p.gap, plainBlock, patch.Recipe{}); err != nil {
			return err
		}
		r, err := u.content(p.contentRef)
		if err != nil {
			return err
		}
		size := p.block
		if size == 0 {
			size = plainBlock
		}
		if err := give(r, p.size, size, f.recipe.recipes[p.recipe]); err != nil {
			return err
		}
	}
	return give(skeleton, left, plainBlock, patch.Recipe{})
}
