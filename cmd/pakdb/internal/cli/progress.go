package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"pakdb/indexer"
	"pakdb/internal/stored"
	"pakdb/internal/terminal"
)

// ShowProgress draws p on the terminal until the returned function is called:
// bytes, rate and time left as a bar, files and entries beside it. Anywhere but
// on a terminal it is silent.
func (a *App) ShowProgress(ctx context.Context, p *indexer.Progress) (stop func()) {
	return a.ShowBar(ctx, func(bar *progressbar.ProgressBar) { drawProgress(bar, p) })
}

// ShowBar has draw draw a bar on the terminal, every now and then, until the
// returned function is called, which does no harm twice.
func (a *App) ShowBar(ctx context.Context, draw func(*progressbar.ProgressBar)) (stop func()) {
	if !a.ShowsProgress() {
		return func() {}
	}
	bar := progressbar.NewOptions64(1, progressbar.OptionSetWriter(a.Stderr),
		progressbar.OptionShowBytes(true), progressbar.OptionShowTotalBytes(true), progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(), progressbar.OptionUseIECUnits(true))
	done := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C: // not before: what is done at once shows no bar
				a.drawing.Store(true)
				draw(bar)
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		drawing.Wait()
		a.ClearLine()
		a.drawing.Store(false)
	})
}

// WatchPatch draws what is done to transport patches with the returned context:
// a bar for each step.
func (a *App) WatchPatch(ctx context.Context) (watched context.Context, stop func()) {
	if !a.ShowsProgress() {
		return ctx, func() {}
	}
	p, last := &stored.Progress{}, ""
	stop = a.ShowBar(ctx, func(bar *progressbar.ProgressBar) {
		step, done, total := p.Now()
		if step != last {
			bar.Reset() // its rate
			last = step
		}
		total = max(total, 1)
		bar.ChangeMax64(total)
		bar.Describe(step)
		_ = bar.Set64(min(done, total-1)) // a full bar counts as finished
	})
	return stored.WatchProgress(ctx, p), stop
}

// ShowsProgress reports whether stderr is a terminal on which --quiet does not forbid
// a bar.
func (a *App) ShowsProgress() bool { return !a.Quiet && terminal.Is(a.Stderr) }

// ClearLine makes room for a line of text where the bar may be.
func (a *App) ClearLine() {
	if a.drawing.Load() {
		_, _ = fmt.Fprint(a.Stderr, "\r\x1b[K")
	}
}

func drawProgress(bar *progressbar.ProgressBar, p *indexer.Progress) {
	text := fmt.Sprintf("%d/%d files, %d entries", p.FilesDone.Load(), p.Files.Load(), p.Entries.Load())
	if n := p.Problems.Load(); n > 0 {
		text += ", " + Plural(n, "problem", "problems")
	}
	if p.Publishing.Load() {
		text = "publishing the build"
	}
	total := max(p.Bytes.Load(), 1)
	bar.ChangeMax64(total)
	bar.Describe(text)
	_ = bar.Set64(min(p.BytesDone.Load(), total-1)) // a full bar counts as finished
}
