// Package cli is what all commands share: the App with its streams, global flags, keys
// and registry of formats; flags and completions that several commands have; errors
// with hints and their exit codes; how results, progress and sizes are shown; how entries of
// an archive are chosen; results as JSON and JUnit XML; sizes of transports.
//
// A command is a function runX(ctx, app, xOptions, args) and a cobra.Command that fills
// the options. It writes results by App.Rows to Stdout, messages to Stderr, and returns
// an error; App.Run reports that, and turns it into the exit code.
package cli
