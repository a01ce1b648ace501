// Package export copies builds of a catalog to other engines: every view that has rows of a
// build, with its columns and their types as SCHEMA.md describes them.
//
// [Build] writes files into a folder, which has a folder for each view and in it one for
// each build, named as Hive names partitions:
//
//	DIR/entries/build=1.52/part-0.parquet
//	DIR/_builds/build=1.52/_SUCCESS.json   rows, sizes and hashes; written last
//	DIR/duckdb.sql                         the views, for DuckDB
//
// Each file is written under a temporary name, read back and renamed. A build is complete
// when its _SUCCESS.json exists, which an export removes first. [Server.Push] sends these
// files to ClickHouse, and [Server.Ask] asks it.
//
// Reading order:
//
//   - formats.go: the views, and the rows of a build as CSV, lines of JSON and Parquet
//   - build.go: a build as files of a folder, its _SUCCESS.json, and the views in DuckDB
//   - server.go: ClickHouse
package export
