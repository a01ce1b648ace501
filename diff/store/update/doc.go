// Package update brings a folder to any build of a store, from whatever it holds.
//
//	OpenRemote ── Remote ── index, manifest
//	                           │
//	NewUpdate ── what the folder holds (local) ── what is missing (resolve) ── the bill
//	                           │
//	Apply ── ranges of packs ── fetched ── making ── output ── renames
//
// The version that the folder has does not matter, nor whether it is one: contents
// are compared. Where a patch between files is cheaper, bydelta.go uses it. What is
// wrong is asked for again, elsewhere if there is an elsewhere.
//
// Files in reading order: request.go, limiter.go and remote.go (what is asked of
// whom, and how often), local.go, plan.go, bydelta.go, resolve.go with trees.go,
// ranges.go (what is fetched together) and lists.go, update.go, fetched.go, output.go,
// making.go, leftover.go (what an earlier run left).
package update
