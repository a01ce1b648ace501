// Package compare compares the rows of two builds. Each step is a function from plain
// data to plain data:
//
//	Sides ─► merge ─► pairs that differ ─► order, public names, records: notes
//	      ─► package match: renames ─► judge: what happened to each pair
//	      ─► estimate: bytes to download ─► cook noise ─► sorted ─► assets of several files ─► Outcome
//
// Files in reading order: compare.go (Compare), merge.go, order.go, public.go, record.go,
// estimate.go (downloads, cook noise), sort.go, asset.go, outcome.go.
package compare
