// Package inflate decodes deflate streams (RFC 1951), bare or in the wrapping of
// zlib (RFC 1950) or gzip (RFC 1952), where all of the stream is at hand and the
// size of what it decodes to is known. That is what the blocks of archives are.
//
// It is pakdb's own, by the design of Eric Biggers' libdeflate: 64 bits are
// buffered and filled up 8 bytes at a time, symbols of up to 11 bits are found
// by one look into a table and longer ones by two, and matches are copied in
// wide steps, while both slices have room for the longest that can come. The
// rest of a block is decoded with a check at each step. It is bounded by the two
// slices it is given, and allocates nothing. docs/benchmarks.md has figures.
//
// # What is accepted
//
// What zlib's inflate accepts, and nothing else. Codes whose lengths leave
// patterns of bits unused are refused, but for a code of one symbol of one bit,
// and one of no distances. So are blocks without a code for their end, the
// symbols 286 and 287, distances 30 and 31, more than 286 or 30 codes, and
// distances to before the first byte. The window that a zlib header declares
// must be one that exists; distances may be larger, as zlib has it. A preset
// dictionary is refused unless it is the empty one.
//
// Bytes behind a stream are not looked at: the number of those that it takes is
// returned.
package inflate
