// Package cli is what all commands share: the App with its streams, global flags, keys
// and registry of formats; flags and completions that several commands have; errors
// with hints and their exit codes; how results, progress and sizes are shown; how entries of
// an archive are chosen; results as JSON and JUnit XML; sizes of transports.
//
// A command is a function runX(ctx, app, xOptions, args) and a cobra.Command that fills
// the options. It writes results by App.Rows to Stdout, messages to Stderr, and returns
// an error; App.Run reports that, and turns it into the exit code.
//
// Files in reading order: help.go (groups, topics), shared.go (flags of several commands),
// rows.go (results: tables, --format), flags.go, options.go,
// sql.go (the catalog for SQL of users), contents.go, errors.go, damaged.go, palette.go,
// size.go, progress.go, app.go, keys.go, screen.go (the pager), text.go, exit.go (codes),
// choose_selection.go (patterns), choose_find.go (names), choose_names.go, result.go,
// result_commands.go, result_junit.go, transport.go (what an update costs).
package cli
