package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/patch"
)

// local is what the files in a folder contain, whatever build, mix or mod they
// are: contents and chunks by their ids.
type local struct {
	contents map[uint64]localContent
	chunks   map[uint64]localChunk
	cache    blockCache
}

// localContent is a group of a file.
type localContent struct {
	src io.ReaderAt
	g   *group
}

// localChunk is a part of one.
type localChunk struct {
	localContent
	off int64
	n   int
}

// index reads the inputs.
func newLocal(ctx context.Context, inputs []patch.Input, registry *codecs.Registry, opt *codecs.Options) (*local, error) {
	l := &local{contents: map[uint64]localContent{}, chunks: map[uint64]localChunk{}}
	all, err := layouts(ctx, inputs, registry, opt)
	if err != nil {
		return nil, err
	}
	for i, in := range inputs {
		var skeleton []byte
		pos := int64(0)
		for k := range all[i] {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g := &all[i][k]
			skeleton = slices.Grow(skeleton, int(g.off-pos))
			gap := skeleton[len(skeleton) : len(skeleton)+int(g.off-pos)]
			if err := fill(in, gap, pos); err != nil {
				return nil, err
			}
			skeleton = skeleton[:len(skeleton)+len(gap)]
			pos = g.off + g.length()
			l.add(in, g)
			if g.method != compress.None {
				stored := g.asStored()
				l.add(in, &stored)
			}
		}
		tail := make([]byte, in.Size-pos)
		if err := fill(in, tail, pos); err != nil {
			return nil, err
		}
		skeleton = append(skeleton, tail...)
		n := int64(len(skeleton))
		l.add(bytes.NewReader(skeleton), &group{0, compress.None, n, n, []int64{n}})
	}
	return l, nil
}

// add takes a group in. One that cannot be read is of no use, and no error: its
// stored bytes may be.
func (l *local) add(src io.ReaderAt, g *group) {
	h := blake3.New()
	c := localContent{src, g}
	var chunks []localChunk
	var ids []uint64
	off := int64(0)
	err := eachChunk(g.open(src), g.size, func(b []byte) error {
		_, _ = h.Write(b)
		chunks = append(chunks, localChunk{c, off, len(b)})
		ids = append(ids, keyOf(b).short())
		off += int64(len(b))
		return nil
	})
	if err != nil {
		return
	}
	for i, id := range ids {
		if _, there := l.chunks[id]; !there {
			l.chunks[id] = chunks[i]
		}
	}
	id := key(h.Sum(nil)[:16]).short()
	if _, there := l.contents[id]; !there {
		l.contents[id] = c
	}
}

// find returns a content of that size, if the files have it.
func (l *local) find(id uint64, size int64) (localContent, bool) {
	c, ok := l.contents[id]
	return c, ok && c.g.size == size
}

// chunk returns a chunk of that size, if the files have it.
func (l *local) chunk(c chunkRef) (localChunk, bool) {
	have, ok := l.chunks[c.id]
	return have, ok && have.n == c.size
}

// read reads a chunk of a file and makes sure that it still is what it was.
func (l *local) read(c localChunk, id uint64) ([]byte, error) {
	b := make([]byte, c.n)
	if c.g.method == compress.None {
		if n, err := c.src.ReadAt(b, c.g.off+c.off); n < len(b) {
			return nil, errors.Join(err, io.ErrUnexpectedEOF)
		}
	} else {
		for n := 0; n < len(b); {
			at := c.off + int64(n)
			plain, err := l.cache.block(c.localContent, int(at/c.g.block))
			if err != nil {
				return nil, err
			}
			n += copy(b[n:], plain[at%c.g.block:])
		}
	}
	if keyOf(b).short() != id {
		return nil, errChanged
	}
	return b, nil
}

var errChanged = errors.New("a file in the folder changed while it was read")

// blockCache holds the block that was decoded last: chunks come in order.
type blockCache struct {
	of            localContent
	i             int
	plain, stored []byte
}

func (c *blockCache) block(of localContent, i int) ([]byte, error) {
	if c.plain != nil && c.of == of && c.i == i {
		return c.plain, nil
	}
	off := of.g.off
	for _, n := range of.g.stored[:i] {
		off += n
	}
	var err error
	c.of, c.i = of, i
	c.plain, c.stored, err = of.g.decode(of.src, i, off, c.plain, c.stored)
	return c.plain, err
}
