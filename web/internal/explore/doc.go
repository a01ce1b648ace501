// Package explore answers the questions of the explorer: its builds, the folders of a
// build with sums of all that is below them, the files of a folder, one file.
//
// The views answer the same, for any statement. What is asked here again and again goes by
// the tables: sums by folder are stored with each archive, and kept for the next question,
// as a [Tree].
//
// Reading order:
//
//   - explore.go: Catalog, builds and archives
//   - tree.go, sums.go: the folders of a build
//   - listing.go: what is in a folder
//   - file.go: one file
//   - values.go: what it says
//   - search.go: what a person typed
package explore
