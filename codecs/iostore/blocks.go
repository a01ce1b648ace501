package iostore

import (
	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

// chunk is the part of the block table that holds a chunk.
type chunk struct {
	number int // in the table
	first  int // block
	n      int // blocks
	size   int64
}

// locate finds and checks the blocks of chunk i: they exist, decode to as much
// as the extent says, and follow one another.
func (t *toc) locate(i int, x *chunk) error {
	off, size := t.extent(i)
	bs := int64(t.blockSize)
	*x = chunk{number: i, first: int(off / bs), n: int((size + bs - 1) / bs), size: size}
	where := t.extents.place(i)
	switch {
	case off%bs != 0:
		return at("extent", where, codecs.Errorf(codecs.ErrCorrupt, "offset 0x%x is no multiple of the block size 0x%x", off, bs))
	case x.n > 0 && (x.first >= t.blocks.n || x.n > t.blocks.n-x.first):
		return at("extent", where, codecs.Errorf(codecs.ErrCorrupt, "blocks %d to %d of %d", x.first, x.first+x.n-1, t.blocks.n))
	}
	for k := range x.n {
		if err := t.checkBlock(x, k); err != nil {
			return err
		}
	}
	return nil
}

func (t *toc) checkBlock(x *chunk, k int) error {
	b := t.block(x.first + k)
	want := min(int64(t.blockSize), x.size-int64(k)*int64(t.blockSize))
	where := t.blocks.place(x.first + k)
	switch {
	case b.size != want:
		return at("block.size", where+8, codecs.Errorf(codecs.ErrCorrupt, "%d bytes, the extent needs %d", b.size, want))
	case b.method == 0 && b.stored != b.size:
		return at("block.stored", where+5, codecs.Errorf(codecs.ErrCorrupt, "%d stored bytes for %d, without a method", b.stored, b.size))
	case int(b.method) > len(t.methods):
		return at("block.method", where+11, codecs.Errorf(codecs.ErrCorrupt, "number %d of %d", b.method, len(t.methods)))
	}
	return nil
}

// onDisk is how many bytes of the .ucas belong to a block.
func onDisk(b block) int64 { return aes256.Align(b.stored) }

// stored is how many bytes from the first block's start to the end of the last
// one. Blocks that do not follow one another count for themselves.
func (x *chunk) stored(a *archive) (n int64) {
	var end int64
	for k := range x.n {
		b := a.toc.block(x.first + k)
		if k > 0 && b.off != end {
			return x.scattered(a)
		}
		end = b.off + onDisk(b)
		n += onDisk(b)
		if k == x.n-1 && !a.toc.encrypted() {
			n += b.stored - onDisk(b)
		}
	}
	return n
}

func (x *chunk) scattered(a *archive) (n int64) {
	for k := range x.n {
		n += a.toc.block(x.first + k).stored
	}
	return n
}

// method is that of the chunk's blocks; of those that did not shrink it says
// nothing.
func (x *chunk) method(a *archive) compress.Method {
	for k := range x.n {
		if m := a.toc.block(x.first + k).method; m != 0 {
			return a.methods[m-1]
		}
	}
	return compress.None
}

// methodsNamed are the methods of names in a TOC.
func methodsNamed(names []string) []compress.Method {
	methods := make([]compress.Method, len(names))
	for i, name := range names {
		methods[i] = unreal.MethodNamed(name)
	}
	return methods
}
