package property

import (
	"encoding/binary"
	"errors"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

var (
	errMesh   = codecs.Errorf(codecs.ErrUnknown, "mesh of an unknown layout")
	errVertex = codecs.Errorf(codecs.ErrCorrupt, "index of a vertex that the mesh lacks")
)

var typeLOD = &Type{Kind: Struct, Name: "LOD"}

// readStaticMesh adds the levels of detail of a cooked static mesh, with how many vertices and
// triangles each has. No version says how many flags a section has, so each number is tried.
// The buffers prove it: they have as many elements as the sections need. After that, an index
// outside is damage. A mesh of another layout, or whose levels are in other files, adds nothing;
// that is no error.
func readStaticMesh(p *parser, _ *Export, _ *unreal.PackageExport) {
	start := p.mark()
	for _, flags := range []int{4, 5, 3, 2, 6} {
		if readLevels(p, flags); p.ok() || errors.Is(p.in.Err(), errVertex) {
			return
		}
		p.back(start)
	}
}

// readLevels reads up to the end of the last level, whose sections have so many flags.
func readLevels(p *parser, flags int) {
	p.in.Skip(2)  // which parts the file lacks
	if !p.b32() { // not cooked
		p.fail(errMesh)
	}
	p.in.Skip(4 + 4 + 16) // collision, navigation, identifier of its light
	p.in.Skip(4 * p.count(4))
	list := p.add("LODs", p.d.types.of(Array, nil, typeLOD))
	n := p.count(64)
	if n == 0 {
		p.fail(errMesh)
	}
	for range n {
		if !p.ok() {
			return
		}
		readLevel(p, flags)
	}
	p.close(list)
}

// readLevel reads one level.
func readLevel(p *parser, flags int) {
	p.in.Skip(2)
	var triangles uint64
	sections := p.count(20 + 4*flags)
	for range sections {
		p.in.Skip(4)
		first, count := p.in.U32(), p.in.U32()
		p.want(uint64(first) == 3*triangles)
		triangles += uint64(count)
		p.in.Skip(8) // the least and the greatest vertex
		for range flags {
			p.b32()
		}
	}
	p.in.Skip(4)                // how far from the source it is
	p.want(!p.b32() && p.b32()) // it is there, and in this file
	p.in.Skip(1)
	without := p.in.U8() // which buffers are not there

	p.want(p.in.U32() == 12) // bytes of a position
	vertices := p.in.U32()
	p.want(p.buffer() == vertices)
	p.in.Skip(2)
	layers := p.in.U32() // of texture coordinates
	p.want(p.in.U32() == vertices)
	p.in.Skip(8)                   // precision
	p.want(p.buffer() == vertices) // tangents
	p.want(uint64(p.buffer()) == uint64(layers)*uint64(vertices))
	p.in.Skip(2 + 4)
	if colours := p.in.U32(); colours > 0 {
		p.want(p.buffer() == colours && colours == vertices)
	}
	p.want(p.indexes(vertices) == 3*triangles)

	one := p.add("", typeLOD)
	p.leaf("Vertices", typeUInt32, uint64(vertices), "")
	p.leaf("Triangles", typeUInt32, triangles, "")
	p.leaf("Sections", typeUInt32, uint64(sections), "")
	p.leaf("TextureCoordinates", typeUInt32, uint64(layers), "")
	p.close(one)
	if without&4 == 0 {
		p.indexes(vertices) // in reverse
	}
	p.indexes(vertices) // for depth alone
	if without&4 == 0 {
		p.indexes(vertices)
	}
	if without&1 == 0 {
		p.indexes(vertices) // with the neighbours
	}
	if without&8 == 0 {
		p.buffer() // for ray tracing
	}
	for range sections + 1 { // by which points are chosen at random
		p.in.Skip(4 * p.count(4))
		p.in.Skip(4 * p.count(4))
		p.in.Skip(4)
	}
	p.in.Skip(12) // sizes of buffers
}

// want fails unless a mesh is as it must be.
func (p *parser) want(ok bool) {
	if !ok {
		p.fail(errMesh)
	}
}

// buffer passes over elements that all have one size, and returns how many there are.
func (p *parser) buffer() uint32 {
	size, n := p.in.U32(), p.in.U32()
	if uint64(size)*uint64(n) > uint64(p.in.Len()) {
		p.fail(errMesh)
		return 0
	}
	p.in.Skip(int(size) * int(n))
	return n
}

// indexes passes over indexes of vertices, and returns how many there are. It fails for one
// outside.
func (p *parser) indexes(vertices uint32) uint64 {
	size := 2
	if p.b32() {
		size = 4
	}
	p.want(p.in.U32() == 1)
	data := p.in.Bytes(p.count(1))
	p.b32() // whether they are made wider
	if !p.toil(len(data)/64 + 1) {
		return 0
	}
	for at := 0; at+size <= len(data); at += size {
		v := uint32(binary.LittleEndian.Uint16(data[at:]))
		if size == 4 {
			v = binary.LittleEndian.Uint32(data[at:])
		}
		if v >= vertices {
			p.fail(errVertex)
			return 0
		}
	}
	return uint64(len(data) / size)
}
