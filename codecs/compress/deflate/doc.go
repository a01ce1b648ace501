// Package deflate is a fast encoder of zlib streams. Its output is about as large as
// that of zlib's level 6, for two thirds of the CPU that the exact bytes of zlib take
// (package exactzlib), and is made by no other tool.
//
// A source is cut into spans of 64 KiB, which is what archives have in a block, so that
// positions have 16 bits and tables fit into the caches. Of a longer source the second
// half of a span is the first half of the next. In reading order:
//
//   - encoder.go: the [Encoder], and the spans of a source
//   - parse.go: which matches become symbols; a match gives way to a longer one at the
//     next position
//   - match.go: chains of positions with the same four bytes, and the last position
//     with the same three
//   - block.go: where a block ends, which is where its last symbols are of other kinds
//     than those before (the rule is libdeflate's), and its kind
//   - code.go: Huffman codes of limited length
//   - bits.go: the bits of a block
//
// Blocks that end where the content changes gain what a shallower search loses.
package deflate
