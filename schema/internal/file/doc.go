// Package file manages the file of a catalog: what lies at its path, its lock, its
// first bytes, and what a killed process left beside it.
//
//	path --> Resolve --> IsUsable --> LockForWriting --> CreateIfAbsent --> QuickCheck --> conn.OpenWriter
//	              `----> IsStored --> conn.OpenReader
//
// Reading order:
//
//   - inspect.go: recognises a catalog, and completes one; makes an empty one, whole or not at all;
//     keeps two writers apart
//   - check.go: checks a whole catalog, page by page and by what pakdb relies on; refuses to
//     write to a damaged one, and says how long a check holds
package file
