// Package views has the views of the catalog, which are what users query, and the ways
// in which they are written.
//
//	*.sql --> Create --> the catalog, for any SQLite
//	stored views --> Spelling --> temporary views of one connection, for one statement
//
// All spellings of a view yield the same rows. Reading order:
//
//   - views.go: makes the views, and compares them with those that are stored
//   - textmodule.go, texts.go: virtual tables that know the id of a path, a hash, an id in hex
//   - spelling.go: rewrites the views to use them, and to leave out what a statement does not use
package views
