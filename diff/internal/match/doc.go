// Package match matches removed entries with added ones: renames, and moves between
// archives. Each way to recognise a rename is a function that joins rows of equal
// keys, the surest way first; what is left over passes on to the next.
//
//	Pairs of one side ─► open rows ─► GUID, id, case, content, asset, similarity, file ─► Pairs of two
//
// The ways are the same for both directions: comparing the new build with the old one
// finds the same pairs.
//
// Files in reading order: rename.go (Renames, Moves), identity.go (GUIDs, ids), name.go
// (case, content), asset.go (the files of one asset), similar.go (sketches), match.go
// (what is left over, and how rows of equal keys are joined), pair.go (what happened).
package match
