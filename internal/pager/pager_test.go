//go:build linux

package pager_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pakdb/internal/pager"
	"pakdb/internal/terminal/ptytest"
)

// TestMain is also the command that the tests run on a terminal: it writes lines.
func TestMain(m *testing.M) {
	if n := os.Getenv("LINES_TO_WRITE"); n != "" {
		os.Exit(write(n))
	}
	os.Exit(m.Run())
}

func write(n string) int {
	count := 0
	_, _ = fmt.Sscan(n, &count)
	ctx, p := pager.New(context.Background(), os.Stdout)
	if p == nil {
		fmt.Println("no pager")
		return 9
	}
	_, beside := fmt.Fprintln(p.Beside(os.Stderr), "beside")
	for i := range count {
		if _, err := fmt.Fprintf(p.Stdout(), "line %d\n", i); err != nil || beside != nil {
			return 8
		}
	}
	if os.Getenv("ENDLESS") != "" {
		<-ctx.Done()
	}
	shown, err := p.Close(ctx.Err())
	if _, again := p.Close(nil); errors.Join(err, again) != nil {
		return 7
	}
	if shown {
		return 5
	}
	return 0
}

func start(t *testing.T, lines int, env ...string) *ptytest.Terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "PAGER=", "LINES=", "COLUMNS=", fmt.Sprint("LINES_TO_WRITE=", lines)), env...)
	return ptytest.Start(t, cmd, 40, 10)
}

func TestWhatFitsIsNotPaged(t *testing.T) {
	code, text := start(t, 9, "PAGER=sed s/^/paged:/").Wait()
	if want := "beside\r\n" + joined("line %d", 9); code != 0 || text != want {
		t.Errorf("%d %q, want %q", code, text, want)
	}
}

func TestWhatDoesNotFitIsPaged(t *testing.T) {
	for _, n := range []int{10, 5000} {
		code, text := start(t, n, "PAGER=sed s/^/paged:/").Wait()
		if want := "beside\r\n" + joined("paged:line %d", n); code != 5 || text != want {
			t.Errorf("%d %.100q, want %.100q", code, text, want)
		}
	}
}

func TestEnvironmentOfThePager(t *testing.T) {
	for env, want := range map[string]string{"": "FRX -c", "LESS=S": "S -c"} {
		_, text := start(t, 50, `PAGER=echo "$LESS" $LV`, env).Wait()
		if text != "beside\r\n"+want+"\r\n" {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

func TestWithoutPager(t *testing.T) {
	for _, command := range []string{"", " ", "cat"} {
		if code, text := start(t, 50, "PAGER="+command).Wait(); code != 9 {
			t.Errorf("%q: %d %q", command, code, text)
		}
	}
	if _, p := pager.New(t.Context(), io.Discard); p != nil {
		t.Error("a pager for what is no terminal")
	}
}

// Who leaves early hears no complaint, and what would go on for ever ends.
func TestLeavingEarly(t *testing.T) {
	begun := time.Now()
	code, text := start(t, 100000, "PAGER=head -n 2").Wait()
	if want := "beside\r\nline 0\r\nline 1\r\n"; code != 5 || text != want {
		t.Errorf("%d %q, want %q", code, text, want)
	}
	if code, text = start(t, 20, "PAGER=head -n 1", "ENDLESS=1").Wait(); code != 5 || text != "beside\r\nline 0\r\n" {
		t.Errorf("endless: %d %q", code, text)
	}
	t.Log(time.Since(begun))
}

// Ctrl-C is the pager's: it may come any number of times. Each one ends a read of the
// shell, and empties what the terminal holds, so nothing is typed before it was heard.
func TestInterruptIsThePagers(t *testing.T) {
	term := start(t, 50, `PAGER=n=0; trap 'n=$((n+1)); echo "heard $n"' INT; cat >/dev/null; echo ready
until [ "$x" = end ]; do read x </dev/tty; done; echo "left by $x"`)
	term.WaitFor("ready")
	for i := range 3 {
		term.Type("\x03")
		term.WaitFor(fmt.Sprintf("heard %d", i+1))
	}
	term.Type("end\n")
	if code, text := term.Wait(); code != 5 || !strings.Contains(text, "left by end") {
		t.Errorf("%d %q", code, text)
	}
}

func joined(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\r\n", i)
	}
	return b.String()
}
