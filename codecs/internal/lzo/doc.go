// Package lzo decodes and encodes LZO1X, the byte-aligned LZ77 method that
// Retro Studios' paks, Unreal packages and the Linux kernel use.
//
// The decoder is pakdb's own, written from the public description of the
// bitstream (the Linux kernel's Documentation/staging/lzo.rst) and from
// streams that other encoders made. It is bounded by the two slices it is
// given: it never reads beyond src, never writes beyond dst, allocates nothing
// and does work in proportion to len(src)+len(dst). [Encoder] encodes.
//
// # Bitstream
//
// A stream is a row of instructions. Each begins with one byte T. Multi-byte
// numbers are little-endian; distances count back from the end of the output.
//
//	T         bytes       length         distance                    literals after it
//	128..255  T H         T>>5 + 1       H<<3 + (T>>2 & 7) + 1       T & 3    M2, 5..8 bytes
//	64..127   T H         T>>5 + 1       H<<3 + (T>>2 & 7) + 1       T & 3    M2, 3..4 bytes
//	32..63    T [n] V V   (T & 31) + 2   V>>2 + 1                    V & 3    M3
//	16..31    T [n] V V   (T & 7) + 2    V>>2 + (T & 8)<<11 + 16384  V & 3    M4
//	0..15     depends on the state, the number of literals that the
//	          instruction before it copied:
//	  none    T [n] ...   T + 3 literals follow; state becomes "run"
//	  1 to 3  T H         2              H<<2 + T>>2 + 1             T & 3    M1
//	  run     T H         3              H<<2 + T>>2 + 2049          T & 3    M1
//
// Where the bits of T that hold a length are all zero (M3, M4, a literal run),
// [n] follows: zero or more bytes 0x00, each worth 255, and one other byte,
// worth itself. Their sum and the largest value of the bits (31, 7, 15)
// take the place of the bits.
//
// A match may reach into its own output: distance 1 repeats one byte.
//
// The first byte alone has a second meaning: 18..20 are 1 to 3 literals (state
// 1 to 3), 21..255 are T-17 literals (state "run"). The kernel's text says "18
// to 21: 0 to 3 literals" here; encoders and decoders agree on T-17.
//
// An M4 of distance 16384 ends the stream. Encoders write it as 11 00 00, the
// only form accepted here. The kernel's LZO-RLE variant, which begins with
// 11 01, is not LZO1X and is refused.
//
// # Segments
//
// Retro Studios cut a file into pieces of 16 KiB and store each by itself: see
// [DecodeSegmented].
//
// # Encoding as liblzo2
//
// [Encoder] encodes LZO1X as liblzo2 does at its levels of LZO1X-999, byte
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
package lzo
