// Package uz reads and writes the compressed files of Unreal's redirect
// servers as archives of one entry.
//
// A .uz2 (UT2003 and later) is a chain of blocks without any magic:
//
//	u32  stored size
//	u32  decoded size, at most 0x8000
//	     zlib stream
//
// It is recognised by its first block decoding to what it declares and the
// chain of sizes ending with the file. The entry's name is the file's without
// the extension, since the file does not store one.
//
// A .uz (Unreal Tournament) starts with u32 1234 or 5678 and the original name;
// what follows is a chain of Burrows-Wheeler, move-to-front, run-length and
// Huffman coders that no file at hand could verify. It is listed, and reading
// it is [errors.ErrUnsupported].
//
// Integers are little-endian. Source: FORMAT.md.
package uz
