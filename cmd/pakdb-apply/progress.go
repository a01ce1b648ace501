package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"pakdb/internal/stored"
)

// watch shows on a terminal what is done with the returned context, in one line,
// until stop is called. Anywhere else it shows nothing.
func watch(ctx context.Context, w *os.File) (watched context.Context, stop func()) {
	if !term.IsTerminal(int(w.Fd())) {
		return ctx, func() {}
	}
	p, done := &stored.Progress{}, make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		l := &line{w: w}
		for {
			select {
			case <-done:
				l.clear()
				return
			case now := <-tick.C:
				l.draw(p, now)
			}
		}
	})
	return stored.WatchProgress(ctx, p), func() { close(done); drawing.Wait() }
}

// line is the line that is drawn again and again.
type line struct {
	w     io.Writer
	step  string
	began time.Time
	first int64 // bytes that the step had when it was first seen
	drawn bool
}

func (l *line) draw(p *stored.Progress, now time.Time) {
	step, done, total := p.Now()
	if step == "" || total <= 0 {
		return
	}
	if step != l.step {
		l.step, l.began, l.first = step, now, done
	}
	done = min(done, total)
	text := fmt.Sprintf("%s: %3d %%, %s of %s", step, 100*done/total, megabytes(done), megabytes(total))
	if took := now.Sub(l.began).Seconds(); took >= 1 && done > l.first {
		rate := float64(done-l.first) / took
		text += fmt.Sprintf(", %s/s, %.0f s left", megabytes(int64(rate)), float64(total-done)/rate)
	}
	_, _ = fmt.Fprintf(l.w, "\r\x1b[K%s", text)
	l.drawn = true
}

func (l *line) clear() {
	if l.drawn {
		_, _ = fmt.Fprint(l.w, "\r\x1b[K")
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
