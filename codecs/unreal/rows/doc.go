// Package rows makes rows of the tables, values and code in packages of Unreal Engine, for the catalog and for people.
//
//	package --> Reader.Each: decoded exports --> walker: a row for each value --> family.Batch
//
// A value has one row, with the path of its field. The outermost index or key of an
// array, set or map is a column of its own, so that a table of a thousand rows has as
// many paths as columns. An array of more than 16 numbers, or of structs of numbers,
// is one value: its count, first elements and hash.
//
// Reading order:
//
//   - read.go: the exports of a package of any generation, classes first
//   - walk.go: the values of an export with their paths
//   - tables.go: the tables of the catalog
//   - rows.go: exports and their values as rows
//   - media.go: textures and sounds
//   - classes.go: what classes, structs and enums declare
//   - scripts.go: functions, what they call and name
//   - mappings.go: the classes of a game, and which of them values were read by
//   - reader.go: the reader for the registry
//   - shown_*.go: summary, tables, values and code of one package, for people
package rows
