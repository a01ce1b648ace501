// Package catalog has the commands that make the catalog, ask it and look after it:
// index, merge, query, find, shell, deps, refs, rm and catalog check.
//
// Files in reading order: commands.go, index_to.go, index.go, merge.go, query_on.go, query.go,
// find.go, deps.go, deps_draw.go, shell.go, rm.go, catalog.go.
package catalog
