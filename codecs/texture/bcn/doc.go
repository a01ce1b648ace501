// Package bcn decodes the block formats of PC graphics cards: BC1 to BC5 (DXT1, DXT3,
// DXT5, ATI1, ATI2), BC6H and BC7. Blocks are 4x4 pixels, rows of blocks from left to
// right and top to bottom; a picture whose sides are no multiples of 4 has whole blocks
// at its edges, of which the rest is cut off.
//
//	blocks (8 or 16 bytes each) -> Decode -> pixels, row by row without padding
//
// Every sequence of bits of the right length is a valid picture, so that the only
// errors are of sizes. Nothing is allocated. The functions may be called by several
// goroutines at once, also for parts of one picture.
//
// Layouts are those of the Khronos Data Format Specification, chapters 18 (S3TC), 19
// (RGTC) and 20 (BPTC). The bits of BC1, BC2, BC3's colours, BC7 and BC6H are exact; the
// values between two of BC3's alpha, BC4 and BC5 are rounded to the nearest, as
// graphics cards may differ by 1 there.
package bcn
