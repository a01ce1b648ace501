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
package umod
