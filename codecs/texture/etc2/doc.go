// Package etc2 decodes the block formats of OpenGL ES 3: ETC1, ETC2 with and without
// alpha, and EAC of one and two channels. Blocks are 4x4 pixels, rows of blocks from left
// to right and top to bottom; a picture whose sides are no multiples of 4 has whole blocks
// at its edges, of which the rest is cut off.
//
//	blocks (8 or 16 bytes each) -> Decode -> pixels, row by row without padding
//
// Every sequence of bits of the right length is a valid picture, so that the only errors
// are of sizes. Nothing is allocated. The functions may be called by several goroutines at
// once.
//
// Layouts are those of the Khronos Data Format Specification, chapters 22 (ETC1) and 23
// (ETC2). Colours and alpha are exact. EAC of 11 bits is shown as a byte: value * 255 /
// 2047, rounded to the nearest.
package etc2
