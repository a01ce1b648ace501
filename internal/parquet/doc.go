// Package parquet writes Parquet files, whose format is public
// (https://parquet.apache.org/docs/file-format/): flat columns of texts, 64-bit integers
// and doubles, compressed with Zstandard. It reads none. The same rows give the same bytes.
//
// Columns of few values get a dictionary. Integers are packed as differences, texts are
// written after their lengths, and after what they share with the text before where that
// is worth it.
//
// Reading order:
//
//   - thrift.go: the encoding of headers and of the footer
//   - pack.go: numbers in few bits
//   - digits.go: hashes, which have no repetitions
//   - column.go: the values of a column, as pages
//   - writer.go: row groups and the footer
package parquet
