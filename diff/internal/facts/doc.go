// Package facts looks up facts of changed paths and contents: names, hashes, sketches,
// digests, records of directories. All of it is asked for by ids, many at once.
//
//	path_ids ─────► Names ────► folder, name, order, asset
//	content_ids ──► Hashes, Sketches, Essences
//	build_ids ────► Records, Apart, Replacements
//
// Files in reading order: records.go (what directories of Marvel Heroes say),
// contents.go, names.go, assets.go (which names are of one Unreal asset), read.go
// (what all of them read with).
package facts
