// Command pakdb is git and SQL for game archives.
package main

import (
	"os"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
	"pakdb/internal/process"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := process.Context()
	defer stop()
	a := cli.New(os.Stdin, os.Stdout, os.Stderr, all.Registry)
	return execute(ctx, a, os.Args[1:])
}
