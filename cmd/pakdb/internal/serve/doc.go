// Package serve has the command that shows the catalog in a browser: serve.
//
// Files in reading order: options.go (flags, what is served to
// whom), listen.go (the server's life), serve.go.
package serve
