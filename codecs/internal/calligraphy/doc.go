// Package calligraphy inspects Marvel Heroes' game database: what its files
// define, what they refer to, and every value they hold.
//
// Calligraphy is the editor that the database was exported from. An archive
// holds one file a record below "Calligraphy/", five directories that list them,
// and level and interface files below "Resource/". All integers are
// little-endian. A string is a u16 length in bytes and that many bytes of UTF-8.
//
// Every file of the database begins with three letters and a version, 10 (clients
// 1.9 to 1.17) or 11 (1.18 and later). The one difference is how directories
// count: count is u16 in version 10 and i32 in version 11.
//
//	Curve.directory        CDR  count, {u64 id, u64 guid, u8 flags, str path}
//	Type.directory         TDR  the same
//	Blueprint.directory    BDR  the same
//	Prototype.directory    PDR  count, {u64 id, u64 guid, u64 blueprint, u8 flags, str path}
//	Replacement.directory  RDR  count, {u64 old guid, u64 new guid, str name}
//	.curve                 CRV  i32 start, i32 end, f64[end-start+1]
//	.type                  TYP  u16 n, {u64 id, u64 guid, u8 flags, str name}
//	.blueprint             BPT  str class, u64 default, u16 n {u64 parent, u8 copies},
//	                            u16 n {u64 contributing, u8 copies},
//	                            u16 n {u64 id, str name, u8 type, u8 structure, u64 subtype of A C P R}
//	.prototype .defaults   PTP  body
//
//	body   u8 flags, u64 parent if flags & 1, u16 n groups if flags & 2
//	group  u64 blueprint, u8 copy, u16 n {u64 field, u8 type, value},
//	       u16 n {u64 field, u8 type, u16 n values}
//	value  8 bytes; of type R a body
//
// Resource files begin with u32 signature, u32 version, u32 hash of the class
// name; the rest is not described here.
//
// Ids are hashes of paths ([ID], [ResourceID]), so they change when a file is
// renamed; GUIDs do not. An id is looked up in the space that its field says: the
// id of a .defaults file is its blueprint's.
//
// A damaged file yields what stands before the damage, and a problem in
// Facts.Problems; there are no facts only when the header is unreadable, of
// another kind, or of an unknown version. Problems and errors name field and
// offset but neither file nor entry: facts are kept per content, which several
// entries may have, so the caller adds them.
//
// Sources: the public page on the game's paks; public readers of the database
// that run against real clients (MHServerEmu, OpenCalligraphy, MHDataParser); and
// the directories of four clients. FORMAT.md tells them apart.
package calligraphy
