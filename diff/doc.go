// Package diff compares two builds, from the catalog alone.
//
// [Compare] reads both builds once, in archive order and with nothing but
// integers: path, content, sizes, and how an entry is stored. The two sides are
// sorted by path and merged; names and hashes are looked up for what changed.
// Archives that both builds mount are passed over, unless an archive that only
// one of them mounts has an entry of the same path.
//
// An entry is compared as the game sees it, after mounting: of several entries
// with one path the archive that is mounted on top wins, and a delete record
// hides those of lower mount orders. [Options.PerArchive] compares entry by entry instead.
//
// What is gone and what is new are matched to renames: by identity (the GUID
// that a Marvel Heroes directory gives a file, an asset id, a path hash, a path
// that differs in case alone), then by equal content, then by similar content.
//
// The files that Unreal Engine 4 and 5 cook one asset to are one change, unless
// [Options.Files] is set. Contents of Unreal packages that differ in nothing but
// GUIDs and hashes are recognised by digests that the scan stored.
//
// All of it is for one catalog: ids of paths and contents mean the same in both
// builds, so nothing is hashed or read again.
//
//	labels ─► internal/side ─► rows that may differ ─► internal/match ─► pairs ─► Result ─► Changes
//	Result ─► Ways (of transport), Impact (what depends on it)
//	Change ─► semantic (what changed inside), Totals, rows
//	path   ─► Find, History (all builds)
//
// Files in reading order: compare.go (Compare), result.go (Result), note.go, find.go,
// files.go, rows.go, totals.go, change.go (Kind, Change, File); history.go, version.go;
// impact.go; ways.go (Ways), chunks.go, delta.go, shipment.go; stacks.go (LoadStacks, for patches).
package diff
