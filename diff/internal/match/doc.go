// Package match compares the rows of two builds. Each step is a function from plain
// data to plain data:
//
//	Sides ─► merge ─► pairs that differ ─► order, public names, records: notes
//	      ─► renames ─► judge: what happened to each pair
//	      ─► estimate: bytes to download ─► cook noise ─► sorted ─► assets of several files ─► Outcome
//
// Renames, and moves between archives, match removed entries with added ones. Each way to
// recognise a rename is a function that joins rows of equal keys, the surest way first;
// what is left over passes on to the next. The ways are the same for both directions.
//
//	Pairs of one side ─► open rows ─► GUID, id, case, content, asset, similarity, file ─► Pairs of two
//
// Files in reading order: compare.go (Compare), merge.go, order.go, record.go,
// pair.go (what happened); match.go (Renames, Moves, and how rows of equal keys are joined),
// identity.go (GUIDs, ids), name.go (case, content), asset.go, similar.go (sketches);
// estimate.go (downloads, cook noise), assets.go, outcome.go.
package match
