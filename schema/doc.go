// Package schema is the catalog of builds: one SQLite file that holds what pakdb knows
// about builds. No other package of the module knows the SQLite driver of the catalog,
// and it knows nothing of archive formats.
//
// [Open] makes or opens a catalog for writing; a [Build] collects one build
// and becomes visible all at once. [OpenReadOnly] serves queries and cannot
// write, whatever SQL it is given.
//
//	Build.Add --> write.Batch --> write.Pipeline --> write.Publication --> views --> queries
//
// Tables change with the layout; the views (package views, documented in
// SCHEMA.md) are the stable surface. The work is done in rooms below: record (what a
// scan hands over), conn (connections of SQLite), file (the file and its lock),
// layout (schema.sql) and views, and write (rows on their way in and out).
//
// Reading order:
//
//   - nouns.go: names for what is defined in rooms below
//   - schema.go: a catalog opened for writing; check.go: checks of pages, and of all that pakdb relies
//     on; how long a check holds
//   - build.go: what a scan calls
//   - targets.go: what a scan asks the catalog, and adds when all entries are there
//   - merge.go: builds of another catalog are copied
//   - readonly.go, limits.go: queries of users, which cannot write; damaged archives of a build
//   - edits.go: changes of values that statements ask for
package schema
