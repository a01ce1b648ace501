// Package retropak reads and writes the .pak archives of Retro Studios' games:
// Metroid Prime 1, 2 and 3 and Donkey Kong Country Returns; those of Donkey
// Kong Country: Tropical Freeze and Metroid Prime Remastered it lists. Its
// [Inspector] finds references between their assets.
//
// Numbers are big-endian, except in Remastered. Metroid Prime 1 and 2:
//
//	u32 0x00030005, u32 0
//	u32 n, n named resources: fourCC, u32 id, u32 length, name
//	u32 n, n entries: u32 compressed, fourCC, u32 id, u32 size, u32 offset
//	zeros to 32
//	data: entries in table order, each filled up with 0xFF to 32
//	      compressed: u32 decoded size, then zlib (1) or segments of LZO1X (2)
//
// The E3 prototype of Metroid Prime 3 is the same with ids of 64 bits. Metroid
// Prime 3 and Donkey Kong Country Returns:
//
//	0x00  u32 2, u32 header size, MD5 of all from 0x40 on, zeros to 0x40
//	0x40  u32 3, "STRG" u32 size, "RSHD" u32 size, "DATA" u32 size, zeros to 0x80
//	STRG  u32 n, n named resources: name, NUL, fourCC, u64 id; zeros to 64
//	RSHD  u32 n, n entries: u32 compressed, fourCC, u64 id, u32 size, u32 offset in DATA; zeros to 64
//	DATA  entries in table order, each filled up with 0xFF to 64
//	      compressed: "CMPD", u32 n, n blocks: u8 flag, u24 size, u32 decoded size; blocks
//
// An uncompressed entry has no true length: see [codecs.Padder]. FORMAT.md has
// the rest, and where each fact comes from.
package retropak
