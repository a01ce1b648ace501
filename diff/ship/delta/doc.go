// Package delta is the file format of transport patches: what the bytes of a
// .pkdelta file mean, and nothing of how they are found or used. docs/pkdelta.md
// specifies it. A patch turns one or many old files into one or many new ones, bit
// for bit.
//
// A patch says for every byte of a new file where it comes from: stored bytes
// copied from an old file; content made from old content and compressed again by a
// [Recipe]; digests computed from the bytes they cover; or bytes that are in the
// patch. It names old content by ranges of old files, their method and size, never
// by the names of a format's reader. So applying a patch needs the
// decoders of package compress and no format.
//
// A patch is read once, from front to end, in segments of at most 4 MiB. Nothing
// of a segment is used before its BLAKE3 fits the header's, and nothing of the
// header before its own does. Every new file has its declared BLAKE3 before it
// gets its name. Sizes, counts, names and memory are bounded.
//
// The rooms, and what flows through them:
//
//		old files ─┐
//		           ├─ inside ── entries, extents ── maker ── operations ── program ── segments ─┐
//		new files ─┘                                                                            │
//		                                                                    this package: header and frame
//		                                                                            │
//		new files ── apply ── bytes ── program ── operations ── segments ───────────┘
//
//	  - this package: the header, the frame around the segments, names, sums,
//	    signatures;
//	  - program: the operations of a segment, written by an Emitter and executed by
//	    a Machine;
//	  - table: what the tables of archives will be, predicted by both sides;
//	  - inside: what lies in the files of a build;
//	  - maker: decides which operation explains which byte, and proves the result;
//	  - apply: old files into new ones on a disk: fresh, in place, or by appending.
//
// Files in reading order: files.go (old and new ones; errors, bounds, hashes, progress),
// recipe.go (how stored bytes come from content), keys.go (AES keys), sign.go (signatures and
// patches on a disk), columns.go (what a patch declares), frame.go (its segments).
package delta
