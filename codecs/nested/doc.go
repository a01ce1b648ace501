// Package nested reads archives that are entries of other archives: an
// installer that a pak brings along, a compressed package in an installer.
//
// [Wrap] puts an Archive around another. It yields the entries of that one as
// they are, and behind them those of the archives inside, in the order of the
// entries that hold them, flagged [codecs.Nested] and named by both paths:
//
//	Mods/DropStuff.umod!/System/DropStuff.u
//
// Their ordinals go on where those of the file's own entries end. Their offsets
// are those within the archive that holds them.
//
// What may be an archive is told by its extension, and what is one by its bytes,
// as for files. An entry that is stored as it is gets read in place; one that is
// compressed or encrypted is decoded into memory or, when it is large, into a
// temporary file. How deep archives may lie, how many there may be, and how much
// is decoded for them is bounded; what is beyond is an error of class
// [codecs.ErrLimit] among the entries, and everything else is listed.
package nested
