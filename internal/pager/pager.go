// Package pager shows long output in the user's pager.
package pager

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"time"

	"pakdb/internal/terminal"
)

// Command returns the words that start the user's pager: PAGER, or less where that is
// installed. Nil means that none is wanted, or that there is none.
func Command() []string {
	text, set := os.LookupEnv("PAGER")
	if !set {
		text = "less"
	}
	words := strings.Fields(text)
	if len(words) == 0 || words[0] == "cat" {
		return nil
	}
	if sh, err := exec.LookPath("sh"); err == nil && strings.ContainsAny(text, forShell) {
		return []string{sh, "-c", text}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil
	}
	return words
}

// forShell are the characters that make a command one for the shell, as git decides.
const forShell = "|&;<>()$`\\\"'*?[#~=%\n"

// Pager holds what is written until it is known whether that fits the terminal. What
// fits is written at the end; for more, the pager starts. Its writers are safe for
// concurrent use.
type Pager struct {
	command       []string
	stdout        io.Writer
	width, height int
	ctx           context.Context // of the command; is cancelled some time after the user has left
	cancel        context.CancelCauseFunc

	mu      sync.Mutex
	buffer  []byte
	lines   int // that buffer takes
	column  int // of the last of them
	escaped bool
	child   *child // nil: not started
	closed  bool
	direct  bool // the pager does not start
}

// child is a pager that runs.
type child struct {
	input io.WriteCloser // nil: it has gone, or has everything
	done  chan struct{}  // it has ended
	// interrupts are Ctrl-C: the pager's business, even if it comes twice.
	interrupts chan os.Signal
}

// patience is how long a command may go on after the user has left the pager, so
// that it ends with the exit code that it would have had.
const patience = 300 * time.Millisecond

// errLeft ends a command whose pager was left.
var errLeft = errors.New("the pager was left")

// New returns a pager for stdout, nil if that is no terminal or the user wants none,
// and the context for what writes to it. The context ends some time after the user has
// left the pager, so that what is nearly done ends by itself. The caller calls Close.
func New(ctx context.Context, stdout io.Writer) (context.Context, *Pager) {
	width, height, ok := terminal.Size(stdout)
	command := Command()
	if !ok || command == nil {
		return ctx, nil
	}
	p := &Pager{command: command, stdout: stdout, width: width, height: height}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	return p.ctx, p
}

// Stdout returns the writer for what is to be paged. It counts as a terminal.
func (p *Pager) Stdout() io.Writer { return stdout{p} }

type stdout struct{ p *Pager }

// Terminal reports that a person sees what is written.
func (s stdout) Terminal() bool { return true }

// Unpaged writes what follows without the pager, unless that runs: it shows no pictures. It
// reports whether it does so.
func (s stdout) Unpaged() bool {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.p.child != nil || s.p.flush() != nil {
		return false
	}
	s.p.direct = true
	return true
}

func (s stdout) Write(text []byte) (int, error) {
	p := s.p
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.child != nil:
		p.send(text)
	case p.direct || p.closed:
		return p.stdout.Write(text)
	default:
		p.buffer = append(p.buffer, text...)
		if p.measure(text); p.lines >= p.height { // the prompt of the shell takes one
			return len(text), p.start()
		}
	}
	return len(text), nil
}

// Beside returns a writer for messages: to w as long as there is no pager, and to the
// pager then, which has the screen for itself.
func (p *Pager) Beside(w io.Writer) io.Writer { return beside{p, w} }

type beside struct {
	p *Pager
	w io.Writer
}

// Terminal reports whether what is written is on a terminal at once.
func (b beside) Terminal() bool {
	b.p.mu.Lock()
	defer b.p.mu.Unlock()
	return b.p.child == nil && terminal.Is(b.w)
}

func (b beside) Write(text []byte) (int, error) {
	b.p.mu.Lock()
	defer b.p.mu.Unlock()
	if b.p.child == nil {
		return b.w.Write(text)
	}
	b.p.send(text)
	return len(text), nil
}

// measure counts the lines of text. What sets a colour takes no room.
func (p *Pager) measure(text []byte) {
	for _, b := range text {
		switch {
		case b == '\x1b':
			p.escaped = true
		case p.escaped:
			p.escaped = b != 'm'
		case b == '\n':
			p.lines, p.column = p.lines+1, 0
		case b&0xc0 == 0x80: // goes on a character
		default:
			if p.column++; p.column > p.width {
				p.lines, p.column = p.lines+1, 1
			}
		}
	}
}

// start starts the pager with what is held. If it does not start, everything is
// written as if there was none.
func (p *Pager) start() error {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = p.stdout, os.Stderr, environment()
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.direct = true
		return p.flush()
	}
	p.child = &child{input: input, done: make(chan struct{}), interrupts: make(chan os.Signal, 1)}
	signal.Notify(p.child.interrupts, os.Interrupt)
	go func() {
		_ = cmd.Wait()
		close(p.child.done)
		time.AfterFunc(patience, func() { p.cancel(errLeft) })
	}()
	p.send(p.buffer)
	p.buffer = nil
	return nil
}

// environment is what the pager starts with: less ends by itself with one screen,
// knows colours and leaves its text on the screen; lv knows colours.
func environment() []string {
	env := os.Environ()
	for _, v := range [][2]string{{"LESS", "FRX"}, {"LV", "-c"}} {
		if _, set := os.LookupEnv(v[0]); !set {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return env
}

// send writes to the pager. Once the user has left it, text is dropped: that is no
// failure of the command.
func (p *Pager) send(text []byte) {
	if p.child.input == nil {
		return
	}
	if _, err := p.child.input.Write(text); err != nil {
		_ = p.child.input.Close()
		p.child.input = nil
	}
}

// flush writes what is held to the terminal.
func (p *Pager) flush() error {
	if len(p.buffer) == 0 {
		return nil
	}
	_, err := p.stdout.Write(p.buffer)
	p.buffer = nil
	return err
}

// Close writes what fits the terminal, or waits until the user leaves the pager.
// Ctrl-C is the pager's business by then. It reports whether there was a pager, and
// returns err, with which the command has ended; or nil if that was because the user
// has left, which is no error. It does no harm twice, or to nil.
func (p *Pager) Close(err error) (shown bool, _ error) {
	if p == nil {
		return false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.cancel(nil)
	p.closed = true
	if p.child == nil {
		return false, errors.Join(err, p.flush())
	}
	defer signal.Stop(p.child.interrupts)
	if p.child.input != nil {
		_ = p.child.input.Close()
		p.child.input = nil
	}
	left := errors.Is(context.Cause(p.ctx), errLeft)
	<-p.child.done
	if left && errors.Is(err, context.Canceled) {
		err = nil
	}
	return true, err
}
