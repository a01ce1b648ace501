// Package publish adds builds to a store, checks it and removes old builds.
//
//	Publish ── files ── groups of stored blocks ── contents ── chunks ── packer ── packs
//	              │                                    └── origin: deltas from the build before
//	              └── recipes ── packs
//	        ── deltas between files, whole files where that pays ── manifests, the index last
//
// A publication that is interrupted leaves the store as it was: what it wrote has no
// name in any manifest, and the next one removes it.
//
// Files in reading order: publish.go, packer.go, files.go (files to recipes),
// similar.go and namewrite.go (earlier contents like a new one), origin.go (deltas of
// contents), deltas.go (patches between files), whole.go, tablewrite.go, write.go;
// check.go also prunes.
package publish
