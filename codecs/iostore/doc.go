// Package iostore reads and writes the IoStore containers of Unreal Engine
// 4.25 and later: a .utoc, which lists chunks, and one or several .ucas, which
// hold them.
//
// The archive is the .utoc. It has the chunks' ids and extents, the blocks that
// they are compressed in, the hash of every chunk's content, and, in most
// containers, a directory that gives chunks paths:
//
//	header | chunk ids | extents | perfect hash | blocks | [IVs] | methods |
//	[signatures] | [directory index] | metas
//
// The .ucas lies beside it and is found through Source.Dir: game.ucas, then
// game_s1.ucas and so on for the partitions of large containers. It is opened
// with the first content; a container without it lists, and compares by its
// hashes, all the same. FORMAT.md has the layout, what each version adds, and
// how sure each fact is.
//
// # Entries
//
// An entry is a chunk. Ordinals follow the data, so that reading entries in
// order reads the .ucas from start to end; the order of the table is that of a
// hash. Its Type is the name of the
// chunk's type, its ID the 12 bytes of the chunk's id in the order of the file
// ([PackageOf] takes the package's id out of it). Its Name is the path that
// the directory index gives it, relative to Info.MountPoint; a chunk that has
// none is named by type and id, as in
// "ContainerHeader/f284deb7f0e2318e00000006". Offset counts in the data of all
// partitions one after the other, each as long as the header says they are.
//
// A container's order among others is that of the .pak of the same name
// ([MountOrder]). Two containers are compared by chunk id, never by position.
//
// [Format] is safe for concurrent use, and so is every archive it opens. A
// writer is not.
package iostore
