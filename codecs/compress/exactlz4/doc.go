// Package exactlz4 encodes LZ4 blocks as the reference library does, byte for
// byte: LZ4_compress_default and LZ4_compress_fast of liblz4.
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
// [Modern], blocks and streams, and [Release15] were compared with the libraries themselves, 1.9.4
// and 1.5.0, on drawn inputs. The other dialects follow the published sources of
// their versions and were not compared with a build. High compression
// (LZ4_compress_HC) is another parse and not here.
package exactlz4
