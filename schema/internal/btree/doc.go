// Package btree reads tables of a database by its pages, whose format is public
// (https://sqlite.org/fileformat2.html). A row costs a twentieth of what a statement
// takes for it, which pays where all rows of a build are read.
//
// SQLite alone reads the file: pages come from its virtual table sqlite_dbpage, so
// locks, logs and page sizes are its business. All pages are of one state as long as the
// statements run within [conn.Statements.Together].
//
// It also writes the indexes of a catalog's first build, whose rows are all there: a million
// rows cost a third of what CREATE INDEX takes.
//
// Nothing is believed: what does not fit is [ErrDamaged].
//
// Reading order:
//
//   - pages.go: pages, and some of them kept
//   - record.go: rows as bytes, and their values
//   - tree.go: where the rows of a table are
//   - cursor.go: from row to row
//   - build.go: a new index
package btree
