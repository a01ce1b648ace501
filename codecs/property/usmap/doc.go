// Package usmap reads mappings (.usmap): the classes, structs and enums of one build of
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
// byte (FORMAT.md of codecs/property).
package usmap
