// Package exactlz4 encodes LZ4 blocks as the reference library does, byte for
// byte: LZ4_compress_default, LZ4_compress_fast and LZ4_compress_HC of liblz4.
//
// Every LZ4 encoder makes blocks that every decoder reads, and hardly two make
// the same. Who rebuilds an archive from its content, for example after a patch
// between decoded contents, needs the very bytes. Of 916 blocks of 64 KiB that
// liblz4 made, pierrec/lz4 re-creates none; this package re-creates all.
//
// # Dialects
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
// overlap; levels 10 to 12 weigh all sequences over up to 4,096 bytes. [Modern] is
// that of 1.9, [Release15] that of r91 to 1.5, which has no optimal parse and
// levels up to 16. Versions 1.6 to 1.8 and 1.10 changed details that are not here.
//
// [Modern], blocks, streams and high compression, and [Release15] with its high
// compression were compared with the libraries themselves, 1.9.4 and 1.5.0, on
// drawn inputs. The other dialects follow the published sources of their versions
// and were not compared with a build.
package exactlz4
