package catalog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/web"
)

// listen serves until ctx is done. What is asked for then has two seconds to end.
func listen(ctx context.Context, a *cli.App, handler *web.Server, o options, catalog string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return cli.WithHint(err, "--addr 127.0.0.1:0 takes any port that is free")
	}
	debug.SetGCPercent(50) // what is kept is small beside what one question takes for a moment
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	server := &http.Server{Handler: handler, BaseContext: func(net.Listener) context.Context { return serving },
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 512 << 10}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	address := "http://" + shownAddress(listener.Addr().String()) + "/"
	if _, err := fmt.Fprintf(a.Stderr, "pakdb: %s is at %s until Ctrl-C\n", catalog, address); err != nil {
		return errors.Join(err, server.Close())
	}
	if o.open {
		if err := openBrowser(ctx, address); err != nil {
			a.Warn("no browser was opened: " + err.Error())
		}
	}
	go func() { _ = handler.Warm(serving) }() // later requests get the error
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop() // statements end
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return server.Close()
	}
	return nil
}

// shownAddress is one that a browser can be given.
func shownAddress(addr string) string {
	if port, ok := strings.CutPrefix(addr, "[::]:"); ok {
		return "localhost:" + port
	}
	if port, ok := strings.CutPrefix(addr, "0.0.0.0:"); ok {
		return "localhost:" + port
	}
	return addr
}

func openBrowser(ctx context.Context, address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	case "darwin":
		command = []string{"open", address}
	}
	return exec.CommandContext(ctx, command[0], command[1:]...).Start()
}
