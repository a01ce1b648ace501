// Package overlay decides how one build of a game becomes another by archives that
// the game itself mounts, writes those archives, and proves them.
//
// A [Stack] is what is mounted: the archives of files on disk, of a build that a
// catalog lists (package patch), or of a build with patches on top. Of its entries a game sees one for
// each file, by mount order, delete records and case. [Make] compares two
// stacks and says which files a patch must hold; [Plan.Write] writes it beside
// its final place, mounts it over the old stack, compares the result with the
// new one file by file, and only then gives the patch its name.
//
// What decides is the content: the BLAKE3 of the decoded bytes, from the catalog
// where it is known, else computed. Stored bytes are passed through untouched
// wherever the format can hold them, so that a patch costs what it carries.
//
//	listed, files    ── Stack ──┐
//	                            ├─ Make ── Plan ── Write ── archives, manifest ── proof ── names
//	listed, files    ── Stack ──┘
//
// Files in reading order: stack.go (what is mounted, and what a game sees of it), plan.go
// (what a patch is, and which archives can be patched), select.go (which files a patch must
// hold), disk.go (stacks from files), taken.go (names, warnings), layout.go (into which
// archives), rebuild.go, check.go, merge.go (patches on patches), manifest.go, prove.go (the
// result against the new build), write.go.
package overlay
