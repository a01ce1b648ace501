// Package write turns batches whose ids are known into rows. It does nothing but SQL.
//
// A table is described once: its columns, and what a row has in each. Rows are inserted
// through temp.src, one statement for each table and batch:
//
//	batch --> []R --> table[R] --> INSERT INTO name (columns) SELECT a, b, ... FROM src
//
// Reading order:
//
//   - tx.go: statements over rows in memory, and the ids of words
//   - table.go: how rows become a statement
//   - keys.go, paths.go, contents.go, entries.go, archives.go: the tables that every format fills
//   - facts.go, families.go, scanned.go: what inspectors and searches found
//   - writer.go: the order in which rows need each other's ids
package write
