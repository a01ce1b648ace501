// Package plain decodes pixels that are stored one after another, without blocks: whole
// bytes of colour or grey, half and single floats, indices into a palette.
//
//	pixels as a graphics card has them -> Decode -> pixels of a picture, row by row
//
// Nothing is allocated, and the only errors are of sizes.
//
// # Tone curve
//
// Floats become bytes by one curve: values are cut to 0 to 1, multiplied by 255 and
// rounded to the nearest; no number is 0. So a picture of colours that were stored linear
// stays linear, and what is brighter than 1 is white.
package plain
