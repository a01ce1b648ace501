// Package unrealpak reads and writes the .pak archives of Unreal Engine 4, 5
// and 6.
//
// A pak is read from its end. The footer (footer.go) names the version and the
// place of the index; the index lists the entries, as records with paths
// (index.go, versions 1 to 9), or as encoded entries that a directory of names
// and a table of path hashes refer to (pathhash.go, directory.go,
// version 10 on). Each payload follows a copy of its record (record.go) and is
// stored, or compressed in blocks that decode alone; both index and payloads
// may be encrypted with AES-256 (crypt.go).
//
//	payload ... payload | index | [path hashes | directory] | footer
//
// FORMAT.md has the layout, what each version adds, and how sure each fact is.
// The facts come from files that UnrealPak 4.20 to 6.0 wrote, and from the
// public readers of the field: repak, CUE4Parse, u4pak.
//
// [Format] is safe for concurrent use, and so is every archive it opens. A
// writer is not.
package unrealpak
