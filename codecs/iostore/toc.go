package iostore

import (
	"bytes"
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/internal/bin"
	"pakdb/internal/perfect"
)

// toc is a .utoc in memory: its bytes, cut into arrays, each decoded where it
// is asked for. Half a million chunks cost what the file does.
type toc struct {
	*header
	ids      array
	extents  array
	seeds    array
	left     array // chunks that the perfect hash leaves out
	blocks   array
	ivs      array
	methods  []string
	rsa      []byte // two signatures
	sums     array  // SHA-1 of each block
	dir      []byte
	dirAt    int64
	metas    array
	trailing int64 // bytes that no array accounts for
	end      int64 // of the last array
}

// array is a table of n records of one size.
type array struct {
	b    []byte
	off  int64 // absolute, of the first record
	size int
	n    int
}

func (a array) at(i int) []byte   { return a.b[i*a.size : (i+1)*a.size : (i+1)*a.size] }
func (a array) place(i int) int64 { return a.off + int64(i)*int64(a.size) }
func (a array) i32(i int) int32   { return int32(leOrder.Uint32(a.at(i))) }
func (t *toc) id(i int) chunkID   { return chunkID(t.ids.at(i)) }
func (t *toc) len() int           { return t.ids.n }
func (t *toc) kind(i int) kind    { return kind(t.ids.at(i)[idSize-1]) }
func (t *toc) hash(i int) []byte  { return t.metas.at(i)[:t.version.hashSize()] }

// extent is where a chunk lies in the decoded content of the container.
func (t *toc) extent(i int) (off, length int64) {
	b := t.extents.at(i)
	return int64(be40(b)), int64(be40(b[5:]))
}

// block is one compressed block.
type block struct {
	off    int64 // over all partitions
	stored int64
	size   int64
	method uint8 // 0 none, else the number of a method
}

func (t *toc) block(i int) block {
	b := t.blocks.at(i)
	return block{
		off:    int64(leOrder.Uint64(b) & (1<<40 - 1)),
		stored: int64(leOrder.Uint32(b[4:]) >> 8),
		size:   int64(leOrder.Uint32(b[8:]) & (1<<24 - 1)),
		method: b[11],
	}
}

func (b block) append(dst []byte) []byte {
	dst = leOrder.AppendUint64(dst, uint64(b.off)|uint64(b.stored)<<40)
	return leOrder.AppendUint32(dst, uint32(b.size)|uint32(b.method)<<24)
}

func be40(b []byte) uint64 {
	return uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:]))
}

func appendBE40(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(v>>32)), uint32(v))
}

// readTOC reads and cuts up a .utoc.
func readTOC(src codecs.Source, limit int64) (*toc, error) {
	head := make([]byte, headerSize)
	if err := bin.Fill(src, head, 0); err != nil {
		return nil, at("header", 0, err)
	}
	h, err := parseHeader(head)
	if err != nil {
		return nil, err
	}
	buf, err := bin.Section(src, 0, src.Size, src.Size, limit)
	if err != nil {
		return nil, at("TOC", 0, err)
	}
	t := &toc{header: h}
	return t, t.cut(buf)
}

// cut finds the arrays. Each count is checked against the bytes that remain
// before anything is sized by it.
func (t *toc) cut(buf []byte) error {
	c := cutter{Reader: bin.NewReader(buf, 0, leOrder)}
	h := t.header
	c.Skip(int(h.size))
	c.fail("header size", offHeaderSize)
	t.ids = c.array("chunk ids", offEntries, h.entries, idSize)
	t.extents = c.array("extents", offEntries, h.entries, extentSize)
	t.seeds = c.array("perfect hash seeds", offSeeds, h.seeds, 4)
	t.left = c.array("chunks without perfect hash", offUnhashed, h.unhashed, 4)
	t.blocks = c.array("blocks", offBlocks, h.blocks, blockSize)
	t.ivs = c.array("IVs", offIVs, h.ivs, ivSize)
	t.methods = c.methods(h)
	if h.signed() {
		t.rsa = c.signatures()
		t.sums = c.array("block hashes", offBlocks, h.blocks, sumSize)
	}
	t.dirAt = c.Off()
	t.dir = c.array("directory index", offDirSize, h.dirSize, 1).b
	t.metas = c.array("metas", offEntries, h.entries, h.version.metaSize())
	t.end = c.Off()
	t.trailing = int64(c.Len())
	return c.err
}

// cutter takes arrays off the front of a .utoc. The first failure stays.
type cutter struct {
	*bin.Reader
	err error
}

func (c *cutter) fail(field string, off int64) {
	if c.err == nil && c.Err() != nil {
		c.err = at(field, off, codecs.Errorf(codecs.ErrTruncated, "%v", c.Err()))
	}
}

