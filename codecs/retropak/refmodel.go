package retropak

import "pakdb/codecs"

// Versions of CMDL.
const (
	modelPrime      = 2
	modelEchoes     = 4
	modelCorruption = 5
)

// visibilityGroups is the flag of a model with one more table in its header,
// whose layout is not known well enough.
const visibilityGroups = 0x10

// model reads the textures of a CMDL. Header: magic, version, flags, six
// floats, section count, material set count, section sizes, zeros to 32; then
// the sections, the material sets first.
func model(x *references) {
	if !x.magic(0xdeadbabe) {
		return
	}
	x.in("header")
	version, flags := x.r.U32(), x.r.U32()
	if !knownModel(version, flags, x.bits) {
		x.complete = false
		return
	}
	x.r.Skip(24)
	sections := int64(x.r.U32())
	sets := x.r.CheckCount(int64(x.r.U32()), 4)
	sizes := make([]int64, x.r.CheckCount(sections, 4))
	for i := range sizes {
		sizes[i] = int64(x.r.U32())
	}
	x.r.Skip(-x.r.Pos() & 31)
	if sets > len(sizes) && x.failure() == nil {
		x.err = codecs.Errorf(codecs.ErrCorrupt, "%d material sets in %d sections", sets, len(sizes))
	}
	for i := 0; i < sets && x.failure() == nil; i++ {
		x.materialSet(version, sizes[i])
	}
}

func knownModel(version, flags uint32, bits uint8) bool {
	if version == modelCorruption {
		return bits == 64 && flags&visibilityGroups == 0
	}
	return (version == modelPrime || version == modelEchoes) && bits == 32
}

// materialSet reads one section and moves to the next.
func (x *references) materialSet(version uint32, size int64) {
	x.in("material set")
	end := x.r.Pos() + x.r.CheckCount(size, 1)
	if version == modelCorruption {
		for range x.r.Count(4) {
			x.material()
		}
	} else {
		for range x.r.Count(4) {
			x.ref("TXTR")
		}
	}
	if x.r.Pos() > end && x.failure() == nil {
		x.err = codecs.Errorf(codecs.ErrCorrupt, "ends %d bytes after its section", x.r.Pos()-end)
	}
	x.r.Seek(end)
}

// material reads a material of Metroid Prime 3: size, seven words, and a chain
// of tagged parts until END.
func (x *references) material() {
	x.in("material")
	size := x.r.Count(1)
	end := x.r.Pos() + size
	x.r.Skip(28)
	for x.failure() == nil && x.r.Pos() < end {
		switch tag := x.fourCC(); tag {
		case "PASS":
			x.pass()
		case "CLR ", "INT ":
			x.r.Skip(8)
		case "END ":
			x.r.Seek(end)
			return
		default:
			x.complete = false // the rest of it is not understood
			x.r.Seek(end)
			return
		}
	}
}

// pass reads a texture pass: size, kind, flags, texture and coordinates.
func (x *references) pass() {
	next := x.r.Count(1) + x.r.Pos()
	x.r.Skip(8)
	x.ref("TXTR")
	x.r.Seek(next)
}
