package retropak

// leaf is a type that refers to nothing.
func leaf(*references) {}

// group reads a DGRP: a list of dependencies.
func group(x *references) {
	x.in("dependencies")
	x.tagged(x.r.Count(4 + x.idBytes()))
}

// tagged reads n pairs of type and id.
func (x *references) tagged(n int) {
	for range n {
		typ := x.fourCC()
		x.ref(typ)
	}
}

// mapWorld reads a MAPW: the maps of the areas.
func mapWorld(x *references) {
	if !x.magic(0xdeadf00d) {
		return
	}
	x.in("version")
	if v := x.r.U32(); v != 1 {
		x.complete = false
		return
	}
	x.in("areas")
	for range x.r.Count(x.idBytes()) {
		x.ref("MAPA")
	}
}

// scannable reads the SCAN of Metroid Prime 1: frame, text, and four images of
// 28 bytes each. Later ones end with a list whose start takes a parser of
// script objects to find.
func scannable(x *references) {
	if x.bits != 32 || x.r.U32() != 5 || x.r.U32() != 0x0badbeef {
		x.complete = false
		return
	}
	x.in("frame and text")
	x.ref("FRME")
	x.ref("STRG")
	x.r.Skip(9) // speed, category, importance
	x.in("images")
	for range 4 {
		x.ref("TXTR")
		x.r.Skip(24)
	}
}
