// Package contents keeps decoded contents in a bucket, beside what was published to it, so
// that whoever has a catalog can read the contents of its builds without their archives.
//
// A content is one zstd file, named by its BLAKE3: contents/a/bcdef….zst. Each build has a
// list of the keys of its contents: contents/lists/. What no list has may be removed, by
// pruning, and writers work at the same time without a lock. It is safe because each side
// first says what it does, then looks at what the other one said:
//
//   - contents/.prune.json, the ledger, is replaced only as it was read. It has the contents
//     that no list has, since when, and those that a pruning is about to remove.
//   - A pruning enters in the ledger what it will remove, then reads the lists again, and
//     removes what is still in none.
//   - A writer reads the ledger before it looks at what is there. A content in the ledger it
//     does not count on: it takes it out of the ledger, and then writes it anew. At the end it
//     writes its list, reads the ledger again, waits for what is about to be removed, and
//     compares what is there with its list.
//
// So a writer that a pruning crossed has an error, at the worst, and never a list of what is
// gone. The grace time is for writers that take long: contents that nothing needs stay for
// that time, in which a writer that counts on them writes its list.
//
// Files in reading order: shelf.go (reading), writer.go, prune.go, lists.go, ledger.go,
// names.go.
package contents
