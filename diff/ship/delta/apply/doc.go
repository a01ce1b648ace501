// Package apply turns old files into new ones by a transport patch, on a disk:
// under temporary names, or in place by way of a journal. It needs no catalog, no SQL
// and no maker; a launcher links it.
//
//	NewPlan ── finds the old files, finishes an update that was interrupted
//	   │
//	Prepare ── what is to be written, and how much room that takes (the bill)
//	   │
//	Apply ── segments ── program.Machine ── place:
//	                fresh      temporary files ── hashes ── renames
//	                placed     journal ── changes where files are ── journal gone
//
// A new file has its declared hash before it gets its name. All files of a folder
// change together: a journal says what is to become of each until all have. After
// a kill at any point, [Recover] finishes the update or takes it back.
//
// Files in reading order: plan.go (and the bill), find.go, placed.go, fresh.go (and going on
// after an interruption), apply.go (one file after the other), staging.go (temporary names,
// obstacles, old files that go), space.go, recover.go (and the lock), journal.go.
package apply
