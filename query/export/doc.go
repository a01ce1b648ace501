// Package export writes builds of a catalog into a folder, as files that other engines
// read: the views of package portable, a folder for each view and in it one for each
// build, named as Hive names partitions.
//
//	DIR/entries/build=1.52/part-0.parquet
//	DIR/_builds/build=1.52/_SUCCESS.json   rows, sizes and hashes; written last
//	DIR/duckdb.sql                         the views, for DuckDB
//	DIR/metadata.json                      the views of the catalog, for Datasette
//
// Each file is written under a temporary name, read back and renamed. A build is complete
// when its _SUCCESS.json is there, which an export removes first.
//
// Reading order:
//
//   - folder.go: the files of a folder, and what its _SUCCESS.json says
//   - formats.go: rows as Parquet, CSV or lines of JSON
//   - build.go: a build as files
//   - beside.go: what helps others to read the folder
package export
