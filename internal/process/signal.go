package process

import (
	"context"
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
	var asked []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			asked = append(asked, s)
		}
	}
	if asked == nil {
		return context.WithCancel(context.Background())
	}
	ctx, stop = signal.NotifyContext(context.Background(), asked...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
