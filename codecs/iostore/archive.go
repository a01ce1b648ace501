package iostore

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/aes256"
)

// archive is an opened container. All but its partitions is immutable after
// open.
type archive struct {
	src        codecs.Source
	limits     codecs.Limits
	toc        *toc
	crypt      crypt
	keys       codecs.KeyFunc
	dir        *directory
	era        era
	typeNames  [256]string
	methods    []compress.Method
	order      []int32 // by ordinal: the chunk's number in the table
	rank       []int32 // the inverse
	partitions partitions
	warnings   []*codecs.FormatError
}

func open(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opt := o.WithDefaults()
	a, err := openWith(src, opt)
	if err == nil && a.toc.encrypted() && a.crypt.block == nil && len(a.toc.dir) > 0 {
		for _, key := range opt.Candidates {
			b, err := openWith(src, opt.WithCandidate(key))
			if err != nil {
				continue
			}
			if clear, err := b.crypt.directory(b.toc); err == nil && plausible(clear) {
				return b, nil
			}
		}
	}
	if err != nil {
		return nil, a.error("", err)
	}
	return a, nil
}

// openWith opens a container by the keys of the options. The archive is there with an error,
// too.
func openWith(src codecs.Source, opt codecs.Options) (*archive, error) {
	a := &archive{src: src, limits: opt.Limits, keys: opt.Keys}
	return a, a.open()
}

func (a *archive) open() (err error) {
	if a.toc, err = readTOC(a.src, a.limits.Table); err != nil {
		return err
	}
	if a.crypt, err = newCrypt(a.toc, a.keys); err != nil {
		return err
	}
	a.openDirectory()
	a.era = eraOf(a.toc, a.dir)
	for k := range a.typeNames {
		a.typeNames[k] = a.era.typeName(kind(k))
	}
	a.methods = methodsNamed(a.toc.methods)
	a.sort()
	a.partitions = partitions{src: a.src, size: a.toc.partitionSize, list: make([]partition, min(a.toc.partitions, maxPartitions))}
	a.warnTOC()
	a.warnCut()
	return nil
}

// sort makes ordinals follow the data. The order of the table is that of a
// hash: reading entries in it would read the .ucas back and forth.
func (a *archive) sort() {
	t := a.toc
	keys := make([]uint64, t.len())
	a.order, a.rank = newIndex(t.len()), newIndex(t.len())
	for i := range keys {
		off, _ := t.extent(i)
		keys[i] = uint64(off)
		a.order[i] = int32(i)
	}
	slices.SortStableFunc(a.order, func(x, y int32) int { return cmp.Compare(keys[x], keys[y]) })
	for k, i := range a.order {
		a.rank[i] = int32(k)
	}
}

// openDirectory reads the paths. A container without them lists all the same.
func (a *archive) openDirectory() {
	t := a.toc
	buf := t.dir
	if t.encrypted() && len(buf) > 0 {
		var err error
		if buf, err = a.crypt.directory(t); err != nil {
			a.warn(at("directory index", t.dirAt, err))
			buf = nil
		}
	}
	d, err := parseDirectory(buf, t.dirAt, t.len())
	if err != nil && t.encrypted() {
		err = at("directory index", t.dirAt, codecs.Errorf(codecs.ErrWrongKey, "key %s does not decrypt it", keyName(t.keyID)))
	}
	a.warn(err)
	a.dir = d
	for _, err := range d.found {
		a.warn(err)
	}
	if d.unseen > 0 {
		a.warn(at("directory index", t.dirAt, codecs.Errorf(codecs.ErrNonStrict, "the root does not lead to %d files and folders", d.unseen)))
	}
}

// Entries implements codecs.Archive: chunks in the order of their data. Each entry costs its own memory, that of
// its name, and of its blocks when there are several.
func (a *archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		names := paths{d: a.dir}
		for _, i := range a.order {
			if !yield(a.entry(int(i), &names)) {
				return
			}
		}
	}
}

