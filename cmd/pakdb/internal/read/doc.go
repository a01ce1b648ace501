// Package read has the commands that read archives and contents, and need no catalog:
// ls, info, cat, extract, unpack, verify, pkg and show.
//
// Files in reading order: commands.go, show.go, info.go, unpack.go, extract.go,
// as_json.go (cat --as), pkg.go, pkg_values.go, extract_zen.go and pkg_zen.go (packages
// of IoStore containers), cat.go, verify.go, content.go (contents read in parallel),
// ls.go, ls_long.go.
package read
