// Package operand resolves what the arguments of commands stand for: files, builds of
// the catalog, archives of builds, archives within archives, entries of them all; and
// opens them. It also completes such arguments in shells.
//
//	text ── locate.Name ── Source ── Archive (by Open)
//	two texts ── Sides: two builds of one catalog, which may be a temporary one
//
// Files in reading order: sides.go, complete.go, names.go (Sources), inside.go (archives
// within archives), lookup.go (entries in the catalog), kept.go (contents of
// archives that are gone), spool.go (contents as files), archive.go.
package operand
