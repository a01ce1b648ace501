// Package publish makes a build visible: it computes what follows from all of its rows
// together, in one transaction.
//
//	mounts --> what hides what --> what ids and names stand for --> contents that sums tell --> complete
//
// Reading order:
//
//   - shadow.go: which entries a game does not see
//   - publish.go: the steps (symbols.sql, symbols_named.sql, chunk_names.sql, links.sql,
//     value_refs.sql)
package publish
