package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"pakdb/indexer"
)

// showProgress draws p on the terminal until the returned function is called:
// bytes, rate and time left as a bar, files and entries beside it. Anywhere but
// on a terminal it is silent.
func (a *app) showProgress(ctx context.Context, p *indexer.Progress) (stop func()) {
	if a.quiet || !isTerminal(a.stderr) {
		return func() {}
	}
	bar := progressbar.NewOptions64(1, progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionShowBytes(true), progressbar.OptionShowTotalBytes(true), progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionUseIECUnits(true))
	a.drawing.Store(true)
	done := make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		defer func() { _ = bar.Clear() }()
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				drawProgress(bar, p)
			}
		}
	})
	return func() {
		close(done)
		drawing.Wait()
		a.drawing.Store(false)
	}
}

// clearLine makes room for a line of text where the bar may be.
func (a *app) clearLine() {
	if a.drawing.Load() {
		_, _ = fmt.Fprint(a.stderr, "\r\x1b[K")
	}
}

func drawProgress(bar *progressbar.ProgressBar, p *indexer.Progress) {
	text := fmt.Sprintf("%d/%d files, %d entries", p.FilesDone.Load(), p.Files.Load(), p.Entries.Load())
	if n := p.Problems.Load(); n > 0 {
		text += ", " + plural(n, "problem", "problems")
	}
	if p.Publishing.Load() {
		text = "publishing the build"
	}
	total := max(p.Bytes.Load(), 1)
	bar.ChangeMax64(total)
	bar.Describe(text)
	_ = bar.Set64(min(p.BytesDone.Load(), total-1)) // a full bar counts as finished
}
