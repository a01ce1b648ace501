package calligraphy_test

import (
	"pakdb/codecs"
)

// everyKind returns a small valid file of each kind, in version 10 where the
// two differ.
func everyKind() []file {
	return []file{
		{"Curve.directory", directory("CDR", "curve", `A\B.curve`)},
		{"Type.directory", directory("TDR", "asset_type", `A\B.type`)},
		{"Blueprint.directory", directory("BDR", "blueprint", `A\B.blueprint`)},
		{"Prototype.directory", directory("PDR", "prototype", `A\B.prototype`)},
		{"Replacement.directory", new(writer).raw("RDR\x0a").u16(2).
			u64(1).u64(2).str("A.B").u64(2).u64(0).str("A.C").b},
		{"a.curve", new(writer).raw("CRV\x0a").u32(0xffffffff).u32(1).
			u64(0).u64(0x3ff0000000000000).u64(0x7ff8000000000001).b},
		{"a.type", new(writer).raw("TYP\x0a").u16(2).
			u64(11).u64(12).u8(1).str("One").u64(0).u64(0).u8(0).str("").b},
		{"a.blueprint", new(writer).raw("BPT\x0a").str("PowerPrototype").u64(21).
			u16(1).u64(22).u8(1).u16(1).u64(23).u8(2).
			u16(4).
			u64(31).str("Icon").u8('A').u8('S').u64(24).
			u64(32).str("Count").u8('L').u8('L').
			u64(33).str("Curve").u8('C').u8('S').u64(26).
			u64(34).str("Part").u8('R').u8('L').u64(25).b},
		{"a.prototype", new(writer).raw("PTP\x0a").body(sampleTree()).b},
		{"a.cell", new(writer).u32(0x1000).u32(7).u32(3862899546).raw("body").b},
	}
}

func directory(magic string, space codecs.Space, path string) []byte {
	w := new(writer).raw(magic).u8(10).u16(2)
	for i := range 2 {
		w.u64(uint64(41 + i)).u64(uint64(51 + i))
		if space == "prototype" {
			w.u64(61)
		}
		w.u8(uint8(i)).str(path)
	}
	return w.b
}

// sampleTree holds every type, an empty list, and bodies in bodies.
func sampleTree() tree {
	leaf := tree{Flags: 4}
	inner := tree{Flags: 3, Parent: 72, Groups: []treeGroup{{Blueprint: 82, Copy: 1,
		Simple: []treeField{{ID: 91, Type: 'P', Values: []uint64{101}}},
		Lists:  []treeField{{ID: 92, Type: 'R', Bodies: []tree{leaf, leaf}}}}}}
	g := treeGroup{Blueprint: 81}
	for i, t := range []byte("ABCDLPST") {
		g.Simple = append(g.Simple, treeField{ID: uint64(200 + i), Type: t, Values: []uint64{uint64(300 + i)}})
	}
	g.Simple = append(g.Simple, treeField{ID: 220, Type: 'R', Bodies: []tree{inner}})
	g.Lists = []treeField{
		{ID: 221, Type: 'A', Values: []uint64{401, 0, 402}},
		{ID: 222, Type: 'P'},
		{ID: 223, Type: 'R', Bodies: []tree{inner, leaf}},
		{ID: 224, Type: 'R'},
	}
	return tree{Flags: 7, Parent: 71, Groups: []treeGroup{g, {Blueprint: 0}}}
}
