package ptytest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is a command that runs on a terminal, and what it has written there.
type Terminal struct {
	t       testing.TB
	cmd     *exec.Cmd
	control *os.File

	mu   sync.Mutex
	text bytes.Buffer
	read chan struct{} // all has been read
}

// Start starts cmd on a terminal of width by height cells. What of its streams is set
// is left as it is. The command is killed at the end of the test.
func Start(t testing.TB, cmd *exec.Cmd, width, height uint16) *Terminal {
	t.Helper()
	control, tty := open(t)
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: width, Row: height}); err != nil {
		t.Fatal(err)
	}
	if cmd.Stdin == nil {
		cmd.Stdin = tty
	}
	if cmd.Stdout == nil {
		cmd.Stdout = tty
	}
	if cmd.Stderr == nil {
		cmd.Stderr = tty
	}
	cmd.ExtraFiles = []*os.File{tty}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	// A shell has what it starts in the background ignore Ctrl-C, and the command would inherit it.
	if signal.Ignored(os.Interrupt) {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	term := &Terminal{t: t, cmd: cmd, control: control, read: make(chan struct{})}
	go term.collect()
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), control.Close() })
	return term
}

// open returns both ends of a new terminal.
func open(t testing.TB) (control, tty *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	if err := errors.Join(err, unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(filepath.Join("/dev/pts", strconv.Itoa(n)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return control, tty
}

// collect keeps what is written until nobody has the terminal open any more.
func (term *Terminal) collect() {
	defer close(term.read)
	buf := make([]byte, 4096)
	for {
		n, err := term.control.Read(buf)
		term.mu.Lock()
		term.text.Write(buf[:n])
		term.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Text returns what was written so far. Lines end in \r\n.
func (term *Terminal) Text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.text.String()
}

// Type writes to the terminal as a person would.
func (term *Terminal) Type(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.control, keys); err != nil {
		term.t.Fatal(err)
	}
}

// slowest is how long anything may take on a busy machine.
const slowest = 2 * time.Minute

// WaitFor waits until the text has part in it.
func (term *Terminal) WaitFor(part string) {
	term.t.Helper()
	for begun := time.Now(); !bytes.Contains([]byte(term.Text()), []byte(part)); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > slowest {
			term.t.Fatalf("no %q in %q", part, term.Text())
		}
	}
}

// Wait waits for the end of the command, and returns its exit code and all its text.
func (term *Terminal) Wait() (code int, text string) {
	term.t.Helper()
	err := term.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		term.t.Fatal(err)
	}
	select {
	case <-term.read:
	case <-time.After(slowest):
		term.t.Error("something has the terminal open still")
	}
	return term.cmd.ProcessState.ExitCode(), term.Text()
}
