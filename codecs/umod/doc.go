// Package umod reads and writes the installers of Unreal Tournament and its
// kin: .umod, .ut2mod, .ut4mod, .rmod. Despite the dialogs around it, a UMOD is
// a plain archive:
//
//	data of the entries, one after another
//	directory   compact index count, then for each entry:
//	            compact index length, name with NUL, u32 offset, size, flags
//	trailer     u32 9FE3C5A3, directory offset, file size, version, CRC
//
// Integers are little-endian. The checksum is CRC-32/BZIP2 (most significant
// bit first) of everything before the trailer. Names have backslashes; flags 3
// marks the manifest, which is not installed. The manifest lists the entries
// by group once more; its sizes are often wrong, so the directory decides.
//
// Source: the Unreal Wiki's page on UMOD, corrected by a file (the checksum's
// polynomial), see FORMAT.md.
//
// # Compressed files of Unreal Tournament
//
// [UzFormat] reads and writes the compressed files of Unreal's redirect
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
// Integers are little-endian. Source: UZ.md.
package umod
