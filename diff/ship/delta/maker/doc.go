// Package maker makes transport patches: it explains every byte of the new files by
// the old ones, in the fewest bytes it finds, and proves the patch by executing it.
//
//	Make ── old, new inside.Build ── pairing ── a fileMaker for each new file
//	                                                  │
//	   for each extent: the same stored bytes? ── copy
//	                    tables? ── tablePair ── prediction
//	                    decoded content? ── sources, recognizer ── delta, recipe
//	                    runs of old or own bytes? ──────────────── copies
//	                    else ── literals
//	                                                  │
//	                     output ── program.Emitter ── segments ── proof ── header, frame
//
// Where a byte is decided: fileMaker.extent (filemaker.go) is asked for the extents of a
// new file in order, and decides which strategy explains each. The strategies say what
// they found as plain data, and change nothing: pairing (the same bytes elsewhere),
// tablePair (what tables will be), sources (old content that resembles new content),
// recognizer (by which recipe a block was made), oldRuns and ownContent (stored bytes
// that are elsewhere), chunkIndex (content that moved between entries). output takes
// what was decided, and knows how far the file is explained. plain.go makes small builds
// a second time without formats and keeps the shorter patch.
//
// The proof runs beside the maker: a second goroutine executes each finished
// segment as a client will, and compares its output with the new files
// (proof.go, compared.go). What was assumed of recipes and turns out wrong has the
// patch made again without it (trust.go).
//
// Files in reading order: proof.go (what is checked), pair.go, moved_content.go, runs.go,
// solid.go and sources.go (strategies), output.go, tables.go, content.go (which strategy for
// which extent), make.go; estimate.go compares ways of transport.
package maker
