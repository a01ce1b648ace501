// Command pakdb is git and SQL for game archives.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		// A second Ctrl-C ends the process at once, as people expect.
		<-ctx.Done()
		stop()
	}()
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	return a.execute(ctx, os.Args[1:])
}
