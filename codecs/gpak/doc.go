// Package gpak reads and writes the .sip paks of Marvel Heroes: SQLite
// databases up to client 1.28, and the custom archive "GPAK" from 1.29 on. One
// [Format] tells the three kinds apart by their bytes.
//
// The custom kind, all integers little-endian:
//
//	0x00  "KAPG"     the multi-character constant 'GPAK' as it lies on disk
//	0x04  u32        version, 1
//	0x08  i32        number of entries
//	0x0C  entries    u64 path hash ([Hash])
//	                 i32 length of the name in bytes
//	                 ..  name, UTF-8
//	                 i32 modification time, Unix seconds
//	                 i32 offset from the first byte after the table
//	                 i32 compressed size
//	                 i32 uncompressed size
//	then  data       one LZ4 block per entry, no frame; never stored raw
//
// The SQLite kinds have a table data_tbl(i, n, b, l, s): path hash as a signed
// integer, path, content, decoded length, Unix seconds; and a table ver(v, s)
// of one row. In version 1.5 b is the content, in 1.6 one LZ4 block.
//
// Sources: the tools that read and repack the game's files (MHServerEmu,
// MHPakTool, MHSqlitePakRepacker, OpenCalligraphy); what they contradict is in
// FORMAT.md. No database is ever opened by path: SQLite sees the Source through
// a read-only file system of one file, so that nothing appears beside it.
package gpak
