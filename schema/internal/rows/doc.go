// Package rows reads all entries of builds without SQL, at a tenth of the views'
// cost: it goes through the pages of the tables, and joins them itself. What the
// values mean is said by the views; tests compare.
//
// It reads what scans write. A catalog that is not like that is damaged.
//
// Reading order:
//
//   - build.go: the archives of builds, and the tables
//   - scan.go: their entries, one after the other, and where they are in an archive
//   - stored.go: entries of some archives, those that differ between two editions, and which files
//     of the game they are
//   - texts.go: paths, contents and words by their ids
package rows
