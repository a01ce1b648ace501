// Package side reads the rows of two builds that may differ: with nothing but
// integers, in the order of the archives, then sorted by path.
//
//	labels ─► archives of both builds, paired ─► Rows of what is not the same ─► Keys ─► what the game sees, sorted
//
// Archives that both builds mount are passed over, unless an archive that only one of
// them mounts has an entry of the same path. Of archives that are editions of one
// lineage only those rows are read that hold for one edition alone.
//
// Files in reading order: load.go (Load), archives.go (which are counterparts),
// edition.go (rows of one edition alone), seen.go (what the game sees), key.go (keys of
// what has no path id of its own, and the order of rows), read.go (how rows are read, by which statements),
// identity.go (ids beside paths), held.go (contents that the old build has),
// side.go (Sides, Side, Archive, Row).
//
// Facts of changed paths and contents are asked for by ids, many at once, of a [Source]: a
// [Catalog], or a [Memory].
//
//	path_ids ─────► Names ────► folder, name, order, asset
//	content_ids ──► Hashes, Sketches, Essences
//	build_ids ────► Records, Apart, Replacements
//
// Files in reading order: source.go, records.go (what directories of Marvel Heroes say),
// contents.go, names.go, assets.go (which names are of one Unreal asset), memory.go,
// lookup.go (what all of them read with).
package side
