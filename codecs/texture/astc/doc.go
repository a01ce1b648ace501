// Package astc decodes the block format ASTC: pictures of colours from 0 to 1 ("LDR"), in
// two dimensions. Blocks of 4x4 to 12x12 pixels take 16 bytes each, rows of blocks from left
// to right and top to bottom; what sticks out at the edges is cut off.
//
//	block -> block mode, weights -> partitions, endpoints -> colours
//
// Blocks that the specification calls illegal are magenta, as it demands. A picture with
// colours above 1 is refused with [ErrHDR]. Nothing is allocated. The functions may be called by
// several goroutines at once.
//
// The layout is that of the Khronos Data Format Specification, chapter 24. Colours are what
// its linear profile gives, of 16 bits the nearest byte; where the specification takes the
// upper 8, for sRGB, that differs by 1 at most.
//
//	astc.go       pictures
//	block.go      a block: mode, partitions, colours of its pixels
//	endpoints.go  the colours between which those of pixels lie
//	sequence.go   numbers that take parts of bits
package astc
