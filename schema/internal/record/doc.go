// Package record defines the values that a scan hands to the catalog: archives,
// entries, what inspectors found in contents, problems and mounts. Nothing here knows
// SQL. Package schema gives these types their public names.
//
// Reading order:
//
//   - hash.go: digests, and the keys made of them
//   - path.go: how a path is cut, and what finds a path, a text or a checksum
//   - facts.go: what an inspector found in a content
//   - entry.go: archives, entries, problems, mounts
//   - sample.go: some entries of an archive, chosen in one pass
package record
