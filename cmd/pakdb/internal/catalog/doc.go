// Package catalog has the commands that make the catalog and ask it: index, query, find,
// refs and rm; export and push, which copy its builds to other engines; and serve, which
// shows it in a browser.
//
// Files in reading order: commands.go, index.go, index_catalogs.go (other catalogs),
// query.go, query_on.go, find.go, refs.go, refs_draw.go, rm.go, export.go, push.go,
// copies_choose.go, serve_options.go (flags), serve_listen.go (the server's life), serve.go.
package catalog
