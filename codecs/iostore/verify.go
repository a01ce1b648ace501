package iostore

import (
	"cmp"
	"context"
	"crypto/sha1"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// verify does what [archive.Verify] promises.
func verify(ctx context.Context, a *archive, report func(*codecs.FormatError)) error {
	v := &verifier{a: a, ctx: ctx, problems: make([][]error, a.toc.len())}
	v.lookups()
	v.extents()
	if err := v.content(); err != nil {
		return err
	}
	for i, errs := range v.problems {
		for _, err := range errs {
			var fe *codecs.FormatError
			if !errors.As(err, &fe) {
				fe = a.error(a.label(i), err)
			}
			report(fe)
		}
	}
	for _, err := range v.container {
		report(a.error("", err))
	}
	return ctx.Err()
}

type verifier struct {
	a         *archive
	ctx       context.Context
	problems  [][]error // by chunk
	container []error
	chunks    []chunk // that can be read, by their place in the data
	blocks    []placed
}

// placed is a block and where it lies.
type placed struct {
	block
	i     int
	apart bool // reaches into no earlier block
}

func (v *verifier) add(i int, err error) {
	if err != nil {
		v.problems[i] = append(v.problems[i], err)
	}
}

func (v *verifier) addContainer(err error) {
	if err != nil && len(v.container) < maxFound {
		v.container = append(v.container, err)
	}
}

// lookups checks that the container's own perfect hash leads to every chunk.
func (v *verifier) lookups() {
	t := v.a.toc
	first := make(map[chunkID]int, t.len())
	for i := range t.len() {
		id := t.id(i)
		if twin, twice := first[id]; twice {
			v.add(i, at("chunk id", t.ids.place(i), codecs.Errorf(codecs.ErrCorrupt, "chunk %d has it too", twin)))
		} else {
			first[id] = i
		}
	}
	if t.version < perfectHash || t.len() == 0 {
		return
	}
	if t.seeds.n == 0 {
		v.addContainer(at("perfect hash seeds", offSeeds, codecs.Errorf(codecs.ErrNonStrict, "none: the engine will not find the chunks")))
		return
	}
	left := v.leftOut()
	for i := range t.len() {
		seed := t.seeds.i32(int(hashID(0, t.id(i)) % uint64(t.seeds.n)))
		if seed == 0 && !left[i] {
			v.add(i, at("perfect hash", t.ids.place(i), codecs.Errorf(codecs.ErrCorrupt, "no seed, and not in the list of those left out")))
		} else if seed != 0 {
			v.lookup(i)
		}
	}
}

func (v *verifier) lookup(i int) {
	t := v.a.toc
	if k, ok := t.find(t.id(i)); !ok || t.id(k) != t.id(i) {
		v.add(i, at("perfect hash", t.ids.place(i), codecs.Errorf(codecs.ErrCorrupt, "it leads to another chunk: the engine will not find this one")))
	}
}

// leftOut are the chunks that the perfect hash does not serve.
func (v *verifier) leftOut() map[int]bool {
	t := v.a.toc
	left := make(map[int]bool, t.left.n)
	for k := range t.left.n {
		i := t.left.i32(k)
		if i < 0 || int(i) >= t.len() {
			v.addContainer(at("chunks without perfect hash", t.left.place(k), codecs.Errorf(codecs.ErrCorrupt, "chunk %d of %d", i, t.len())))
			continue
		}
		left[int(i)] = true
	}
	return left
}

// extents checks every chunk's blocks, and which blocks no chunk uses.
func (v *verifier) extents() {
	t := v.a.toc
	owner := newIndex(t.blocks.n)
	for i := range t.len() {
		var x chunk
		if err := v.a.toc.locate(i, &x); err != nil {
			v.add(i, err)
			continue
		}
		if v.claim(owner, &x) {
			v.chunks = append(v.chunks, x)
		}
	}
	unused := 0
	for _, o := range owner {
		if o < 0 {
			unused++
		}
	}
	if unused > 0 {
		v.addContainer(at("blocks", t.blocks.off, codecs.Errorf(codecs.ErrNonStrict, "no chunk uses %d of %d", unused, t.blocks.n)))
	}
}

// claim gives x its blocks; false when another chunk has one already.
func (v *verifier) claim(owner []int32, x *chunk) bool {
	owned := owner[min(x.first, len(owner)):][:x.n]
	for _, o := range owned {
		if o >= 0 {
			v.add(x.number, at("extent", v.a.toc.extents.place(x.number), codecs.Errorf(codecs.ErrNonStrict, "shares a block with chunk %d", o)))
			return false
		}
	}
	for k := range owned {
		owned[k] = int32(x.number)
	}
	return true
}

// content checks what lies in the partitions.
func (v *verifier) content() error {
	a := v.a
	t := a.toc
	if t.encrypted() && a.crypt.block == nil && len(v.chunks) > 0 {
		v.addContainer(noKey(t.keyID, "no content was checked"))
	}
	for i := range t.blocks.n {
		v.blocks = append(v.blocks, placed{block: t.block(i), i: i})
	}
	slices.SortFunc(v.blocks, func(x, y placed) int { return cmp.Or(cmp.Compare(x.off, y.off), cmp.Compare(x.i, y.i)) })
	v.layout()
	if err := v.partitions(); err != nil {
		v.addContainer(err)
		return nil
	}
	if err := v.gaps(); err != nil {
		return err
	}
	return v.hashes()
}

// partitions opens every one, so that what is absent is reported once.
func (v *verifier) partitions() error {
	for i := range v.a.partitions.list {
		if v.a.toc.blocks.n == 0 {
			return nil
		}
		if err := v.a.partitions.list[i].open(v.a.src.Dir, v.a.partitions.name(i)); err != nil {
			return err
		}
	}
	return nil
}

// layout checks where blocks lie, as far as the TOC shows.
func (v *verifier) layout() {
	t := v.a.toc
	var end int64
	for n := range v.blocks {
		b := &v.blocks[n]
		where := t.blocks.place(b.i)
		b.apart = b.off >= end
		switch {
		case !b.apart:
			v.addContainer(at("block.offset", where, codecs.Errorf(codecs.ErrNonStrict, "block %d at 0x%x reaches into the one before it", b.i, b.off)))
		case b.off%16 != 0:
			v.addContainer(at("block.offset", where, codecs.Errorf(codecs.ErrNonStrict, "block %d at 0x%x is not aligned to 16", b.i, b.off)))
		case b.stored > 0 && uint64(b.off)/t.partitionSize != uint64(b.off+b.stored-1)/t.partitionSize:
			v.addContainer(at("block.offset", where, codecs.Errorf(codecs.ErrCorrupt, "block %d at 0x%x crosses into the next partition", b.i, b.off)))
		}
		if b.method != 0 && b.stored >= b.size && b.size > 0 {
			v.addContainer(at("block.method", where+11, codecs.Errorf(codecs.ErrNonStrict, "block %d did not shrink, but is compressed", b.i)))
		}
		end = max(end, b.off+onDisk(b.block))
	}
}

// gaps checks that nothing but zeros lies between blocks, and the hashes of the
// blocks of signed containers. What pads a block to 16 bytes is arbitrary.
func (v *verifier) gaps() error {
	next := 0
	for i := range v.a.partitions.list {
		p := &v.a.partitions.list[i]
		base := uint64(i) * v.a.toc.partitionSize
		var pos int64
		for ; next < len(v.blocks) && uint64(v.blocks[next].off)/v.a.toc.partitionSize == uint64(i); next++ {
			b := v.blocks[next]
			off := int64(uint64(b.off) - base)
			if err := v.gap(p, pos, off); err != nil {
				return err
			}
			if b.apart {
				v.blockHash(p, b, off)
			}
			pos = max(pos, off+onDisk(b.block))
		}
		if err := v.gap(p, pos, p.size); err != nil {
			return err
		}
	}
	return nil
}

// gap reads bytes that belong to no block.
func (v *verifier) gap(p *partition, from, to int64) error {
	buf := make([]byte, min(max(to-from, 0), 1<<18))
	for pos := from; pos < min(to, p.size); {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		chunk := buf[:min(int64(len(buf)), min(to, p.size)-pos)]
		if err := p.read(chunk, pos); err != nil {
			v.addContainer(err)
			return nil
		}
		if !allZero(chunk) {
			v.addContainer(&fieldError{file: p.name, field: "gap", off: pos, err: codecs.Errorf(codecs.ErrNonStrict,
				"%d bytes belong to no block, and are not zero", to-from)})
			return nil
		}
		pos += int64(len(chunk))
	}
	return nil
}

// blockHash compares the SHA-1 of a block, with its padding or without: no
// signed file at hand settles which.
func (v *verifier) blockHash(p *partition, b placed, off int64) {
	t := v.a.toc
	if t.sums.n == 0 || bin.Range(off, b.stored, p.size) != nil {
		return
	}
	buf := make([]byte, min(onDisk(b.block), p.size-off))
	if err := p.read(buf, off); err != nil {
		v.addContainer(err)
		return
	}
	padded, bare := sha1.Sum(buf), sha1.Sum(buf[:b.stored])
	if want := [sumSize]byte(t.sums.at(b.i)); padded != want && bare != want {
		v.addContainer(&fieldError{file: p.name, field: "block", off: off, err: codecs.Errorf(codecs.ErrChecksum,
			"block %d does not have the SHA-1 %x", b.i, want)})
	}
}

// hashes reads the content of every chunk, on all processors, in the order of
// the data. Chunks with blocks that reach into earlier ones are left out, so
// that the work stays within the size of the files.
func (v *verifier) hashes() error {
	a := v.a
	if a.toc.encrypted() && a.crypt.block == nil {
		return nil
	}
	apart := make([]bool, a.toc.blocks.n)
	for _, b := range v.blocks {
		apart[b.i] = b.apart
	}
	slices.SortFunc(v.chunks, func(x, y chunk) int { return cmp.Compare(x.first, y.first) })
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(v.chunks)) {
		wg.Go(func() {
			for v.ctx.Err() == nil {
				n := next.Add(1) - 1
				if n >= int64(len(v.chunks)) {
					return
				}
				if x := &v.chunks[n]; !slices.Contains(apart[min(x.first, len(apart)):][:x.n], false) {
					v.add(x.number, v.read(x)) // each to its own, so without a lock
				}
			}
		})
	}
	wg.Wait()
	return v.ctx.Err()
}

func (v *verifier) read(x *chunk) error {
	if err := v.a.readable(x); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			return nil // no fault of the container
		}
		return err
	}
	c := newContent(v.ctx, v.a, x)
	_, err := io.Copy(io.Discard, c)
	if cerr := c.Close(); err == nil {
		err = cerr
	}
	if isCancelled(err) {
		return nil
	}
	return err
}
