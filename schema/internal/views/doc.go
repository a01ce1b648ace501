// Package views has the views of the catalog, which are what users query, and virtual
// tables of the same names.
//
//	*.sql --> Create --> the catalog, for any SQLite
//	stored views --> Tables --> virtual tables of one connection, for statements of users
//
// A view has the same rows either way. Reading order:
//
//   - views.go: makes the views
//   - table.go: the virtual tables, and the plans that SQLite chooses from
//   - compared.go: which texts a statement only compares with each other, so that it gets ids
//   - cursor.go: which rows a plan finds, and from where
//   - filter.go: conditions that rows fail before SQLite sees them
//   - find.go: conditions that an index of the file serves
//   - read.go: rows from a stored view, or past SQL
//   - store.go: rows in memory, and hash indexes of them
package views
