// Package portable is the part of the catalog that other engines can hold: views with
// the names of the catalog's, without ids that only one catalog knows, and queries of
// them that SQLite, DuckDB and ClickHouse answer alike.
//
// [Views] describes them once. What engines need follows from that: rows of a build in
// a fixed order ([View.Each]), statements that make the views of an exported folder
// ([DuckDB]), and the page docs/portable.md.
//
// Reading order:
//
//   - view.go: what a view is
//   - views.go: the views
//   - cell.go: the values of a row
//   - rows.go: the rows of a build, sorted, in little memory
//   - hot.go: the rows of entries, files and contents, past SQL
//   - record.go: rows as bytes that are sorted
//   - sort.go, merge.go: sorts more rows than memory holds
//   - queries.go, sql: the queries
//   - duckdb.go: the views in DuckDB
package portable
