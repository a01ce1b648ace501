// Package program has the operations of patches: an [Emitter] writes them and a
// [Machine] executes them. docs/pkdelta.md specifies each; ops.go lists them and
// the contexts in which their numbers are coded.
//
//	Emitter ── numbers, content ── delta.Encoder ── segment ── delta.Decoder ── Machine ── Output
//	   │                                                            │
//	   └── the state that both keep: last copies, source, tables, moves ──┘
//
// Both sides keep the same state (the last copies, the source of content, tables
// that were read), because numbers are coded relative to it. A segment begins with
// an empty one.
//
// A Machine reads old files through [OldFiles] and writes to an [Output]: a file,
// or a [Virtual] one, which only remembers where its bytes lie. What a hostile
// patch may have it do is bounded by work.go.
//
// Files in reading order: ops.go, work.go (bounds the effort), spool.go and
// virtual.go (outputs that are not written yet), source.go (ranges and old
// content), machine.go, then its operations: copying.go, recompress.go,
// digesting.go, queue.go and moves.go with tables.go; emit.go, and seal.go
// (encryption) for both sides.
package program
