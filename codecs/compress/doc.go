// Package compress decodes and encodes the block methods that game archives
// use. A block is one stored unit: it decodes alone, and its decoded size is
// known from the archive's own tables.
//
// [Decode] fills its destination exactly or fails: the destination is the
// bound, so a hostile block cannot make it write, or keep, more than the
// caller allocated. All functions are safe for concurrent use.
//
// Three encoders write the bytes of the reference libraries: [ZlibEncoder] those of zlib,
// [LZ4Encoder] those of liblz4, [LZOEncoder] those of liblzo2. They also recognise the
// parameters of a block.
//
// # Zlib
//
// [ZlibEncoder] writes the matches, blocks and codes of zlib, for every level, memory level,
// window size and strategy of deflateInit2.
//
// # Why an ordinary deflate does not do
//
// Any deflate encoder makes a stream that any decoder reads. But two encoders
// hardly ever make the same stream, and there are uses for which that counts:
//
//   - A binary delta between two archives is small only between the *decoded*
//     contents: in deflated data one changed byte changes all that follows.
//     To apply such a delta is to deflate the new content again and get
//     the very bytes that the archive's author got, or the archive's
//     checksums and signatures are lost.
//   - An archive that is packed again from its content should be the archive.
//   - A stream that was recognised can be stored as its content and three
//     small numbers.
//
// Of 2,830 blocks of 64 KiB that zlib made, compress/zlib of the standard
// library re-creates none: it searches otherwise, cuts blocks otherwise and
// builds other codes. This package re-creates them all.
//
// # What it follows
//
// The algorithm is that of deflate.c and trees.c of zlib 1.2.13: lazy and
// greedy parsing with zlib's table of limits, hash chains over three bytes,
// blocks of 2^(memLevel+6)-1 symbols, package-free Huffman codes with zlib's
// repair of codes that are too long, and its choice among stored, fixed and
// dynamic blocks. The output is that of one call of deflate with Z_FINISH and
// all the input (compress2); a caller that drains zlib through a small buffer,
// or feeds it in pieces, gets the same bits but for level 0.
//
// Versions: from 1.2.5.1 to 1.3.1 the output of levels 1 to 9 with the default
// strategy is the same. 1.2.12 packs its buffer of symbols differently but
// ends a block after as many symbols as before. What differs:
//
//   - Level 0 was written anew in 1.2.11; this package follows the new code.
//   - Strategy [ZlibFixed] chooses stored blocks otherwise from 1.2.12 on.
//   - Forks with searches of their own are other encoders that happen to share
//     the name: zlib-ng, Cloudflare's, Intel's, Chromium's and IBM's hardware.
//
// # How it is faster than a translation
//
// The whole input is in memory, so there is no window to fill and to move; what
// the window's movement decides in zlib (whether a block can still be stored,
// which position is the reserved number 0) is computed from two integers. From
// level 4 on every position enters a hash chain, so that the chains of 64 KiB are
// sorted at once and lie in a row: a search reads four candidates at a time and
// compares eight bytes of each, up to the one that would make it longer. Below,
// positions grow from one input to the next, so tables need no clearing. None of
// this changes a match.
//
// A second hash chain over four bytes, with ranks that show which candidates
// zlib would not have reached, finds the same matches too. It was tried and left
// out: what it saves in searching it costs in indexing.
//
// The loops that search are go:norace: the race detector took 60 % of the CPU time of
// encoding for reads of tables that one goroutine owns. It watches the methods
// that callers see, and what those write to an Encoder that two share.
//
// # LZ4
//
// [LZ4Encoder] encodes LZ4 blocks as the reference library does, byte for
// byte: LZ4_compress_default, LZ4_compress_fast and LZ4_compress_HC of liblz4.
//
// Every LZ4 encoder makes blocks that every decoder reads, and hardly two make
// the same. To rebuild an archive from its content, for example after a patch
// between decoded contents, takes the very bytes. Of 916 blocks of 64 KiB that
// liblz4 made, pierrec/lz4 re-creates none; this package re-creates all.
//
// # Dialects of LZ4
//
// liblz4's fast parse changed a few times, and differs between builds for 32
// and 64 bits. Four facts decide:
//
//   - which hash finds candidates: of four bytes or of five, for inputs below
//     65,547 bytes (whose table holds 8,192 positions of 16 bits) and for larger
//     ones (4,096 positions of 32 bits);
//   - how close to the end matches are looked for: up to 12 bytes before it, and
//     from 1.8.2 on one byte further;
//   - how soon the search begins to skip: after 60 misses, later after 64;
//   - the acceleration that the caller asked for, from 1.7 on.
//
// The streaming functions, which python-lz4 uses for its blocks too, treat small
// inputs as large ones.
//
// # High compression
//
// LZ4_compress_HC is another parse, with levels. Up to level 9 it looks at up to
// 2^(level-1) earlier places for each match and chooses among three matches that
// overlap; levels 10 to 12 weigh all sequences over up to 4,096 bytes. [LZ4Modern] is
// that of 1.9, [LZ4Release15] that of r91 to 1.5, which has no optimal parse and
// levels up to 16. Versions 1.6 to 1.8 and 1.10 changed details that are not here.
//
// [LZ4Modern], blocks, streams and high compression, and [LZ4Release15] with its high
// compression were compared with the libraries themselves, 1.9.4 and 1.5.0, on
// drawn inputs. The other dialects follow the published sources of their versions
// and were not compared with a build.
package compress
