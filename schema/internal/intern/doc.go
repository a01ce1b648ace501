// Package intern assigns the ids of a batch: contents, paths, folders and texts. It
// works a batch ahead of the SQL that writes, and reads what the catalog has on a
// connection of its own.
//
//	key, asked for --> seen in this run? --> in the catalog? --> next id, a new row
//
// Ids are handed out in the order of first appearance. Reading order:
//
//   - keyindex.go: a key table in memory
//   - seen.go: hashes and their ids, those of the catalog included
//   - paths.go, texts.go: which paths and texts a batch names
//   - intern.go: contents and facts, and the order of all of it
package intern
