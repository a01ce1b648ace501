package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"sync"
	"time"

	"pakdb/diff/ship/store/update"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// events reports what happens: as lines of JSON, or as text.
type events struct {
	mu   sync.Mutex
	w    io.Writer
	json bool
}

// event writes an event. As text it says nothing.
func (e *events) event(name string, fields map[string]any) {
	if !e.json {
		return
	}
	all := map[string]any{"event": name}
	maps.Copy(all, fields)
	b, err := json.Marshal(all)
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = e.w.Write(append(b, '\n'))
}

// text writes a line, unless events are written.
func (e *events) text(format string, args ...any) {
	if e.json {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = fmt.Fprint(e.w, process.Printable(fmt.Sprintf(format, args...)))
}

func (e *events) warn(text string) {
	e.event("warning", map[string]any{"text": text})
	if !e.json {
		_, _ = fmt.Fprintln(os.Stderr, "pakdb-update: warning:", process.Printable(text))
	}
}

func (e *events) doubts(r *update.Remote) {
	for _, text := range r.Doubts() {
		e.warn(text)
	}
}

// channel reports what the folder follows, where the store says something of channels.
func (e *events) channel(r *update.Remote) {
	name, passed := r.Channel()
	if name == "" {
		return
	}
	e.event("channel", map[string]any{"channel": name, "not_yet": passed})
	e.text("channel %s\n", name)
	for _, p := range passed {
		e.text("not yet build %q: %s\n", p.Build, p.Why)
	}
}

// parts reports which optional parts the folder has, where the build has some or had.
func (e *events) parts(f *update.Folder) {
	list, gone := f.Parts()
	if len(list)+len(gone) == 0 {
		return
	}
	e.event("parts", map[string]any{"parts": append([]update.PartUse{}, list...), "gone": append([]string{}, gone...)})
	for _, p := range list {
		has := "without"
		if p.Wanted {
			has = "with"
		}
		e.text("%s part %s: %d files, %d bytes\n", has, p.Name, p.Files, p.Size)
	}
	for _, name := range gone {
		e.text("the build has no part %s, which the folder remembers\n", name)
	}
}

// fail reports an error, and what helps.
func (e *events) fail(err error, code int) {
	var hint interface{ Hint() string }
	fields := map[string]any{"code": code, "text": err.Error()}
	if errors.As(err, &hint) && hint.Hint() != "" {
		fields["hint"] = hint.Hint()
	}
	e.event("error", fields)
	if e.json {
		return
	}
	_, _ = fmt.Fprintln(os.Stderr, "pakdb-update:", process.Printable(err.Error()))
	if fields["hint"] != nil {
		_, _ = fmt.Fprintln(os.Stderr, "hint:", process.Printable(hint.Hint()))
	}
}

func (e *events) plan(p *update.Plan) {
	e.event("plan", map[string]any{"build": p.Build, "bill": p.Bill, "altered": append([]string{}, p.Altered...), "aside": append([]update.Aside{}, p.Aside...)})
	for _, name := range p.Altered {
		e.text("stays, though it was changed and only other builds or parts have it: %s\n", name)
	}
	for _, a := range p.Aside {
		e.text("moves aside: %s, to %s\n", a.Path, a.To)
	}
	write := ""
	if p.Overlay == nil { // how far an overlay will compress is not known yet
		write = fmt.Sprintf("; to write: %d bytes", p.Bill.Write)
	}
	e.text("build %q: %d files as they are, %d changed, %d new, %d to be removed; to fetch: %d bytes%s\n",
		p.Build, p.Bill.Same, p.Bill.Changed, p.Bill.New, p.Bill.Gone, p.Bill.Fetch, write)
}

func (e *events) done(dir string, p *update.Plan, r *update.Remote, took time.Duration) {
	e.event("done", map[string]any{"build": p.Build, "overlay": p.Overlay, "fetched": r.Fetched(), "requests": r.Requests(), "milliseconds": took.Milliseconds()})
	if p.Overlay != nil {
		for _, m := range p.Overlay.Made {
			e.text("overlay: %s, %d bytes\n", m.Path, m.Size)
		}
	}
	e.text("done: %s is build %q; fetched %d bytes\n", dir, p.Build, r.Fetched())
}

// placed reports that all files of a part are in place.
func (e *events) placed(part string) { e.event("placed", map[string]any{"part": part}) }

// preloaded reports which build waits to be installed.
func (e *events) preloaded(dir string, p *update.Plan, r *update.Remote) {
	e.event("preloaded", map[string]any{"build": p.Build, "fetched": r.Fetched(), "requests": r.Requests()})
	e.text("preloaded: build %q for %s, which stays as it is; fetched %d bytes\n", p.Build, dir, r.Fetched())
}

func (e *events) difference(build string, d update.Difference) {
	e.event("difference", map[string]any{"build": build, "difference": d})
	for _, list := range []struct {
		what  string
		names []string
	}{{"changed", d.Changed}, {"missing", d.Missing}, {"not to be here", d.Gone}} {
		for _, name := range list.names {
			e.text("%s: %s\n", list.what, name)
		}
	}
	e.text("build %q: %d files as they are, %d changed, %d missing, %d gone; %d others\n", build, d.Same, len(d.Changed), len(d.Missing), len(d.Gone), len(d.Unknown))
}

// tick is how often progress is reported.
const tick = 250 * time.Millisecond

// watch reports the progress of work with the returned context until done is called.
func (e *events) watch(ctx context.Context) (watched context.Context, done func()) {
	if !e.json {
		return ctx, func() {}
	}
	p, end := &stored.Progress{}, make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		t := time.NewTicker(tick)
		defer t.Stop()
		last := ""
		for {
			select {
			case <-end:
				e.progress(p, &last)
				return
			case <-t.C:
				e.progress(p, &last)
			}
		}
	})
	return stored.WatchProgress(ctx, p), func() { close(end); telling.Wait() }
}

// progress reports how far it is, if that is something new.
func (e *events) progress(p *stored.Progress, last *string) {
	step, n, total := p.Now()
	now := fmt.Sprint(step, n, total)
	if step == "" || now == *last {
		return
	}
	*last = now
	e.event("progress", map[string]any{"step": step, "done": n, "total": total})
}
