// Package operand resolves what the arguments of commands mean: files, builds of
// the catalog, archives of builds, archives within archives, entries of them all; and
// opens them. It also completes such arguments in shells.
//
//	text ── locate.Name ── Source ── Archive (by Open)
//	two texts ── Sides: two builds of one catalog, which may be a temporary one
package operand
