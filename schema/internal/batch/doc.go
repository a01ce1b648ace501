// Package batch defines the batches that a scan sends to the catalog, and what is
// found out about it on the way.
//
//	Build.Add --> Batch --> edition: which rows are new --> intern: ids --> write: SQL
//
// Reading order:
//
//   - keys.go: what waits for the key tables
//   - row.go: an entry and its ids
//   - batch.go: the batch
package batch
