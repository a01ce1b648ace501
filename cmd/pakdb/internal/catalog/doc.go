// Package catalog has the commands that make the catalog, ask it and look after it:
// index, merge, query, find, shell, deps, refs, rm and catalog check; export and push, which
// copy its builds to other engines; and serve, which shows it in a browser.
//
// Files in reading order: commands.go, index.go, merge.go, query_on.go, query.go,
// find.go, deps.go, deps_draw.go, shell.go, rm.go, catalog.go, export.go, push.go,
// copies_choose.go, serve_options.go (flags), serve_listen.go (the server's life), serve.go.
package catalog
