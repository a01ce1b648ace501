// Package property reads the values in packages of Unreal Engine 4 and 5: the
// properties of every object, the rows of its tables, curves, strings, and the classes,
// structs and enums that a game declares. It knows packages by their tables
// ([unreal.PackageFacts]), which packages pkg and zen read, and is given the
// bytes of exports.
//
//	d := property.NewDecoder(facts, property.Options{Schemas: mappings})
//	var x property.Export
//	d.Export(&x, i, data)
//	for path, at := range d.Walk(&x.List) { ... x.List.Nodes[at] ... }
//
// A list of properties has one of two forms. A tagged one states the name, the type
// and the size of each value. An unversioned one has the values alone, in the order
// of the properties of the class, which mappings ([ReadUsmap]) or the class
// itself in another package supply: [Schemas].
//
//	export   [control byte] list [b32, GUID] [data of the class]
//	tagged   { name, type, size, index, flags, value } until the name None
//	unvers.  header of 16-bit fragments, mask of zeros, values
//
// # Understood or opaque
//
// A value is taken when it ends where its tag says, with every name in the name table,
// every reference in the tables and every bool 0 or 1. Else it is opaque: a node of
// its own kind with its bytes' place and the reason, and all around it stays. A list
// whose tags do not hold together, or an unversioned one with a value that cannot be
// read, is lost as a whole. Both are counted ([Coverage]) and no errors: packages are
// full of classes with data of their own.
//
// # Memory
//
// Values are nodes in one slice ([List]), texts share the memory of one copy of the
// export, and types are kept by the package, so that a value costs no allocation.
// Arrays of more than 16 numbers stay packed. Sizes are bounded by the bytes at hand
// and by [Options.MaxNodes], texts that are made of names by 8 MB, nesting by 48
// levels, and guesses by a budget of work: 64 MB for any export beside its bytes.
//
// FORMAT.md has the layouts, and how sure each fact is.
//
// # UE1 to UE3
//
// [ClassicDecoder] reads the values in packages of UE1 to UE3: the properties of
// every object, and the default values of classes. It is given the tables of a
// package and the bytes of its exports, and makes the same values as those of UE4 and UE5.
//
//	classic_decoder.go	the declarations of a package, and its exports
//	classic_declare.go	properties that classes and structs declare
//	classic_list.go	lists of properties
//	classic_value.go	values
//	classic_structs.go	structs without tags
//
// A tag states the type and the size of its value, and nothing of what an array
// holds: the class that declares the property does. Where that is in another package, the
// first type by which the value ends at its last byte is taken, and marked [Guessed].
//
// CLASSIC.md has the layouts, and how sure each fact is.
//
// # Mappings
//
// [ReadUsmap] reads mappings (.usmap): the classes, structs and enums of one build of
// one game, which unversioned property lists are read by. Tools dump them from a
// running game; nothing in the file says which game that was.
//
//	u16       30C4
//	u8        version, 0 to 4
//	[from 1]  b32 has versions; if 1: i32 UE4, i32 UE5, i32 n x {GUID, i32}, u32 change list
//	u8        compression: 0 none, 1 Oodle, 2 Brotli, 3 Zstandard
//	u32, u32  stored and decoded size of what follows
//	names     u32 n x {u8 length (u16 from 2), UTF-8}
//	enums     u32 n x {name, u8 count (u16 from 3), names; from 4 {i64 value, name}}
//	structs   u32 n x {name, name of the parent, u16 positions, u16 n x property}
//	property  u16 position, u8 elements, name, type
//	type      u8; Enum: type, name; Struct: name; Array, Set, Optional: type; Map: type, type
//	[CEXT]    blocks: paths of packages, flags, values of enums
//
// All integers are little-endian; a name is a u32 index, FFFFFFFF for none. Source:
// 31 files of versions 0, 3 and 4 and of all four compressions, each read to its last
// byte (FORMAT.md).
package property
