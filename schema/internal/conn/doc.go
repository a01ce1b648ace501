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
//   - connect.go: how each kind of connection is opened; the one that writes, look-ups beside it,
//     and Go values as a table that both read from
package conn
