// Package copies has the commands that copy builds of a catalog to other engines: export.
//
// Files in reading order: commands.go, export.go, choose.go.
package copies
