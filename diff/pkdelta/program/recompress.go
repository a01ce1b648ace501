package program

import (
	"runtime"
	"sync"

	"pakdb/diff/pkdelta"
)

// Coding blocks again is nearly all that applying costs. Blocks of one operation
// do not depend on each other: some are coded at a time, and written in order.

// maxCoders is how many blocks are coded at a time. A coder keeps up to 0.7 MiB
// for each method, and a stored block.
const maxCoders = 4

// blockCoder codes blocks, each for a goroutine.
type blockCoder struct {
	pkdelta.Coder
	stored []byte
	err    error
}

// blockCoders are as many as work at a time. None are there before the first block.
type blockCoders []blockCoder

// encode writes the blocks of content as the recipe stores them.
func (coders *blockCoders) encode(out *sink, w *work, content []byte, block int, r pkdelta.Recipe) error {
	if *coders == nil {
		*coders = make([]blockCoder, min(runtime.GOMAXPROCS(0), maxCoders))
	}
	list := *coders
	blocks := (len(content) + block - 1) / block
	if err := w.spend(int64(len(content)) + opCost*int64(blocks)); err != nil {
		return err
	}
	for len(content) > 0 {
		var wg sync.WaitGroup
		used := 0
		for ; used < len(list) && len(content) > 0; used++ {
			c, p := &list[used], content[:min(len(content), block)]
			content = content[len(p):]
			if used == 0 && len(content) == 0 { // alone
				c.stored, c.err = c.Encode(c.stored[:0], p, r)
				continue
			}
			wg.Go(func() { c.stored, c.err = c.Encode(c.stored[:0], p, r) })
		}
		wg.Wait()
		for i := range list[:used] {
			err := list[i].err
			if err == nil {
				err = out.write(list[i].stored)
			}
			if err == nil {
				err = out.fillBlock()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
