// Package oodle decodes Oodle LZ streams: the compression blocks of method "Oodle" in Unreal Engine's .pak and .ucas
// files, and the same streams elsewhere. It is pure Go without unsafe, uses the standard library only, and can be
// imported on its own. It does not compress.
//
// A stream says neither where it ends nor how much it decodes to, so both must be known from the container:
//
//	dst := make([]byte, rawSize)
//	_, err := oodle.Decode(dst, block)
//
// For many blocks keep a [Decoder] per goroutine; it allocates nothing once it has seen blocks of the usual size.
//
//	var d oodle.Decoder
//	for _, b := range blocks {
//		if _, err := d.Decode(dst[:b.rawSize], b.stored); err != nil {
//			return err
//		}
//	}
//
// # Streams
//
// FORMAT.md has the names of the parts, as errors use them, and what was observed. In short, all sizes in bytes:
//
//	stream   { block header (2), data } for each 0x40000 of output
//	block    stored bytes; or one quantum (Kraken, Mermaid, Leviathan); or one for each 0x4000 (LZNA, BitKnit)
//	quantum  header, then a fill byte, stored bytes, a copy of earlier bytes (LZNA, BitKnit), or compressed data
//	chunk    of a quantum of the newer codecs, for each 0x20000: stored bytes, one array, or LZ data
//	array    bytes that are stored, run-length, Huffman or tANS coded, or put together from other arrays
//	LZ data  arrays of literals, commands, offsets and lengths, and bits behind them
//
// A command is a run of literals and a match with earlier output. The newer codecs first decode all arrays and
// then run the commands, which are whole bytes; LZNA and BitKnit read adaptive models step by step.
//
//	byte 0  0x0C, +0x40 stored block, +0x80 restart (set in the first block)
//	byte 1  codec: 5 LZNA, 6 Kraken, 10 Mermaid and Selkie, 11 BitKnit, 12 Leviathan; +0x80 quanta have checksums
//
// Each call decodes one whole stream with a window of its own, as Unreal Engine makes them: at most 64 KiB by default,
// but any size works.
//
// # Limits
//
// Errors wrap [ErrCorrupt], or [errors.ErrUnsupported] for older codecs (0 to 4, 7 to 9), for a restart in the middle
// of a stream of the newer codecs, and for the "excess" flag of Kraken, whose meanings are not known. Checksums
// in quantum headers are skipped, their algorithm is unknown; the streams of Unreal Engine have none. Dictionaries and
// windows that go on between calls are not supported.
//
// # Untrusted input
//
// Decode never writes outside dst nor reads outside src, does not panic, and needs a few MiB of memory at most beside
// dst. Its time is bound by the sizes of dst and src: nested arrays have a depth limit, and all arrays of a chunk
// together may decode to eight times its output. Damage does not always cause an error, as there is no checksum: a container's hash tells.
//
// # Source
//
// The package was written from a description of the format in prose, with test vectors, and not from other decoders.
// Kraken is verified with files made by Unreal Engine 5.8.1, Mermaid and Leviathan with vectors, LZNA and BitKnit only
// by round trips through encoders made from the same description.
package oodle
