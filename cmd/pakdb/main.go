// Command pakdb is git and SQL for game archives.
package main

import (
	"os"

	"pakdb/internal/process"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := process.Context()
	defer stop()
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	return a.execute(ctx, os.Args[1:])
}