// array takes n records; countAt is where n is.
func (c *cutter) array(name string, countAt int64, n uint32, size int) array {
	a := array{off: c.Off(), size: size, n: int(n)}
	if have := c.Len(); c.err == nil && int64(n) > int64(have/size) {
		c.err = at(name, countAt, codecs.Errorf(codecs.ErrTruncated, "%d of %d bytes each, but only %d bytes remain", n, size, have))
	}
	if c.err != nil {
		return array{size: size}
	}
	a.b = c.Bytes(int(n) * size)
	return a
}

func (c *cutter) methods(h *header) []string {
	if c.err != nil || h.methods == 0 {
		return nil
	}
	if h.methodLen == 0 || int64(h.methodLen) > int64(c.Len()) {
		c.err = at("method name length", offMethodLen, codecs.Errorf(codecs.ErrCorrupt, "%d", h.methodLen))
		return nil
	}
	table := c.array("method names", offMethods, h.methods, int(h.methodLen))
	names := make([]string, table.n)
	for i := range names {
		name, _, _ := bytes.Cut(table.at(i), []byte{0})
		names[i] = string(bytes.ToValidUTF8(name, []byte("?")))
	}
	return names
}

// signatures takes u32 n and two signatures of n bytes: of the header, and of
// the hashes of the blocks.
func (c *cutter) signatures() []byte {
	off := c.Off()
	n := c.Count(2)
	b := c.Bytes(2 * n)
	c.fail("signatures", off)
	return b
}

// sum is the hash of a chunk's content; of 32 bytes that end in twelve zeros
// only the first 20 count. All zeros are no hash.
// They are appended to buf.
func (t *toc) sum(i int, buf []byte) codecs.Sum {
	h := t.hash(i)
	if len(h) > shortHashSize && allZero(h[shortHashSize:]) {
		h = h[:shortHashSize]
	}
	if allZero(h) {
		return codecs.Sum{}
	}
	return codecs.Sum{Kind: t.sumKind(), Bytes: append(buf, h...)}
}

// sumKind: UE5 hashes by BLAKE3. Whether UE4 did is not settled.
func (t *toc) sumKind() codecs.SumKind {
	if t.version < perfectHash {
		return codecs.HashDecoded
	}
	return codecs.BLAKE3Decoded
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// lastBlocks returns the block that ends last in each partition.
func (t *toc) lastBlocks(partitions int) []lastBlock {
	last := make([]lastBlock, partitions)
	for i := range t.blocks.n {
		b := t.block(i)
		n := b.stored
		if t.encrypted() {
			n = onDisk(b)
		}
		part := uint64(b.off) / t.partitionSize
		if n == 0 || part >= uint64(len(last)) {
			continue
		}
		if end := int64(uint64(b.off)%t.partitionSize) + n; end > last[part].end {
			last[part] = lastBlock{i, end}
		}
	}
	return last
}

// lastBlock is the block of a partition that ends last, and where that is.
type lastBlock struct {
	block int
	end   int64
}

// hashID is the hash of a chunk id under a seed.
func hashID(seed uint64, id chunkID) uint64 { return perfect.Hash(seed, perfect.ID(id)) }

// find looks an id up as the engine does: by the perfect hash, then in the list
// of those that it leaves out. Containers before version 4 have no hash; they
// are searched.
func (t *toc) find(id chunkID) (i int, ok bool) {
	n := t.len()
	if n == 0 {
		return 0, false
	}
	if t.seeds.n == 0 {
		return t.scan(id)
	}
	seed := t.seeds.i32(int(hashID(0, id) % uint64(t.seeds.n)))
	switch {
	case seed < 0:
		i = int(-(int64(seed) + 1))
	case seed > 0:
		i = int(hashID(uint64(seed), id) % uint64(n))
	default:
		return t.findLeft(id)
	}
	return i, i < n && t.id(i) == id
}

func (t *toc) findLeft(id chunkID) (int, bool) {
	for k := range t.left.n {
		if i := t.left.i32(k); i >= 0 && int(i) < t.len() && t.id(int(i)) == id {
			return int(i), true
		}
	}
	return 0, false
}

func (t *toc) scan(id chunkID) (int, bool) {
	for i := range t.len() {
		if t.id(i) == id {
			return i, true
		}
	}
	return 0, false
}

// Finder is what every opened container is: an archive whose chunks can be
// looked up by id, through the container's own perfect hash.
type Finder interface {
	// Find returns the ordinal of the chunk with that id.
	Find(id codecs.ID) (ordinal int, ok bool)
}
