// Package compare has the commands that compare builds, diff and log, and those about
// mountable patches, patch build, check and merge.
//
// Files in reading order: commands.go, log.go, log_inside.go (log
// --semantic), diff.go, inside.go (--semantic, entries, --impact), page.go (HTML,
// Markdown), print.go, folders.go, fold.go, filter.go, options.go; patch.go,
// patch_merge.go, patch_log.go (check of a folder alone), patch_check.go, patch_build.go,
// patch_choice.go (--only, --exclude), patch_options.go, patch_print.go, patch_header.go (of
// IoStore containers).
package compare
