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
// Files in reading order: remote.go, bucket.go and request.go (a bucket), write.go (how a file of a store is written),
// change.go (what several publishers replace), trust.go and keys.go (signed metadata), rollout.go (who gets a build), packer.go,
// tables.go (where frames are), origin.go (deltas of contents), deltas.go (patches between files), whole.go, past.go and similar.go (what the build before had),
// memo.go (what stored blocks were found to be), optional.go (parts),
// source.go (a store to be looked at), check.go, checksigned.go, list.go, pruneremote.go, prune.go, stats.go,
// publisher.go (what the store has), files.go (files to recipes),
// enlist.go (of a bucket), publish.go.
package publish
