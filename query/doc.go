// Package query answers questions about a catalog: SQL that cannot write, with
// parameters, in several output formats; named queries with help; the SQL
// functions that such questions need; and the search for texts and paths.
//
//	text --> lex --> Statement --> DB --> session --> rows --> Output
//	                                `--> describe: what was meant
//
// # Reading order
//
//   - lex.go: statements, parameters and their values
//   - errors.go: what is wrong with a statement that failed
//   - db.go: what callers use, the connection, and statements that end when their context does
//   - named.go: named queries
//   - output.go, formats.go, table.go: results
//   - functions.go: SQL functions; contents.go: the bytes of contents, for these and for others
//   - find.go: [Finder], the texts and paths that match, where they are, and search() in SQL
//
// # Parameters
//
// A parameter is written :name, @name or $name in SQL, and given by name
// ([Args]). [ParseValue] decides the type of a value given as text. The
// parameter build is the newest build when it is not given. Values without a
// name bind ?, ?1, ?2 and so on.
//
// # Output
//
// Integers and reals are written so that they read back the same. NULL is
// [Output.Null] in text formats, which is empty by default, and null in JSON.
// Blobs are x'0badf00d' in text formats and a string of hex digits in JSON.
// A cell is never cut, except in a table for a terminal ([Output.Width]).
//
//   - table: a box; numbers to the right; control characters as escapes. It is
//     as wide as its first 1,000 rows need, and a later cell that is wider
//     moves its row's border. One for a terminal is at most as wide as that: a
//     path loses its middle, another text its end, a number nothing. With more
//     columns than that helps, the result is written as line.
//   - json: one array of objects for each result, one object a line; several
//     results are several arrays, one after the other, as jq reads them.
//   - jsonl: one object a line, those of all results one after the other.
//   - csv: RFC 4180, lines end in a newline.
//   - tsv: tab, newline, carriage return and backslash are \t \n \r \\.
//   - md: a table of GitHub Flavored Markdown.
//   - line: one "name = value" a line, an empty line between rows.
//
// A column name that occurs twice keeps its name in all formats but JSON, where
// the second becomes name_2. An empty result is [] in json, the header alone in
// csv, tsv and md, and nothing in jsonl, line and table. In text formats an
// empty line separates two results.
package query
