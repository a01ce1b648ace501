// Package write brings builds into a catalog, and takes them out again.
//
//	entries --> Batch --> match: rows of the edition before --> intern: ids --> write: SQL
//	                      `------------------- Pipeline -------------------------------'
//	all batches --> Publication --> a build that is seen
//	label --> remove --> archives that no build mounts --> rows --> contents, paths, names
//
// Archives that had one name in successive builds, or most of their entries in common, are
// editions of one lineage. A row of entry_row holds from the edition since on, up to but
// without until. The entries of an edition are compared with the rows of the one before,
// both in stored order:
//
//	rows of the edition before --,
//	                             |--> kept | ended | new, between two others
//	entries of this one ---------'
//
// A table is described once: its columns, and what a row has in each. Rows are inserted
// through temp.src, one statement for each table and batch:
//
//	batch --> []R --> table[R] --> INSERT INTO name (columns) SELECT a, b, ... FROM src
//
// A build is published when all of its rows are in the catalog. Then it is known what its
// names and ids mean, which files a game sees, what entries that were not read contain,
// and how many problems it has.
//
// Reading order:
//
//   - batch.go, totals.go: what travels
//   - pipeline.go: in which order, by which goroutines; the order in which rows need each
//     other's ids
//   - lineage.go: which archive another one continues
//   - before.go: which entries need not be read
//   - edition.go: which entries keep their rows, and where they lie
//   - intern.go, seen.go: ids
//   - table.go: how rows become a statement
//   - keys.go, contents.go, entries.go, archives.go: tables that every format fills
//   - facts.go, values.go: what inspectors and searches found
//   - indexes.go: what a first build makes last
//   - publish.go: a build becomes visible
//   - remove.go: builds, editions, and what no other one has
package write
