// Package unreal is the family of Unreal Engine: what its packages and the chunks
// of its containers say, in types that all their readers share, and the rows that
// the catalog gets of it.
//
//	package.go paths.go   tables of a package, names and paths of its objects
//	zen.go                what packages of IoStore containers have beside
//	digest.go             a package without its noise
//	rows_package.go       a package's facts as rows
//	rows_zen.go           those of script objects and of containers' packages
//	texts.go              localised texts, settings and descriptors, and their rows
//	registry.go           what an asset registry says, and its rows
//	tables.go             the tables of the catalog
//	hash.go               hashes of paths and names
//
// # Exports of UE1 to UE3
//
// [OldReader] reads what the exports of packages of UE1 to UE3 are made of:
// indices, names, strings, and the tags in front of the values of properties.
//
// # Strings, GUIDs, hashes
//
// This package also holds what the Unreal formats share: strings, GUIDs, AES and the
// path hash. All integers of these formats are little-endian.
//
// Sources: files written by UnrealPak 4.20 to 6.0, unless a name says otherwise.
package unreal
