// Package maker makes transport patches: it explains every byte of the new files
// by the old ones, in the fewest bytes it finds, and proves the patch by executing
// it.
//
//	Make ── old, new inside.Build ── pairing ── a fileMaker for each new file
//	                                                  │
//	   for each extent: the same stored bytes? ── copy
//	                    tables? ── derive, predict
//	                    decoded content like an old one's? ── source, delta, recipe
//	                    runs of old or own bytes? ──────────── copies
//	                    else ── literals
//	                                                  │
//	                             program.Emitter ── segments ── proof ── header, frame
//
// Where a byte is decided: fileMaker.use (content.go) walks the extents of a new
// file in order and asks, for each, pair.go (the same bytes elsewhere), derive.go
// (tables), content.go (content by content), runs.go with copyruns.go and
// own.go (stored bytes), moved_content.go (content that moved between
// entries). plain.go makes small builds a second time without formats and keeps
// the shorter patch.
//
// The proof runs beside the maker: a second goroutine executes each finished
// segment as a client will, and compares its output with the new files
// (proof.go, compared.go). What was assumed of recipes and turns out wrong has the
// patch made again without it (trust.go).
//
// Files in reading order: compared.go, digest.go and
// proof.go (what is checked), pair.go, filemaker.go, the strategies chunk.go,
// moved.go, front.go, moved_content.go, runs.go, copyruns.go, own.go, solid.go and
// derive.go; make.go, container.go, move.go, plain.go, content.go (which strategy
// for which extent), trust.go; estimate.go compares ways of transport.
package maker
