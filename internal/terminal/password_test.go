//go:build linux

package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"pakdb/internal/terminal"
	"pakdb/internal/terminal/ptytest"
	"pakdb/internal/testkit"
)

const askVariable = "ASK_PASSWORD"

// TestMain is also the command that the tests run on a terminal: it asks.
func TestMain(m *testing.M) {
	switch os.Getenv(askVariable) {
	case "":
		os.Exit(testkit.Main(m))
	case "cancelled":
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := terminal.AskPassword(ctx, os.Stdin, os.Stderr, "Password: ")
		fmt.Println("canceled:", errors.Is(err, context.Canceled))
	default:
		text, err := terminal.AskPassword(context.Background(), os.Stdin, os.Stderr, "Password: ")
		fmt.Printf("got %d bytes, %v, is it? %t\n", len(text), err, text == "a password")
	}
}

func ask(t *testing.T, how string) *ptytest.Terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), askVariable+"="+how)
	return ptytest.Start(t, cmd, 60, 10)
}

func TestPasswordIsNotShown(t *testing.T) {
	term := ask(t, "once")
	term.WaitFor("Password: ")
	term.Type("a password\r")
	if code, text := term.Wait(); code != 0 || strings.Contains(text, "a password") || !strings.Contains(text, "got 10 bytes, <nil>, is it? true") {
		t.Errorf("%d %q", code, text)
	}
}

func TestPasswordIsCancelled(t *testing.T) {
	if code, text := ask(t, "cancelled").Wait(); code != 0 || !strings.Contains(text, "canceled: true") {
		t.Errorf("%d %q", code, text)
	}
}

func TestNobodyToAsk(t *testing.T) {
	if _, err := terminal.AskPassword(t.Context(), strings.NewReader("x\n"), os.Stderr, ""); !errors.Is(err, terminal.ErrNotTerminal) {
		t.Errorf("%v", err)
	}
}
