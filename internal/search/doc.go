// Package search keeps the index by which texts and paths are found in a catalog. The
// index is optional.
//
// Two full-text tables of SQLite (FTS5) have the words of names, and the trigrams of file
// names and folders. Their rows are blocks of texts whose ids follow each other, without
// positions and without the texts: that takes a quarter of what a row for each text does.
// Who looks for a text reads the texts of the blocks that match, and compares them.
//
// A third table says which contents use which names, 32 names at a time. So a row of the
// index says "maybe", and one that is stale does no harm. Nothing is deleted but with its
// ids: [Trim] lowers the marks up to which tables are indexed, so that ids which are given
// out again are indexed again.
//
// Reading order:
//
//   - words.go: the words of a text
//   - query.go: what people look for, and which texts match
//   - uses.go: where contents use names
//   - paths.go: which texts a block may mean
//   - index.go: makes the index, and keeps it right
package search
