package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// ErrNotTerminal means that nobody can be asked.
var ErrNotTerminal = errors.New("standard input is not a terminal")

// AskPassword asks on w and reads a line from a terminal, which does not show it.
// When ctx is done, the terminal shows again what is typed, and the error is that of
// ctx. Without a terminal it is ErrNotTerminal.
func AskPassword(ctx context.Context, in io.Reader, w io.Writer, prompt string) (string, error) {
	f, isFile := in.(*os.File)
	if !isFile || !Is(in) {
		return "", ErrNotTerminal
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	fd := int(f.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	if err := hideTyping(fd); err != nil { // before the question: quick typing must not be shown
		return "", err
	}
	defer func() { _ = term.Restore(fd, before) }()
	if _, err := io.WriteString(w, prompt); err != nil {
		return "", err
	}
	type answer struct {
		text []byte
		err  error
	}
	read := make(chan answer, 1)
	go func() { // a read cannot be interrupted: it is left
		text, err := term.ReadPassword(fd)
		read <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(w)
		return "", context.Cause(ctx)
	case a := <-read:
		_, _ = fmt.Fprintln(w)
		return string(a.text), a.err
	}
}

// Patience is how long work takes before a [Wait] says so.
const Patience = time.Second

// Wait is a line of a terminal that says how long something takes. It is there from
// [Patience] on and until the first write through it, for then there is something
// else to see.
type Wait struct {
	w    io.Writer
	stop func()
}

// StartWait begins to count on w, a terminal. text is written before the time; hint,
// unless it is empty, once, in a line above that stays. The caller calls Stop.
func StartWait(w io.Writer, text, hint string) *Wait {
	begun := time.Now()
	done := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() { show(w, text, hint, begun, done) })
	return &Wait{w: w, stop: sync.OnceFunc(func() {
		close(done)
		showing.Wait()
	})}
}

// show writes the line every second until done is closed, and then clears it.
func show(w io.Writer, text, hint string, begun time.Time, done <-chan struct{}) {
	tick := time.NewTicker(Patience)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-done:
			if shown {
				_, _ = io.WriteString(w, "\r\x1b[K")
			}
			return
		case now := <-tick.C:
			if hint != "" && !shown {
				_, _ = fmt.Fprintln(w, "hint: "+hint)
			}
			shown = true
			_, _ = fmt.Fprintf(w, "\r%s: %s (Ctrl-C ends it)\x1b[K", text, now.Sub(begun).Truncate(time.Second))
		}
	}
}

// Stop clears the line. It does no harm twice, or to nil.
func (l *Wait) Stop() {
	if l != nil {
		l.stop()
	}
}

// Before returns a writer to w that clears the line before the first write. A nil
// Wait returns w.
func (l *Wait) Before(w io.Writer) io.Writer {
	if l == nil {
		return w
	}
	return &after{w, l}
}

type after struct {
	io.Writer
	wait *Wait
}

func (a *after) Write(p []byte) (int, error) {
	a.wait.Stop()
	return a.Writer.Write(p)
}
