package iostore

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

// chunkID is the id of a chunk as stored: u64 id, big-endian u16 index, one
// byte, and the chunk's type.
type chunkID [idSize]byte

// ID is the id as entries carry it.
func (c chunkID) ID() codecs.ID {
	return codecs.ID{Hi: uint64(binary.BigEndian.Uint32(c[:])), Lo: binary.BigEndian.Uint64(c[4:]), Bits: 96}
}

func chunkOf(id codecs.ID) (c chunkID, ok bool) {
	binary.BigEndian.PutUint32(c[:], uint32(id.Hi))
	binary.BigEndian.PutUint64(c[4:], id.Lo)
	return c, id.Bits == 8*idSize && id.Hi <= 1<<32-1
}

// object is the first part of the id: of the package, the container, ...
func (c chunkID) object() uint64 { return leOrder.Uint64(c[:]) }

func newChunkID(object uint64, index uint16, k kind) (c chunkID) {
	leOrder.PutUint64(c[:], object)
	binary.BigEndian.PutUint16(c[8:], index)
	c[idSize-1] = byte(k)
	return c
}

// PackageOf returns the 64-bit id that the id of a chunk starts with: of the
// package, for chunks that belong to one (the hash of its name), and of the
// container for its ContainerHeader. ok is false for an id that is no chunk's.
func PackageOf(id codecs.ID) (pkg uint64, ok bool) {
	c, ok := chunkOf(id)
	return c.object(), ok
}

// kind is the type of a chunk, a number whose meaning changed with UE5.
type kind uint8

// era is which numbering of types a container uses.
type era uint8

const (
	ue4 era = iota
	ue5
)

// The names of the types, as the engine spells them.
const (
	TypeExportBundleData = "ExportBundleData" // a package
	TypeBulkData         = "BulkData"
	TypeOptionalBulkData = "OptionalBulkData"
	TypeMemoryMapped     = "MemoryMappedBulkData"
	TypeScriptObjects    = "ScriptObjects"
	TypeContainerHeader  = "ContainerHeader"
)

// typeNames returns the names of an era by number.
func (e era) typeNames() []string {
	if e == ue4 {
		return []string{"Invalid", "InstallManifest", TypeExportBundleData, TypeBulkData, TypeOptionalBulkData, TypeMemoryMapped,
			"LoaderGlobalMeta", "LoaderInitialLoadMeta", "LoaderGlobalNames", "LoaderGlobalNameHashes", TypeContainerHeader}
	}
	return []string{"Invalid", TypeExportBundleData, TypeBulkData, TypeOptionalBulkData, TypeMemoryMapped, TypeScriptObjects,
		TypeContainerHeader, "ExternalFile", "ShaderCodeLibrary", "ShaderCode", "PackageStoreEntry", "DerivedData",
		"EditorDerivedData", "PackageResource"}
}

// typeName is the name of a type; "Type99" for one that is not known.
func (e era) typeName(k kind) string {
	if names := e.typeNames(); int(k) < len(names) {
		return names[k]
	}
	return "Type" + itoa(int(k))
}

// kindOf is the inverse of typeName.
func (e era) kindOf(name string) (kind, error) {
	for i, n := range e.typeNames() {
		if n == name {
			return kind(i), nil
		}
	}
	return 0, codecs.Errorf(errors.ErrUnsupported, "chunk type %q", name)
}

// bareName names a chunk that has no path, by its type and id.
func bareName(typeName string, id chunkID) string {
	b := make([]byte, 0, len(typeName)+1+2*idSize)
	b = append(append(b, typeName...), '/')
	return string(hex.AppendEncode(b, id[:]))
}

// eraOf decides by which numbering the types of t are read. Version 3 was
// written by both 4.27 and 5.0 Early Access; there the extensions of the
// directory's paths decide, or else which number the container's header has.
func eraOf(t *toc, d *directory) era {
	switch {
	case t.version < partitionSize:
		return ue4
	case t.version > partitionSize:
		return ue5
	}
	votes := 0
	for i := range t.len() {
		k := t.kind(i)
		ext := d.ext(i)
		switch {
		case strings.EqualFold(ext, ".uasset"), strings.EqualFold(ext, ".umap"):
			votes += vote(k == 1, k == 2)
		case t.id(i) == newChunkID(t.container, 0, k):
			votes += vote(k == 6, k == 10)
		}
	}
	if votes > 0 {
		return ue5
	}
	return ue4
}

func vote(forUE5, forUE4 bool) int {
	switch {
	case forUE5:
		return 1
	case forUE4:
		return -1
	}
	return 0
}

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
