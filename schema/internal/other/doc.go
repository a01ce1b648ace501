// Package other reads a catalog that is merged into another one, as a scan would have
// handed its rows over. It trusts nothing that it reads: what does not fit is an error
// that names the table and the field.
//
// Reading order:
//
//   - catalog.go: the catalog, opened at one moment; its builds, archives and mappings; rows, checked
//   - entries.go: the entries of an archive
//   - contents.go: what is known of contents,
//     and rows that only families of formats have, of contents and of values
package other
