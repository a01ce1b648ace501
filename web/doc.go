// Package web is the explorer in a browser: one handler of HTTP, which serves a page for
// each address, the data after it as JSON, and nothing that writes. It has no SQL of its
// own: its facts come from query, query/explore and diff.
//
//	request --> guard (host, site, token) --> address --> page: always the same HTML
//	                                                  `-> data: builds, folders, files, comparisons, SQL
//
// Addresses and data are in docs/serve.md. Limits are those of [Limits]; a request for
// more gets the one that was met, and how the command line does it.
//
// Reading order:
//
//   - address.go: what an address names
//   - guard.go: which requests are answered
//   - problem.go, table.go: answers
//   - server.go: Server, and which address has which answer
//   - builds.go, folder.go, file.go, content.go, compare.go, graph.go, sql.go: what pages ask for
//   - slots.go, cache.go: how much at once, and what is kept
package web
