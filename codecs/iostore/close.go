package iostore

import (
	"errors"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
	"pakdb/internal/perfect"
)

var errComplete = errors.New("the container is complete")

// Close implements codecs.Writer: it writes the .utoc.
func (w *writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.err = formatError("", "", errComplete)
	b, err := w.table()
	if err == nil {
		_, err = w.toc.Write(b)
	}
	if err != nil {
		return formatError("", "", err)
	}
	return nil
}

// table is the whole .utoc.
func (w *writer) table() ([]byte, error) {
	order, seeds, left, err := w.order()
	if err != nil {
		return nil, err
	}
	dir := w.directory(order)
	h := w.header(len(seeds), len(left), len(dir))
	b := h.append(make([]byte, 0, headerSize+64*len(w.chunks)+len(w.blocks)+len(dir)))
	for _, i := range order {
		b = append(b, w.chunks[i].id[:]...)
	}
	for _, i := range order {
		c := &w.chunks[i]
		b = appendBE40(b, int64(c.first)*int64(w.opt.BlockSize))
		b = appendBE40(b, c.size)
	}
	for _, v := range slices.Concat(seeds, left) {
		b = leOrder.AppendUint32(b, uint32(v))
	}
	b = append(b, w.blocks...)
	for _, m := range w.methods {
		var name [methodLen]byte
		copy(name[:], unreal.MethodName(m))
		b = append(b, name[:]...)
	}
	b = append(b, dir...)
	for _, i := range order {
		c := &w.chunks[i]
		b = append(append(b, c.hash[:w.version.hashSize()]...), c.flags)
		if w.version >= shortHash {
			b = append(b, 0, 0, 0)
		}
	}
	return b, nil
}

func (w *writer) header(seeds, left, dir int) *header {
	h := &header{
		version: w.version, size: headerSize,
		entries: uint32(len(w.chunks)), blocks: uint32(w.nblocks), blockEntry: blockSize,
		methods: uint32(len(w.methods)), methodLen: methodLen, blockSize: uint32(w.opt.BlockSize),
		dirSize: uint32(dir), partitions: uint32(w.part + 1), partitionSize: w.like.partitionSize,
		container: w.container(), keyID: w.opt.KeyID, seeds: uint32(seeds), unhashed: uint32(left),
	}
	if w.version < partitionSize {
		h.partitions, h.partitionSize = 0, 0
	}
	if len(w.methods) > 0 {
		h.flags |= flagCompressed
	}
	if w.opt.Encrypt {
		h.flags |= flagEncrypted
	}
	if dir > 0 {
		h.flags |= flagIndexed
	}
	return h
}

// container is the id of the container: that of the header among the chunks,
// or that of the model, or else one made of the chunks' ids. A container
// without packages has none.
func (w *writer) container() uint64 {
	head, _ := w.era.kindOf(TypeContainerHeader)
	pack, _ := w.era.kindOf(TypeExportBundleData)
	var ids []byte
	packages := false
	for i := range w.chunks {
		id := w.chunks[i].id
		if kind(id[idSize-1]) == head {
			return id.object()
		}
		packages = packages || kind(id[idSize-1]) == pack
		ids = append(ids, id[:]...)
	}
	switch {
	case w.like.container != nil:
		return *w.like.container
	case packages:
		return unreal.CityHash64(ids)
	}
	return unknownContainerID
}

// directory is the directory index over the chunks in the order of the table,
// encrypted where the container is. Without a path there is none.
func (w *writer) directory(order []int) []byte {
	if w.version < directoryIndex || !slices.ContainsFunc(w.chunks, func(c written) bool { return c.name != "" }) {
		return nil
	}
	d := newDirectoryBuilder()
	for n, i := range order {
		if name := w.chunks[i].name; name != "" {
			d.add(name, uint32(n))
		}
	}
	b := d.append(unreal.AppendFString(nil, w.opt.MountPoint))
	if w.opt.Encrypt {
		b = aes256.AppendPadding(b, b, int64(len(b)))
		aes256.EncryptECB(w.crypt.block, b)
	}
	return b
}

// order decides the order of the table: with a perfect hash each chunk has the
// slot that the hash leads to. What the model of the container used is used
// again when the chunks are the same.
func (w *writer) order() (order []int, seeds, left []int32, err error) {
	if w.version < perfectHash || len(w.chunks) == 0 {
		order = make([]int, len(w.chunks))
		for i := range order {
			order[i] = i
		}
		return order, nil, nil, nil
	}
	if order = w.like.order(w.chunks); order != nil {
		return order, w.like.seeds, w.like.left, nil
	}
	ids := make([]perfect.ID, len(w.chunks))
	for i := range ids {
		ids[i] = perfect.ID(w.chunks[i].id)
	}
	order, seeds, left = perfect.Order(ids)
	if len(left) > 0 && w.version < perfectHashLeft {
		return nil, nil, nil, codecs.Errorf(errors.ErrUnsupported, "version %v has no place for %d chunks that the perfect hash leaves out", w.version, len(left))
	}
	return order, seeds, left, nil
}
