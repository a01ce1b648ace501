// Package pushed answers what package explore asks of builds, by copies of them that were
// pushed to ClickHouse, and runs statements of users there.
//
// All of it reads the views of package portable, with the limits of clickhouse.Client.Ask.
// They show complete builds alone. What views lack is not answered: classes, values, texts
// and contents of files. Three answers differ from the catalog's: searches find paths, ids
// and hashes, not texts; the order of archives is that of their names; and an entry without
// a path does not say what hides it.
//
// Reading order:
//
//   - source.go: Source, builds and their lists
//   - tree.go: folders
//   - entry.go: one entry, and a path in all builds
//   - search.go: what a person typed
//   - session.go: statements of users
package pushed
