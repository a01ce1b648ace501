package program

import (
	"runtime"

	"pakdb/diff/ship/delta"
)

// Coding blocks again is half of what applying costs, and decoding content the other.
// Blocks of one operation do not depend on each other: some are coded at a time, while
// what follows them is decoded, and written in order.

// maxCoders is how many blocks are coded at a time. A coder keeps up to 0.7 MiB
// for each method, and a stored block.
const maxCoders = 4

// blockCoder codes blocks, each for a goroutine.
type blockCoder struct {
	delta.Coder
	stored []byte
	err    error
	done   chan struct{} // has something when a goroutine is done
}

// blockCoders are as many as work at a time. None are there before the first block.
type blockCoders struct {
	list    []blockCoder
	first   int // of those that work
	running int
}

// recoding is content that is being coded by a recipe, in blocks.
type recoding struct {
	*blockCoders
	out    *sink
	size   int // of all content
	block  int
	recipe delta.Recipe
	at     int // content before it was given to a coder
	err    error
}

// begin starts to code content of a size.
func (c *blockCoders) begin(out *sink, w *work, size, block int, r delta.Recipe) (*recoding, error) {
	if c.list == nil {
		c.list = make([]blockCoder, min(runtime.GOMAXPROCS(0), maxCoders))
		for i := range c.list {
			c.list[i].done = make(chan struct{}, 1)
		}
	}
	blocks := (size + block - 1) / block
	return &recoding{blockCoders: c, out: out, size: size, block: block, recipe: r}, w.spend(int64(size) + opCost*int64(blocks))
}

// take is given how much of the content is there, which must stay until the next call
// of finish. It leaves the last block to that.
func (x *recoding) take(content []byte) {
	for x.err == nil && x.at+x.block <= len(content) && x.at+x.block < x.size {
		if x.running == len(x.list) {
			x.err = x.collect()
		}
		c, p := &x.list[(x.first+x.running)%len(x.list)], content[x.at:x.at+x.block]
		x.running++
		x.at += x.block
		go func() {
			c.stored, c.err = c.Encode(c.stored[:0], p, x.recipe)
			c.done <- struct{}{}
		}()
	}
}

// finish codes what is left of the content, and ends when all is written.
func (x *recoding) finish(content []byte) error {
	x.take(content)
	if x.err != nil || x.at == x.size {
		return x.end()
	}
	if x.running == len(x.list) {
		x.err = x.collect()
	}
	last := &x.list[(x.first+x.running)%len(x.list)]
	last.stored, last.err = last.Encode(last.stored[:0], content[x.at:], x.recipe)
	if x.end() != nil {
		return x.err
	}
	return x.write(last)
}

// end waits for all coders and writes what they made, unless there was an error.
func (x *recoding) end() error {
	for x.running > 0 {
		if err := x.collect(); x.err == nil {
			x.err = err
		}
	}
	return x.err
}

// collect waits for the coder that began first, and writes what it made.
func (x *recoding) collect() error {
	c := &x.list[x.first]
	<-c.done
	x.first = (x.first + 1) % len(x.list)
	x.running--
	if x.err != nil {
		return x.err
	}
	return x.write(c)
}

func (x *recoding) write(c *blockCoder) error {
	if c.err != nil {
		return c.err
	}
	if err := x.out.write(c.stored); err != nil {
		return err
	}
	return x.out.fillBlock()
}
