// Package compare has the commands that compare builds: diff and log.
//
// Files in reading order: commands.go, log.go, log_inside.go (log
// --semantic), diff.go, inside.go (--semantic, entries, --impact), page.go (HTML,
// Markdown), print.go, folders.go, exact.go (--exact), filter.go, options.go.
package compare
