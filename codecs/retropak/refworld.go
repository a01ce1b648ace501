package retropak

// Versions of MLVL. Donkey Kong Country Returns (0x1b) has another header.
const (
	worldPrime      = 0x11
	worldEchoes     = 0x17
	worldCorruption = 0x19
)

// world reads a MLVL: the areas of a world, what they need, and its map.
func world(x *references) {
	if !x.magic(0xdeafbabe) {
		return
	}
	x.in("version")
	version := x.r.U32()
	if !knownWorld(version, x.bits) {
		x.complete = false
		return
	}
	x.worldHeader(version)
	x.areas(version)
	x.in("map")
	x.ref("MAPW")
	if version == worldPrime {
		x.audioGroups()
	}
}

func knownWorld(version uint32, bits uint8) bool {
	if version == worldCorruption {
		return bits == 64
	}
	return (version == worldPrime || version == worldEchoes) && bits == 32
}

// worldHeader reads the name, in Metroid Prime 2 that of the dark world too,
// the saved state and the sky.
func (x *references) worldHeader(version uint32) {
	x.in("header")
	x.ref("STRG")
	if version == worldEchoes {
		x.ref("STRG")
	}
	if version != worldPrime {
		x.r.Skip(4) // key of the temple
	}
	x.ref("SAVW")
	x.ref("CMDL")
	if version == worldPrime {
		x.skipList(11) // memory relays
	}
}

func (x *references) areas(version uint32) {
	x.in("areas")
	n := x.r.Count(72 + 3*x.idBytes())
	if version == worldPrime {
		x.r.Skip(4)
	}
	for i := 0; i < n && x.failure() == nil; i++ {
		x.area(version)
	}
}

// area reads name, transform and box, area, internal id, attached areas, what
// to load before it (in the older versions), and docks.
func (x *references) area(version uint32) {
	x.in("area")
	x.ref("STRG")
	x.r.Skip(18 * 4)
	x.ref("MREA")
	x.id()
	x.skipList(2)
	if version < worldCorruption {
		x.dependencies()
	}
	x.in("docks")
	for range x.r.Count(8) {
		x.skipList(8)  // docks on the other side
		x.skipList(12) // corners
	}
	if version == worldEchoes {
		x.modules()
	}
	if version != worldPrime {
		x.r.CString() // internal name
	}
}

// dependencies reads what an area needs: a list that is empty in known files,
// the list proper, and where each layer starts in it.
func (x *references) dependencies() {
	x.in("dependencies")
	for range 2 {
		for range x.r.Count(8) {
			id := x.id()
			x.add(x.fourCC(), id)
		}
	}
	x.skipList(4)
}

// modules passes over the names of the code that an area needs, and where each
// layer starts among them.
func (x *references) modules() {
	x.in("modules")
	for range x.r.Count(1) {
		x.r.CString()
	}
	x.skipList(4)
}

// audioGroups reads the sounds of a world: five zeros, then a number and an
// audio group each.
func (x *references) audioGroups() {
	x.in("audio groups")
	x.r.Skip(5)
	for range x.r.Count(8) {
		x.r.Skip(4)
		x.ref("AGSC")
	}
}
