// Package inside lists the extents of the files of a build: for each file a [Layout] of
// extents, stored blocks or runs of stored bytes that do not overlap, each with its method,
// size and hash; for the build its entries.
//
//	delta.OpenFiles ── delta.Input ── NewBuild ── Build{Layout{Extent...}, Entry...} ── Hash
//
// Only here formats are asked what a file is, and what they say is tried before
// anything depends on it: a block that does not decode becomes plain bytes.
//
// Files in reading order: layout.go (extents and entries), regions.go (what is
// encrypted), hash.go (Hash).
package inside
