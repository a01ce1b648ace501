// Package lifetime has SQL functions that say of each path in which builds it is, how
// often its content changed, where two builds differ, and how often builds have a content. A statement over the view entries looks at each entry of
// each build for that. Rows of entries hold for many builds, and most paths have rows of
// the same ones: what these mean is found once.
//
//	rows of entries --> validity: which editions --> set of builds that mount them --> a row for each path
//
// The functions read the catalog on a connection of their own, because they are called
// while a statement runs.
//
// Reading order:
//
//   - sets.go: the builds that rows hold for, and sets of them
//   - builds.go: path_builds
//   - changes.go: path_changes
//   - contents.go: pakdb_contents and pakdb_copies
//   - pairs.go: pakdb_pairs and pakdb_alone
//   - functions.go: what callers use
package lifetime
