// Package update brings a folder to any build of a store, from whatever it holds.
//
//	Open ── Target: the manifest of a build, verified
//	  │
//	Compare ── Folder: locked; files that are right, that are to be made, that go, that stay
//	  │
//	Plan ── what the files contain (local), what is missing (contents), what is cheapest (choose)
//	  │                                            └── Plan: plain data, as JSON too
//	Apply ── fetch ranges ── apply patches ── make files of contents ── put them into place
//
// The version that the folder has does not matter, nor whether it is one: contents
// are compared. Where a patch between files is cheaper, it is used. What is wrong is
// asked for again, elsewhere if there is an elsewhere.
//
// Files in reading order: request.go, remote.go and trusted.go (what is asked of whom, how
// often, and which are believed), plan.go (the data; parts; what an earlier run left),
// frames.go (lists of the store), disk.go (the folder), compare.go, trees.go (recipes;
// local.go has what the folder's files contain), patches.go, contents.go, fetch.go, make.go,
// stages.go (optional parts, one after the other), place.go, virtual.go (files that are read
// and not written), overlay.go (an archive over those that are installed), update.go (Open,
// Compare, Plan), apply.go, preload.go.
package update
