// Package patch makes, reads, verifies and applies transport patches: the files
// by which one or many old files become one or many new ones, bit for bit, with
// the least to be downloaded. docs/pkdelta.md has the layout.
//
// A patch says for every byte of a new file where it comes from: stored bytes
// copied from an old file; content made from old content and coded again by a
// [Recipe]; digests computed from the bytes they cover; or bytes that are in the
// patch. Old content is named by ranges of old files, their method and size,
// never by what a format's reader calls it, so that whoever applies a patch needs
// the decoders of package compress and no format: a reader may change or be
// absent. Only [Make] reads archives, and it believes nothing they say but what
// it has tried. What an archive's tables say of the entries that were put
// together is predicted by both sides, by rules that are part of the patch format:
// package table has them.
//
// A patch is read once, from front to end, in segments of at most 4 MiB. Nothing
// of a segment is used before its BLAKE3 fits the header's, and nothing of the
// header before its own does. Every new file has its declared BLAKE3 before it
// gets its name. Sizes, counts, names and memory are bounded; a patch reads the
// old files that it declares and writes the new ones, inside one folder, and
// nothing else.
package patch
