// Package exactlzo encodes LZO1X as liblzo2 does at its levels of LZO1X-999, byte
// for byte: lzo1x_999_compress and lzo1x_999_compress_level, levels 1 to 9.
//
// Retro Studios' paks are made of segments of 16 KiB that LZO1X-999 made at
// level 8, as are those that Prime World Editor writes. Who rebuilds such a pak from
// its content, for example after a patch between decoded contents, needs the very
// bytes. Of 51 segments of samples, go-lzo re-creates 4; this package re-creates all.
//
// # The parse
//
// At each position the longest of the matches that a search sees is asked for, among
// 4 to 4,096 candidates whose three bytes have the same hash, up to 49,151 bytes
// back. A search ends early behind a candidate that had found less itself. From
// level 4 on, one or two positions behind a match are searched as well, and the
// better match counts: longer by what waiting for it takes, in bytes of code. At
// levels 8 and 9 a match that is one or two bytes shorter is taken where a shorter
// distance saves a byte of code.
//
// Levels 1 to 3 have a length at which a search was to end; liblzo2 2.10 goes on
// regardless, and so does this package.
//
// # How it is known
//
// It was written from what is known of the algorithm, its bounds and its limits by
// level, and from experiments with liblzo2 2.10 on 64 bits, whose output decided
// each question; no source of an LZO library was opened. All levels were compared with that library
// on some 40,000 streams of drawn inputs, which aim at the borders of lengths, distances
// and window, on pieces of programs and texts, and on all rows of up to 14 of two
// bytes. Digests of what it made of 400 inputs are kept. Other versions
// of the library were not at hand. The one-pass compressors, LZO1X-1 and its kin,
// are not here, nor are dictionaries.
package exactlzo
