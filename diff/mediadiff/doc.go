// Package mediadiff compares the pixels of textures and the samples of sounds in two
// packages of Unreal Engine.
//
//	media.go    which objects are compared, and what is said of them
//	pixels.go   pictures: how many pixels differ, and how much
//	samples.go  sounds
//	look.go     textures that look alike, at other places
package mediadiff
