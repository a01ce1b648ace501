package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that is done when a signal asks the process to end:
// Ctrl-C, SIGTERM, or SIGHUP, which a closed terminal sends. A second signal ends
// the process at once, as people expect. The caller calls stop at the end.
//
// A signal that was ignored when the process started stays so: that is how nohup
// keeps a process alive. From now on writing to a pipe without a reader is an
// error, see [BrokenPipe], where Go would end the process on the spot and leave
// temporary files behind.
func Context() (ctx context.Context, stop func()) {
	pipe := make(chan os.Signal, 1) // nobody receives: the write fails as well
	signal.Notify(pipe, syscall.SIGPIPE)
	ctx, stop = notify(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Stopped adds [context.Canceled] to the error of a run that a signal has ended: a call that
// is stopped in its middle may fail in words of its own, as SQLite's "interrupted".
func Stopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

// WithTermination is Context without Ctrl-C, for a prompt, which has a use of its
// own for that.
func WithTermination(ctx context.Context) (terminated context.Context, stop func()) {
	return notify(ctx, syscall.SIGTERM, syscall.SIGHUP)
}

func notify(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	var asked []os.Signal
	for _, s := range signals {
		if !signal.Ignored(s) {
			asked = append(asked, s)
		}
	}
	if asked == nil { // for which NotifyContext takes all signals
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, asked...)
}
