// Package unreal is the family of Unreal Engine: what its packages and the chunks
// of its containers say, in types that all their readers share, and the rows that
// the catalog gets of it.
//
//	package.go paths.go   tables of a package, names and paths of its objects
//	zen.go                what packages of IoStore containers have beside
//	digest.go             a package without its noise
//	rows_package.go       a package's facts as rows
//	rows_zen.go           those of script objects and of containers' packages
//	texts.go              localised texts, and their rows
//	registry.go           what an asset registry says, and its rows
//	config.go             settings, and their rows
//	tables.go             the tables of the catalog
package unreal
