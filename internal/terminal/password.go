package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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
	if err := hideTyping(fd); err != nil { // before the question: who is quick must not be shown
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
