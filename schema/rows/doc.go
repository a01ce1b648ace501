// Package rows reads all entries of a build without SQL, at a tenth of the views'
// cost: it goes through the pages of the tables, and joins them itself. What the
// values mean is said by the views; tests compare.
//
// It reads what scans write. A catalog that is not like that, or that is damaged, is
// [ErrUnusual]: the views say what is in it.
//
// Reading order:
//
//   - entry.go: what an entry is
//   - build.go: the archives of a build, and what it makes of their entries
//   - entries.go: the entries of each archive
//   - stored.go: entries by ids, and not by texts
//   - texts.go: paths, contents and words by their ids
package rows