func (a *archive) entry(i int, names *paths) (*codecs.Entry, error) {
	t := a.toc
	id := t.id(i)
	alloc := new(struct { // one allocation for both
		entry codecs.Entry
		sum   [longHashSize]byte
	})
	e := &alloc.entry
	*e = codecs.Entry{Ordinal: int(a.rank[i]), Type: a.typeNames[t.kind(i)], ID: id.ID(), Offset: -1}
	if e.Name = a.name(i, names); a.dir.fileOf[i] < 0 {
		e.Flags |= codecs.Unnamed
	}
	var x chunk
	err := a.toc.locate(i, &x)
	if err == nil && len(e.Name) > a.limits.Name {
		err = at("name", t.dirAt, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", len(e.Name), a.limits.Name))
		e.Name = bareName(e.Type, id)
	}
	if err != nil {
		return e, a.error(a.label(i), err)
	}
	a.describe(e, &x)
	e.Sum = a.toc.sum(i, alloc.sum[:0])
	return e, nil
}

// name returns the path of chunk i, or its substitute.
func (a *archive) name(i int, names *paths) string {
	if path, ok := names.of(i); ok && len(path) > 0 {
		return string(path)
	}
	return bareName(a.typeNames[a.toc.kind(i)], a.toc.id(i))
}

// label names chunk i in messages.
func (a *archive) label(i int) string {
	name := a.name(i, &paths{d: a.dir})
	if len(name) > a.limits.Name {
		return "#" + itoa(int(a.rank[i]))
	}
	return name
}

func (a *archive) describe(e *codecs.Entry, x *chunk) {
	e.Size, e.Stored = x.size, x.stored(a)
	if x.n > 0 {
		e.Offset = a.toc.block(x.first).off
	}
	if a.toc.encrypted() {
		e.Flags |= codecs.Encrypted
	}
	e.Method = x.method(a)
	if x.n > 1 || (x.n == 1 && a.toc.block(x.first).stored != e.Stored) {
		e.Blocks = make([]codecs.Block, x.n)
		for k := range e.Blocks {
			b := a.toc.block(x.first + k)
			e.Blocks[k] = codecs.Block{Offset: b.off, Stored: b.stored, Size: b.size}
		}
	}
}

// find returns the chunk of e, which may be a copy that someone kept.
func (a *archive) find(e *codecs.Entry) (*chunk, error) {
	if e.Ordinal < 0 || e.Ordinal >= len(a.order) {
		return nil, a.error(e.Name, codecs.Errorf(codecs.ErrNotFound, "ordinal %d of %d", e.Ordinal, len(a.order)))
	}
	x, i := new(chunk), int(a.order[e.Ordinal])
	if err := a.toc.locate(i, x); err != nil {
		return nil, a.error(a.label(i), err)
	}
	return x, nil
}

// OpenRaw implements codecs.Archive. The bytes go from the first block's start
// to the last one's end, with the padding between blocks, and, in encrypted
// containers, after the last.
func (a *archive) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	x, err := a.find(e)
	if err != nil {
		return nil, err
	}
	if x.n == 0 {
		return io.NewSectionReader(strings.NewReader(""), 0, 0), nil
	}
	r, err := a.raw(x)
	if err != nil {
		return nil, a.error(a.label(x.number), err)
	}
	return r, nil
}

// raw is the stored form of a chunk of at least one block.
func (a *archive) raw(x *chunk) (*io.SectionReader, error) {
	t := a.toc
	first, last := t.block(x.first), t.block(x.first+x.n-1)
	n := x.stored(a)
	end := last.off + last.stored
	if t.encrypted() {
		end = last.off + onDisk(last)
	}
	if end-first.off != n || uint64(first.off)/t.partitionSize != uint64(max(end-1, first.off))/t.partitionSize {
		return nil, at("block.offset", t.blocks.place(x.first), codecs.Errorf(errors.ErrUnsupported, "the blocks do not lie one after another"))
	}
	p, off, err := a.partitions.place(first.off)
	if err != nil {
		return nil, err
	}
	return p.section(off, n)
}

// Close implements codecs.Archive: it closes the partitions.
func (a *archive) Close() error { return a.partitions.close() }

// error turns err into a FormatError about a chunk, or about the container.
func (a *archive) error(entry string, err error) *codecs.FormatError {
	return formatError(a.src.Name, entry, err)
}

func (a *archive) warn(err error) {
	if err != nil {
		a.warnings = append(a.warnings, a.error("", err))
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// Sums implements codecs.Summer: the hashes of all contents, from the .utoc
// alone.
func (a *archive) Sums(ctx context.Context) ([]codecs.Sum, error) {
	sums := make([]codecs.Sum, a.toc.len())
	all := make([]byte, longHashSize*len(sums))
	for i := range sums {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sums[i] = a.toc.sum(int(a.order[i]), all[longHashSize*i:][:0:longHashSize])
	}
	return sums, nil
}

// Locate implements codecs.Locator: a long package name, "/Game/Maps/Arena",
// means the chunk of that package, whether or not the container has a path
// for it; with an extension (.uasset, .umap, .ubulk, .uptnl, .m.ubulk) for the
// chunks of that kind.
func (a *archive) Locate(name string) func(*codecs.Entry) bool { return packageChunks(name) }

// Find implements Finder.
func (a *archive) Find(id codecs.ID) (ordinal int, ok bool) {
	c, ok := chunkOf(id)
	if !ok {
		return 0, false
	}
	i, ok := a.toc.find(c)
	if !ok {
		return 0, false
	}
	return int(a.rank[i]), true
}

// SealedBy implements codecs.Sealer. Of the tables the directory index is
// encrypted, in the .utoc.
func (a *archive) SealedBy() (key []byte, id [16]byte, tables []codecs.Region) {
	t := a.toc
	if a.crypt.block == nil || a.crypt.ctr {
		return nil, t.keyID, nil
	}
	if n := int64(len(t.dir)); n > 0 && n%aes256.Block == 0 {
		tables = []codecs.Region{{Offset: t.dirAt, Size: n}}
	}
	return a.keys(t.keyID), t.keyID, tables
}

// SealedUnit implements codecs.Sealer: each block is encrypted by itself.
func (a *archive) SealedUnit() bool { return false }

// Verify implements codecs.Verifier. It reads the .utoc and every .ucas once
// and reports
//
//   - ids that occur twice, or that the perfect hash does not lead to,
//   - chunks whose blocks contradict their extents, or whose content does not
//     have its hash,
//   - blocks that no chunk uses, that overlap, lie outside their partition, or
//     do not have their SHA-1 where the container is signed,
//   - bytes in gaps.
//
// Problems of chunks come in the order of the table. Without the .ucas, or
// without its key, what can be checked is, and one problem says why the rest
// is not.
func (a *archive) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	return verify(ctx, a, report)
}
