// Package conn opens the connections of a catalog and runs statements on them. It is
// what the rooms of schema share of SQLite.
//
//	Go values --> Source (temp.src) --> INSERT ... SELECT --> Writer --> log --> file
//	keys      --> Source (temp.src) --> look-up --> Finder --> rows, past database/sql
//
// Reading order:
//
//   - errors.go: what errors of SQLite mean for a catalog
//   - query.go: small and fast ways to read rows
//   - source.go: Go values as a table that statements read from
//   - connect.go: how each kind of connection is opened
//   - writer.go: the connection that writes
//   - finder.go: look-ups beside the writer
package conn
