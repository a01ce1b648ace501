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
// Files in reading order: bucket.go, write.go (how files of a store are written and
// replaced), trust.go and keys.go (signed metadata), packer.go (packs, and what the build
// before had), origin.go (deltas of contents), deltas.go (patches between files), memo.go
// (what stored blocks were found to be), check.go, list.go, prune.go, copy.go, publisher.go
// (what the store has), files.go (files to recipes), publish.go.
package publish
