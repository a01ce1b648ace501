// Package program has the operations of patches: an [Emitter] writes them and a
// [Machine] executes them. docs/pkdelta.md specifies each; ops.go lists them and
// the contexts in which their numbers are coded.
//
//	Emitter ── operands ── writer ── delta.Encoder ── segment ── delta.Decoder ── reader ── operands ── Machine ── sink ── Output
//	                └─────────── State: last copies, source, tables, digests ───────────┘
//
// What follows an operation is described once, by a code function of [State]: it codes
// the operands through a side, relative to the state, and changes the state. A writer
// writes the operands that an Emitter gives; a reader returns those that it reads. So
// both sides keep the same state. A segment begins with an empty one.
//
// A Machine reads old files through [OldFiles] and writes to an [Output]: a file,
// or a [Virtual] one, which only remembers where its bytes lie. What a hostile
// patch may have it do is bounded by work.go.
//
// Files in reading order: ops.go, coder.go (both sides of a segment), sink.go (outputs),
// source.go (ranges and old content), operands.go, prediction.go, machine.go, then its
// operations: digesting.go, tables.go; emit.go.
package program
