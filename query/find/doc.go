// Package find looks for texts and paths in all builds of a catalog, by the index that
// package search of the catalog keeps.
//
//	text --> Query --> blocks of the index --> texts that match, best first --> contents, builds
//
// Reading order:
//
//   - query.go: what is looked for, and which texts match
//   - texts.go, paths.go: the texts and paths that match
//   - hits.go: where in contents they are
//   - find.go: Finder
//   - function.go: search() in SQL
package find
