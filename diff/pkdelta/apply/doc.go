// Package apply turns old files into new ones by a transport patch, on a disk:
// under temporary names, in place by way of a journal, or by appending to
// archives. It needs no catalog, no SQL and no maker; a launcher links it.
//
//	NewPlan ── finds the old files, finishes an update that was interrupted
//	   │
//	Prepare ── what is to be written, and how much room that takes (the bill)
//	   │
//	Apply ── segments ── program.Machine ── NewFiles: temporary files ── hashes ── renames
//	                                      ├ InPlace: journal ── changes ── journal gone
//	                                      └ Append: behind the archive ── record, index, footer
//
// A new file has its declared hash before it gets its name. All files of a folder
// change together: a journal says what is to become of each until all have. After
// a kill at any point, [Recover] finishes the update or takes it back.
//
// Files in reading order: refusal.go, bill.go, describe.go, plan.go, compact.go, obstacles.go, resume.go (fresh files,
// and going on after an interruption), undo.go and placed.go (in place), append.go,
// apply.go, lock.go, space.go, recover.go, journal.go, inputs_same.go, record.go (of
// what was appended).
package apply
