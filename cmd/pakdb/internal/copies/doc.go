// Package copies has the commands that copy builds of a catalog to other engines: export
// and push.
//
// Files in reading order: commands.go, export.go, push.go, choose.go.
package copies
