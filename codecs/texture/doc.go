// Package texture decodes pictures of graphics cards by the names that Unreal Engine has
// for their formats: it knows which decoder a format needs, how many bytes a picture takes,
// and makes an [image.Image] of the pixels.
//
//	Named("PF_DXT1") -> Format.Size -> Format.Decode
//
// Formats that nothing decodes have a size as well, so that tables of them can be checked.
//
// What was two channels of a normal map gets its third one back. Pictures of floats become
// bytes by the tone curve below.
//
// # Plain pixels
//
// The functions of plain.go decode pixels that are stored one after another, without blocks: whole
// bytes of colour or grey, half and single floats, indices into a palette.
//
//	pixels as a graphics card has them -> plainDecode -> pixels of a picture, row by row
//
// Nothing is allocated, and the only errors are of sizes.
//
// # Tone curve
//
// Floats become bytes by one curve: values are cut to 0 to 1, multiplied by 255 and
// rounded to the nearest; no number is 0. So a picture of colours that were stored linear
// stays linear, and what is brighter than 1 is white.
//
// # BC1 to BC7
//
// The functions of bcn.go decode the block formats of PC graphics cards: BC1 to BC5 (DXT1, DXT3,
// DXT5, ATI1, ATI2), BC6H and BC7. Blocks are 4x4 pixels, rows of blocks from left to
// right and top to bottom; a picture whose sides are no multiples of 4 has whole blocks
// at its edges, of which the rest is cut off.
//
//	blocks (8 or 16 bytes each) -> bcnDecode -> pixels, row by row without padding
//
// Every sequence of bits of the right length is a valid picture, so that the only
// errors are of sizes. Nothing is allocated. The functions may be called by several
// goroutines at once, also for parts of one picture.
//
// Layouts are those of the Khronos Data Format Specification, chapters 18 (S3TC), 19
// (RGTC) and 20 (BPTC). The bits of BC1, BC2, BC3's colours, BC7 and BC6H are exact; the
// values between two of BC3's alpha, BC4 and BC5 are rounded to the nearest, as
// graphics cards may differ by 1 there.
//
// # ETC and EAC
//
// The functions of etc.go decode the block formats of OpenGL ES 3: ETC1, ETC2 with and without
// alpha, and EAC of one and two channels. Blocks are 4x4 pixels, rows of blocks from left
// to right and top to bottom; a picture whose sides are no multiples of 4 has whole blocks
// at its edges, of which the rest is cut off.
//
//	blocks (8 or 16 bytes each) -> etcDecode -> pixels, row by row without padding
//
// Every sequence of bits of the right length is a valid picture, so that the only errors
// are of sizes. Nothing is allocated. The functions may be called by several goroutines at
// once.
//
// Layouts are those of the Khronos Data Format Specification, chapters 22 (ETC1) and 23
// (ETC2). Colours and alpha are exact. EAC of 11 bits is shown as a byte: value * 255 /
// 2047, rounded to the nearest.
//
// # ASTC
//
// The functions of astc.go decode the block format ASTC: pictures of colours from 0 to 1 ("LDR"), in
// two dimensions. Blocks of 4x4 to 12x12 pixels take 16 bytes each, rows of blocks from left
// to right and top to bottom; what sticks out at the edges is cut off.
//
//	block -> block mode, weights -> partitions, endpoints -> colours
//
// Blocks that the specification calls illegal are magenta, as it demands. A picture with
// colours above 1 is refused with [errASTCHDR]. Nothing is allocated. The functions may be called by
// several goroutines at once.
//
// The layout is that of the Khronos Data Format Specification, chapter 24. Colours are what
// its linear profile gives, of 16 bits the nearest byte; where the specification takes the
// upper 8, for sRGB, that differs by 1 at most.
//
//	astc.go            pictures
//	astc_block.go     a block: mode, partitions, colours of its pixels
//	astc_endpoints.go  the colours between which those of pixels lie
//	astc_sequence.go   numbers that take parts of bits
//
// # Files that are a picture
//
// [Read] reads files that are a picture: DDS, Targa, and TXTR of Metroid Prime.
// What they have is decoded by the functions above.
//
//	container.go  which files are pictures; Picture
//	container_dds.go        DirectDraw surfaces: blocks and pixels of graphics cards
//	container_tga.go        Targa
//	container_txtr.go       tiles of GameCube and Wii
//
// CONTAINER.md has the layouts.
package texture
