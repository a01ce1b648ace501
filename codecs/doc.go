// Package codecs defines the interface between archive formats and their users.
//
// A [Format] is a value: how to recognise a file, open it, and write it. An
// [Archive] lists its [Entry] values in stored order and opens each one decoded
// ([Archive.Open]) or as it is stored ([Archive.OpenRaw]). An [Inspector] turns
// the content of an entry into [Facts]: what it defines and what it refers to.
// A [Registry] is an explicit list of both; nothing registers itself.
//
// [OpenFile] opens an archive by its path, and [FS] reads one by io/fs; both take
// any format. OpenFile of codecs/all knows all of them, this package knows none.
//
// Errors are [*FormatError] values that name file, entry, field and offset and
// wrap one of the sentinels of this package, or [errors.ErrUnsupported].
// Unsupported is never called corrupt.
//
// Sizes and offsets are in bytes; offsets are absolute within the file unless a
// name says otherwise. Size is decoded, Stored is on disk.
package codecs
