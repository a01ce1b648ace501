// Package container reads files that are a picture: DDS, Targa, and TXTR of Metroid Prime.
// What they have is decoded by the rooms beside it.
//
//	container.go  which files are pictures; Picture
//	dds.go        DirectDraw surfaces: blocks and pixels of graphics cards
//	tga.go        Targa
//	txtr.go       tiles of GameCube and Wii
//
// FORMAT.md has the layouts.
package container
