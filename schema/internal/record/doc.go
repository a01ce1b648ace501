// Package record defines the values that a scan hands to the catalog: archives,
// entries, what inspectors found in contents, problems and mounts. Nothing here knows
// SQL. Package schema gives these types their public names.
//
// Reading order:
//
//   - hash.go: digests, and what finds a path, a text or a checksum; how a path is cut
//   - entry.go: archives, entries, problems, mounts; what was found in contents; some entries of
//     an archive, chosen in one pass
//   - offset.go: where entries lie, as numbers of few bytes
package record
